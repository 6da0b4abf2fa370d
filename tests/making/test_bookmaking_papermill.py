"""The command lines that the book gives for papermill do what it says, with nothing of our own machinery."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jupytext
import nbformat
import pytest
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from benchbook.errors import FaultyInput
from benchbook.show import origins
from benchbook_book.making import manifest, runs
from benchbook_book.pages import show
from benchbook_book.pages.show import page_parameters

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "book" / "runs" / "templates"


@pytest.fixture
def shell(tmp_path):
    """Run one line of the page in a shell at the top of the checkout, its output notebook in a scratch folder."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "src"),
        "BENCHBOOK_RUNS": str(tmp_path / "runs"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }

    def run(line: str) -> nbformat.NotebookNode:
        made = tmp_path / "mine.ipynb"
        line = line.replace("mine.ipynb", shlex.quote(str(made))).replace(
            "papermill ", "papermill -p instances 2 ", 1
        )
        done = subprocess.run(
            ["sh", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return nbformat.read(made, as_version=4)

    return run


def documented(start: str) -> str:
    """The one line in the page's shell blocks that begins so."""
    page = (ROOT / "book" / "runs" / "index.md").read_text(encoding="utf8")
    (line,) = re.findall(rf"^{re.escape(start)}.*$", page, flags=re.MULTILINE)
    return line


def shown(notebook: nbformat.NotebookNode) -> str:
    return "\n".join(
        output.data.get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    )


def test_the_template_and_then_its_own_output_run_under_papermill(shell, tmp_path):
    first = shown(shell(documented("jupytext --to ipynb")))
    assert "re-created data" in first
    assert "kin-8nm-sim: linear regression first of 2" in first
    assert "knn-cv-1" not in first
    page = (tmp_path / "mine.ipynb").rename(tmp_path / "page.ipynb")
    line = documented("papermill book/runs/run-").replace(
        "book/runs/run-kin-8nm-sim.ipynb", shlex.quote(str(page))
    )
    second = shown(shell(line))
    assert "kin-8fm-sim/dist/std.64" in second
    assert "kin-8nm-sim/dist/std.64" not in second


def injected(template: Path, parameters: dict, folder: Path) -> list[str]:
    """The code cells of a template as a kernel has run them once papermill has put parameters in."""
    jupytext.write(jupytext.read(template), folder / "template.ipynb")
    notebook = load_notebook_node(str(folder / "template.ipynb"))
    return [
        cell.source
        for cell in parameterize_notebook(notebook, parameters).cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("*.py")), ids=lambda path: path.stem)
def test_a_misspelt_parameter_stops_a_page_with_the_list_of_its_parameters(
    template, tmp_path, monkeypatch
):
    cells = injected(template, {"methodz": ["lin-1"], "runns": 3, "slug": "mine"}, tmp_path)
    (place,) = [place for place, cell in enumerate(cells) if "show.parameters()" in cell]
    monkeypatch.setattr(
        "IPython.get_ipython", lambda: SimpleNamespace(user_ns={"In": ["", *cells[: place + 1]]})
    )
    with pytest.raises(FaultyInput) as refused:
        show.parameters()
    assert [fault.where for fault in refused.value.faults] == [
        "parameter 'methodz'",
        "parameter 'runns'",
    ]
    assert "\n  slug = ''" in str(refused.value)


def test_parameters_that_the_page_has_are_taken(tmp_path, monkeypatch):
    cells = injected(TEMPLATES / "task.py", {"methods": ["lin-1"], "instances": 2}, tmp_path)
    monkeypatch.setattr(
        "IPython.get_ipython", lambda: SimpleNamespace(user_ns={"In": ["", *cells]})
    )
    assert show.parameters()


def test_a_list_is_wanted_where_the_page_has_one_and_nowhere_else(tmp_path, monkeypatch):
    cells = injected(TEMPLATES / "task.py", {"methods": "lin-1", "seed": [2]}, tmp_path)
    monkeypatch.setattr(
        "IPython.get_ipython", lambda: SimpleNamespace(user_ns={"In": ["", *cells]})
    )
    with pytest.raises(FaultyInput) as refused:
        show.parameters()
    assert [fault.rule for fault in refused.value.faults] == [
        "write a list, such as -y 'methods: [lin-1]'",
        "write one value, not a list",
    ]


CHANGED = {
    "task": {"prototask": "kin-8fm-sim/dist"},
    "problem": {"runs": 2},
    "challenge": {"prototask": "concrete/challenge"},
    "folds": {"methods": ["lin-1", "forest-1", "base-1"]},
    "robot_arm": {"data": "mackay-2"},
}


@pytest.mark.parametrize("template", CHANGED)
def test_an_executed_page_keeps_its_other_parameters_and_makes_its_heading_of_its_result(
    template, tmp_path
):
    """What papermill makes of a page of the book when one parameter is given."""
    run = next(run for run in manifest.read() if run.template == template)
    nbformat.write(runs._staged(ROOT, run, run.slug), tmp_path / "page.ipynb")
    page = load_notebook_node(str(tmp_path / "page.ipynb"))
    cells = parameterize_notebook(page, CHANGED[template]).cells
    of_tag = {tag: cell.source for cell in cells for tag in cell.metadata.get("tags", ())}
    values: dict = {}
    exec(of_tag["parameters"] + "\n" + of_tag["injected-parameters"], values)
    told = {name: values[name] for name in run.parameters}
    assert told == {**run.parameters, **CHANGED[template]}
    assert not any(cell.cell_type == "markdown" and cell.source.startswith("# ") for cell in cells)
    (heading,) = [cell.source for cell in cells if cell.source.startswith("show.heading(")]
    assert "title(" in heading, "its result"


def test_the_parameters_of_every_template_are_described():
    page = (ROOT / "book" / "runs" / "index.md").read_text(encoding="utf8")
    for template in sorted(TEMPLATES.glob("*.py")):
        source = page_parameters.cell_of(jupytext.read(template)).source
        (described,) = re.findall(
            rf"^### .*`{template.name}`\n(.*?)(?=^##|\Z)", page, flags=re.MULTILINE | re.DOTALL
        )
        told = re.findall(r"^\| `(\w+)` \|", described, flags=re.MULTILINE)
        assert told == [name for name in page_parameters._assignments(source) if name != "slug"]


def test_papermill_ends_with_the_message_and_a_code(shell):
    with pytest.raises(AssertionError, match="parameter 'prototsk': found 'kin-8fm-sim/dist'"):
        shell(
            documented("jupytext --to ipynb").replace(
                "-p prototask kin-8nm-sim", "-p prototsk kin-8fm-sim"
            )
        )


def test_the_page_says_the_command_that_the_provenance_block_makes():
    made = origins.papermill_command(
        "book/runs/templates/task.py",
        {"prototask": "kin-8nm-sim/dist", "methods": ["base-1", "lin-1"]},
    )
    assert documented("jupytext --to ipynb").replace('"', "'") == made
