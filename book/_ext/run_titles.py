"""The titles of run pages: in the book that of the manifest; in the notebook a cell makes one of its parameters."""

import json
from typing import Any


def titled(text: str) -> str:
    """The text of a notebook with its title in the book, where it has one, as its first cell."""
    notebook = json.loads(text)
    title = notebook["metadata"].get("benchbook", {}).get("title")
    if not title:
        return text
    cell = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": f"# {title}"}
    notebook["cells"].insert(0, cell)
    return json.dumps(notebook)


def _insert(app: Any, name: str, content: list[str]) -> None:
    if app.env.doc2path(name).endswith(".ipynb"):
        content[0] = titled(content[0])


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("source-read", _insert)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
