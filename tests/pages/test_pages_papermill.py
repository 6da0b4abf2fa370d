"""The command lines that the book gives for papermill do what it says, with nothing of our own machinery."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from benchbook.pages import origins

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def shell(tmp_path):
    """Run one line of the page in a shell at the top of the checkout, its output notebook in a scratch folder."""
    environment = {
        **os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "src"), "BENCHBOOK_RUNS": str(tmp_path / "runs"),
        "IPYTHONDIR": str(tmp_path / "ipython"), "JUPYTER_PREFER_ENV_PATH": "1"}

    def run(line: str) -> nbformat.NotebookNode:
        made = tmp_path / "mine.ipynb"
        line = line.replace("mine.ipynb", shlex.quote(str(made))).replace("papermill ", "papermill -p instances 2 ", 1)
        done = subprocess.run(["sh", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return nbformat.read(made, as_version=4)

    return run


def documented(start: str) -> str:
    """The one line in the page's shell blocks that begins so."""
    page = (ROOT / "book" / "runs" / "index.md").read_text(encoding="utf8")
    (line,) = re.findall(rf"^{re.escape(start)}.*$", page, flags=re.MULTILINE)
    return line


def shown(notebook: nbformat.NotebookNode) -> str:
    return "\n".join(output.data["text/plain"] for cell in notebook.cells if cell.cell_type == "code"
                     for output in cell.outputs if "data" in output)


def test_the_template_and_then_its_own_output_run_under_papermill(shell, tmp_path):
    first = shown(shell(documented("jupytext --to ipynb")))
    assert "re-created data" in first
    assert "base-1 − lin-1" in first
    assert "knn-cv-1" not in first
    page = (tmp_path / "mine.ipynb").rename(tmp_path / "page.ipynb")
    line = documented("papermill book/runs/run-").replace("book/runs/run-kin-8nm-sim.ipynb", shlex.quote(str(page)))
    second = shown(shell(line))
    assert "kin-8fm-sim/dist/std.64" in second
    assert "kin-8nm-sim/dist/std.64" not in second


def test_the_page_says_the_command_that_the_provenance_block_makes():
    made = origins.papermill_command("book/runs/templates/task.py", {
        "prototask": "kin-8nm-sim/dist", "methods": ["base-1", "lin-1"]})
    assert documented("jupytext --to ipynb").replace('"', "'") == made
