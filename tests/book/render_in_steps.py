"""Change a small book and render it, step by step; then say which pages were written at each: one line of JSON.

A step is a pair: ``outputs`` and the value that the cell of ``part/c`` is to have given; ``text`` and a page, the words
to change, and the words to put there; ``touch`` and a file; or ``nothing``.
"""

import json
import os
import sys
import time
from pathlib import Path

import jupyter_book.sphinx  # noqa: F401  (so that not every step has to import it)
import nbformat
from jupyter_cache.base import CacheBundleIn

from benchbook_book.making import execution, inputs, rendering

ROOT = Path(sys.argv[1])
HTML = ROOT / "_build" / "html" / "book"


def outputs(value: int) -> None:
    """Put into the execution cache what a kernel would have answered."""
    prefix = "application/papermill.record/"
    output = nbformat.v4.new_output(
        "display_data",
        {f"{prefix}text/plain": str(value)},
        metadata={"scrapbook": {"name": "n", "mime_prefix": prefix}},
    )
    notebook = execution.read(ROOT / "book" / "part" / "c.md")
    [cell] = [cell for cell in notebook.cells if cell.cell_type == "code"]
    cell.outputs, cell.execution_count = [output], 1
    with execution.opened(inputs.execution_cache(ROOT)) as cache:
        cache.cache_notebook_bundle(
            CacheBundleIn(notebook, "c"), check_validity=False, overwrite=True
        )
    rendering.read_again(ROOT, "book/part/c")


def text(name: str, old: str, new: str) -> None:
    path = ROOT / "book" / f"{name}.md"
    path.write_text(path.read_text().replace(old, new))


def rendered() -> list[str]:
    """Render the book; the names of the pages that were written."""
    began = time.time_ns()
    everything = rendering.begin(ROOT)
    if (child := os.fork()) == 0:  # Sphinx leaves traces in the process that it ran in
        os._exit(rendering.main(ROOT, everything, True))
    if code := os.waitpid(child, 0)[1]:
        sys.exit(f"ended with {code}")
    rendering.end(ROOT, [], True)
    pages = [path for path in HTML.rglob("*.html") if path.stat().st_mtime_ns >= began]
    return sorted(path.relative_to(HTML).with_suffix("").as_posix() for path in pages)


written = []
for kind, value in json.loads(sys.argv[2]):
    if kind == "outputs":
        outputs(value)
    elif kind == "text":
        text(*value)
    elif kind == "touch":
        (ROOT / value).touch()
    time.sleep(0.05)  # the clock of the file system is coarser than that of the process
    written.append(rendered())
print(f"WRITTEN {json.dumps(written)}")
