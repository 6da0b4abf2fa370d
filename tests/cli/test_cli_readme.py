"""The examples of README.md that need no published data run as they are printed, from the root of a checkout."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchbook.cli import app

ROOT = Path(__file__).parents[2]
CHAINS = {
    "own": (
        "run --method lin-1",
        "run --method book/guide/mine.py",
        "--loss book/guide/my_loss.py",
    ),
    "data": ("datasets add", "compare book/guide/rent.csv"),
    "checklist": ("checklist check",),
    "lists": ("tasks list", "methods list"),
}


def printed(part: str) -> list[str]:
    lines = [
        line
        for line in (ROOT / "README.md").read_text().splitlines()
        if line.startswith("benchbook ")
    ]
    found = [line for line in lines if part in line]
    assert len(found) == 1, part
    return shlex.split(found[0], comments=True)[1:]


@pytest.mark.parametrize("chain", CHAINS)
def test_an_example_of_the_readme_runs_as_it_is_printed(chain, home):
    Path("book").symlink_to(
        ROOT / "book"
    )  # the files that examples read are there; what they write is not
    for part in CHAINS[chain]:
        words = printed(part)
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, f"{words}: {result.output}"
        assert result.output
