"""Execute the cells of run pages in this process: ``python cells_alone.py PAGES.json RESULTS.json``.

The pages are a list of ``[template, parameters, folder of the archive]``. For each the results have the text that its
cells show, or the cell that failed and the error.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from benchbook.pages import inputs, robot_arm_shown, runs
from benchbook.pages.manifest import Run


def shown(cells: list[Any], parameters: dict[str, Any]) -> dict[str, str]:
    """The texts that cells show, one below the other; the parameters are given after the cell that declares them."""
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    texts = []
    for cell in cells:
        with capture_output() as captured:
            result = shell.run_cell(cell.source)
        if error := result.error_before_exec or result.error_in_exec:
            return {"failed": cell.source, "error": f"{type(error).__name__}: {error}"}
        texts += [captured.stdout, *(output.data.get("text/plain", "") for output in captured.outputs)]
        if "parameters" in cell.metadata.get("tags", ()):
            shell.user_ns.update(parameters)
    return {"shown": "\n".join(texts)}


def main(source: str, target: str) -> None:
    """Execute the pages that the first file lists, and write the second."""
    robot_arm_shown._REPLICATES = 40  # thousands only make the same figures smoother
    made = []
    for template, parameters, archive in json.loads(Path(source).read_text(encoding="utf8")):
        os.environ["BENCHBOOK_ARCHIVE"] = archive
        run = Run("alone", template, "Alone", "", "quick", "", parameters)
        cells = [cell for cell in runs._staged(inputs.checkout(), run).cells if cell.cell_type == "code"]
        made.append(shown(cells, parameters))
    Path(target).write_text(json.dumps(made), encoding="utf8")


if __name__ == "__main__":
    main(*sys.argv[1:])
