"""Every template of the run pages, executed where no published data is at hand.

The other chapters take minutes; .ci/run executes them all without data.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARCHIVED, NONE = str(ROOT / "data" / "archive"), "an archive that is not there"
TASK = {"prototask": "titanic/survived", "methods": ["base-1"]}
PROBLEM = {"problem": "glass", "methods": ["proben1-linear"], "runs": 2}
CHALLENGE = {"prototask": "concrete/challenge", "methods": ["base-1", "lin-1"]}
FOLDS = {"task": "concrete/cv-215a/random-10", "methods": ["lin-1"], "ask": "q90"}
FRESH = {"source": "fresh"}
PAGES = {
    "task": ("titanic", TASK, ARCHIVED),
    "task, made anew": ("titanic", TASK | FRESH, ARCHIVED),
    "task, without runs": ("titanic", TASK, NONE),
    "problem": ("proben1-glass1", PROBLEM, ARCHIVED),
    "problem, made anew": ("proben1-glass1", PROBLEM | FRESH, ARCHIVED),
    "problem, without runs": ("proben1-glass1", PROBLEM, NONE),
    "challenge": ("concrete", CHALLENGE, ARCHIVED),
    "challenge, without runs": ("concrete", CHALLENGE, NONE),
    "folds": ("concrete", FOLDS, ARCHIVED),
    "folds, made anew": ("concrete", FOLDS | FRESH, ARCHIVED),
    "folds, without runs": ("concrete", FOLDS, NONE),
    "robot_arm": ("robotarm", {"data": "mackay-1"}, ARCHIVED),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What each page shows; one process for all, because importing is dear, and a new one, which remembers no data."""
    folder = tmp_path_factory.mktemp("nothing")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("BENCHBOOK_")
    }
    environment |= {
        "BENCHBOOK_CACHE": str(folder / "cache"),
        "BENCHBOOK_OFFLINE": "1",
        "PYTHONPATH": str(ROOT / "src"),
        "BENCHBOOK_RUNS": str(folder / "runs"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    asked = [
        (name.partition(",")[0], parameters, archive)
        for name, (_, parameters, archive) in PAGES.items()
    ]
    (folder / "asked").write_text(json.dumps(asked), encoding="utf8")
    script = Path(__file__).with_name("cells_alone.py")
    done = subprocess.run(
        [sys.executable, str(script), "asked", "made"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(PAGES, json.loads((folder / "made").read_text(encoding="utf8")), strict=True))


def test_the_pages_are_of_all_templates():
    templates = {path.stem for path in (ROOT / "book" / "runs" / "templates").glob("*.py")}
    assert {name.partition(",")[0] for name in PAGES} == templates


@pytest.mark.parametrize("page", PAGES)
def test_a_page_without_its_data_says_how_to_get_it_and_shows_the_rest(made, page):
    assert "failed" not in made[page]
    assert f"benchbook datasets fetch {PAGES[page][0]}" in made[page]["shown"]


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("task", "base-1"),
        ("problem", "6 runs from the archive"),
        ("challenge", "linear regression `lin-1`  "),
        ("robot_arm", "bias correction itself"),
    ],
)
def test_what_is_archived_is_shown_without_the_data(made, page, shown):
    assert shown in made[page]["shown"]
