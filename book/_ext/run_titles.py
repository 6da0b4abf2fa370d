"""The titles of run pages: the heading that their notebook shows, which is their result; else that of the manifest."""

import html
import json
import re
from typing import Any


def titled(text: str) -> str:
    """The text of a notebook with its title in the book, where it has one, as its first cell."""
    notebook = json.loads(text)
    title = notebook["metadata"].get("benchbook", {}).get("title")
    if not title:
        return text
    shown = (
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
    )
    if heading := next(
        filter(None, (re.fullmatch(r"<h1>(.*)</h1>", text) for text in shown)), None
    ):
        title = html.unescape(re.sub(r"<[^>]*>", "", heading[1]))
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
