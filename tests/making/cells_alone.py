"""Execute the cells of pages in this process: ``python cells_alone.py PAGES.json RESULTS.json``.

The pages are a list of ``[name, parameters, folder of the archive]``; a name is that of a template, or of a chapter
such as ``proben1/problems.md``. For each the results have the text that its cells show, or the cell that failed and
the error.
"""

import atexit
import json
import os
import sys
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from benchbook_book.making import execution, inputs, runs
from benchbook_book.making.manifest import RunPage
from benchbook_book.pages.simulations import arm_results


def shown(code: list[Any]) -> dict[str, str]:
    """The texts that cells show, one below the other."""
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    atexit.unregister(
        shell.atexit_operations
    )  # there is nothing to save, and to search for garbage takes a while
    texts = []
    for cell in code:
        with capture_output() as captured:
            result = shell.run_cell(cell.source)
        if error := result.error_before_exec or result.error_in_exec:
            return {"failed": cell.source, "error": f"{type(error).__name__}: {error}"}
        texts += [
            captured.stdout,
            *(output.data.get("text/plain", "") for output in captured.outputs),
        ]
    return {"shown": "\n".join(texts)}


def cells(name: str, parameters: dict[str, Any]) -> list[Any]:
    """The cells of code of a page."""
    root = inputs.checkout()
    notebook = (
        execution.read(root / "book" / name)
        if name.endswith(".md")
        else runs._staged(root, RunPage("alone", name, "Alone", "", "quick", "", parameters), "")
    )
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def main(source: str, target: str) -> None:
    """Execute the pages that the first file lists, and write the second."""
    arm_results._REPLICATES = 40  # thousands only make the same figures smoother
    made = []
    for name, parameters, archive in json.loads(Path(source).read_text(encoding="utf8")):
        os.environ["BENCHBOOK_ARCHIVE"] = archive
        sys.path[0] = str(
            inputs.checkout() / "book" / Path(name).parent
        )  # where a chapter's own helpers are
        made.append(shown(cells(name, parameters)))
    Path(target).write_text(json.dumps(made), encoding="utf8")


if __name__ == "__main__":
    main(*sys.argv[1:])
