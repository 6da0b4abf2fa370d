"""The pages of the guide on one's own method and loss, followed word by word as a reader would type them."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchbook.cli import app

LOSS = "\n## Your own loss\n"
COMMAND = re.compile(r"^command\(\"benchbook (.*)\"\)$", re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(line: str) -> str:
    result = CliRunner().invoke(app, shlex.split(line))
    assert result.exit_code == 0, f"{line}\n{result.output}"
    return result.output


@pytest.fixture
def page(home, repository):
    """The text of a page, in an empty folder with only the files that it tells the reader to save."""

    def read(name: str) -> str:
        folder = repository / "book" / "guide"
        text = (folder / f"{name}.md").read_text(encoding="utf8")
        for file in re.findall(r"^```\{literalinclude\} (\S+)$", text, re.MULTILINE):
            shutil.copy(folder / file, file)
        return text

    return read


def test_a_loss_of_ones_own_as_the_guide_has_it(page):
    first, second, third = COMMAND.findall(page("your-own-method").partition(LOSS)[2])
    assert first.startswith("run --method lin-1 --method knn-cv-1")
    run(first)
    before = {
        path: path.stat().st_mtime_ns for path in Path("../runs").rglob("*") if path.is_file()
    }
    said = run(second)
    assert re.search(r"shortage@[0-9a-f]{8}", said)
    assert "lin-1" in said
    assert "knn-cv-1" in said
    assert before
    assert all(path.stat().st_mtime_ns == then for path, then in before.items()), (
        "nothing is run again"
    )
    assert "proper" in run(third)


def test_a_method_of_ones_own_as_the_guide_has_it(page):
    text = page("your-own-method").partition(LOSS)[0]
    check, show, variant, mine, awk = COMMAND.findall(text)
    assert Path("mine.py").is_file()
    assert "fail" not in run(check)
    assert "hidden" in run(show)
    assert "knn-5" in run(variant)
    said = run(mine.replace("std.*", "std.64"))
    assert "random-features" in said
    assert "lin-1" in said
    assert re.search(r"^mean +0[.][0-9]+ .*reference$", run(awk), re.MULTILINE)


def test_what_the_guide_adds_to_ones_own_method_can_be_run(page):
    settings, estimator, quantiles = PYTHON.findall(page("your-own-method").partition(LOSS)[0])
    whole = Path("mine.py").read_text(encoding="utf8")
    body = whole[whole.index("def my_method") :].partition("\n")[2]
    head = "import numpy as np\nfrom benchbook.predictive import Gaussian\n"
    Path("set.py").write_text(head + settings.replace(" ...\n", f"\n{body}"))
    Path("fitted.py").write_text(estimator)
    Path("bands.py").write_text(quantiles)
    task = "--tasks kin-8nm-sim/dist/std.64 --instances 2 --no-compare"
    run(
        f"run --method 'set.py:my_method[count=20]' --method fitted.py:ridge --method bands.py:bands {task}"
    )
    said = run(
        "compare --common-instances --tasks kin-8nm-sim/dist/std.64 --method kernel-ridge --method bands "
        "--method 'random-features[count=20]'"
    )
    for name in ("kernel-ridge", "bands", "random-features[count=20]"):
        assert name in said
