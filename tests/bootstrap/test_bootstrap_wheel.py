"""The wheel: what it carries, that it works without a checkout, and that the source distribution makes the same."""

import ast
import csv
import io
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import defaultdict
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import benchbook
from benchbook.cli import _COMMANDS
from benchbook_book.commands import COMMANDS as COMMANDS_OF_THE_BOOK
from checkout import places

ROOT = places.ROOT
INFO = f"benchbook-{benchbook.__version__}.dist-info"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def build(kind, source, folder):
    """Build from the sources in a folder, without a network, as pip does."""
    command = f"from hatchling import build; print(build.build_{kind}({str(folder)!r}))"
    process = subprocess.run(
        [sys.executable, "-c", command], cwd=source, capture_output=True, text=True, check=True
    )
    return folder / process.stdout.split()[-1]


def test_it_holds_the_package_and_its_data_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = [
        *ROOT.glob("src/benchbook*/**/*.py"),
        ROOT / "src" / "benchbook" / "py.typed",
        *ROOT.glob("src/benchbook_book/course/*/templates/*"),
        *ROOT.glob("src/benchbook_book/course/server/migrations/*.mako"),
        *ROOT.glob("src/benchbook_book/making/deck/*"),
    ]
    # What a process that publishes writes (hidden files, too), and runs that only pages read.
    others = {ROOT / "data" / name for name in ("archive/runs", "calibration", "doubled", "times")}
    pages = (
        "battery.parquet",
        "battery-results.parquet",
        "battery-stability.parquet",
        "fixed-step.csv",
    )
    shown = {ROOT / "data" / name for name in pages}
    data = [
        path
        for path in ROOT.glob("data/**/*")
        if path.is_file() and not path.name.startswith(".")
        if path not in shown and not others & set(path.parents)
    ]
    assert len(sources) > 400
    assert len(data) > 1000
    wanted = {path.relative_to(ROOT / "src").as_posix() for path in sources}
    wanted |= {f"benchbook/{path.relative_to(ROOT).as_posix()}" for path in data}
    assert {name for name in names if not name.startswith(INFO)} == wanted
    assert {
        f"{INFO}/entry_points.txt",
        f"{INFO}/licenses/LICENSE",
        f"{INFO}/licenses/LICENSE-TEXT",
    } <= names


def test_it_stays_small_enough_to_be_sent_around(wheel):
    """Six tenths of what the index of Python packages takes; nine tenths are archived losses, which hardly compress."""
    assert wheel.stat().st_size < 60e6
    pages = ("README.md", "book/guide/run-it.md")
    said = [
        re.search(r"about (\d+) MB", (ROOT / page).read_text(encoding="utf8")) for page in pages
    ]
    assert [float(one[1]) for one in said] == [
        pytest.approx(wheel.stat().st_size / 1e6, rel=0.05)
    ] * 2


def test_in_a_checkout_nothing_is_copied(tmp_path):
    names = zipfile.ZipFile(build("editable", ROOT, tmp_path)).namelist()
    assert [name for name in names if not name.startswith(INFO)] == ["_benchbook.pth"]


def test_the_source_distribution_makes_the_same_wheel(wheel, tmp_path):
    with tarfile.open(build("sdist", ROOT, tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build("wheel", tmp_path / f"benchbook-{benchbook.__version__}", tmp_path / "again")
    assert contents(again) == contents(wheel)


def contents(wheel):
    """The files of a wheel with their digests, as the wheel itself lists them."""
    record = zipfile.ZipFile(wheel).read(f"{INFO}/RECORD").decode()
    return {name: digest for name, digest, _ in csv.reader(io.StringIO(record))}


MINE = '''
import numpy as np

from benchbook.methods import method
from benchbook.predictive import Gaussian


@method(kinds={"real"})
def mine(instance, rng):
    """The mean and the variance of the training targets."""
    targets, cases = instance.train_targets, len(instance.test_inputs)
    return Gaussian(np.full(cases, targets.mean()), np.full(cases, targets.var()))
'''
TASK = "kin-8nm-sim/dist/std.64"
# One process for all: what takes long is to import the package.
PROGRAM = """
import sys
from pathlib import Path

from click.testing import CliRunner

import benchbook
from benchbook.cli import app

sys.exit(f"not the wheel: {benchbook.__file__}") if not Path(benchbook.__file__).is_relative_to(sys.argv[1]) else None
for line in sys.stdin.read().splitlines():
    code, words = line.split(maxsplit=1)
    result = CliRunner().invoke(app, words.split())
    print(result.output)
    if result.exit_code != int(code):
        sys.exit(f"{words}: exit code {result.exit_code}, not {code}\\n{result.output}\\n{result.exception!r}")
"""


def foreign():
    """The top-level modules of this environment that an installed package does not bring, such as the book's."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    brought, wanted = {"setuptools"}, [*map(Requirement, project["dependencies"])]
    while wanted:
        name = canonicalize_name(wanted.pop().name)
        needs = [] if name in brought else map(Requirement, metadata.requires(name) or [])
        brought.add(name)
        wanted += [need for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]
    return sorted(
        module
        for module, owners in metadata.packages_distributions().items()
        if module.isidentifier() and brought.isdisjoint(map(canonicalize_name, owners))
    )


COMMANDS = f"""\
0 --version
0 tasks list kin-8nm-sim/*
0 methods list
0 losses show CRPS
0 datasets show kin-8nm-sim
0 run --method lin-1 --tasks {TASK} --workers 1 --no-compare
0 run --method mine.py:mine --tasks {TASK} --workers 1
2 run --plan no-such-plan
0 compare --tasks {TASK} --method lin-1 --method mine --method gp-mc-1
0 archive list
2 archive publish
0 report new
1 report check my-report.toml
0 challenge export stereopsis-sim/depth --out cases
0 challenge enter lin-1 --tasks stereopsis-sim/depth/test --out entry
0 challenge check entry
0 challenge score entry
0 proben1 spec table.csv
2 book list
2 book build
2 book exercises
"""


@pytest.fixture
def installed(wheel, tmp_path):
    """Run something in an empty folder with the wheel's package before any other, and an empty home folder."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    for name in ("empty", "home"):
        (tmp_path / name).mkdir()

    def run(*command, **options):
        ours = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("BENCHBOOK", "XDG"))
        }
        ours |= {
            "PYTHONPATH": str(tmp_path / "site"),
            "HOME": str(tmp_path / "home"),
            "BENCHBOOK_OFFLINE": "1",
        }
        return subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path / "empty",
            env=ours,
            capture_output=True,
            text=True,
            encoding="utf8",
            check=False,
            **options,
        )

    return run


def test_all_parts_of_the_command_line_work_where_there_is_no_checkout(installed, tmp_path):
    work = tmp_path / "empty"
    (work / "mine.py").write_text(MINE)
    (work / "table.csv").write_text("a,b\n" + "1,x\n2,y\n" * 20)
    finished = installed("-c", PROGRAM, str(tmp_path / "site"), input=COMMANDS)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("Run this inside a checkout of the repository.") == 3
    assert "none of the book's, which are bank" in finished.stdout
    assert "a folder of your own with --archive" in finished.stdout
    assert "gp-mc-1" in finished.stdout
    # Nothing is written into the package, nor anywhere but here and in the user's cache.
    assert {path.name for path in work.iterdir()} == {
        "mine.py",
        "table.csv",
        "my-report.toml",
        "cases",
        "cases-targets.csv",
        "entry",
    }
    assert {path.name for path in tmp_path.iterdir()} == {"site", "empty", "home"}


BLOCK = f"""
import sys


class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {foreign()!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Blocked())
"""
COMPARED = """
import benchbook
from sklearn.linear_model import LinearRegression, Ridge

X = [[float(row), row % 7.0] for row in range(60)]
result = benchbook.compare({"ols": LinearRegression(), "ridge": Ridge()}, X, [row % 7.0 + row % 3 for row in range(60)])
print(result, result._repr_html_(), result.plot(), result.to_latex())
"""
OF_EXTRAS = {
    "IPython": "show/notebook.py",
    "distributed": "studies/cluster.py",
    "jax": "methods/networks/bayesian/nuts.py",
    "myst_nb": "show/notebook.py",
    "numpyro": "methods/networks/bayesian/nuts.py",
    "pandas": "comparison/outcome.py",
}
"""What the instrument imports and comes with an extra, or with the user's data."""


def test_what_is_imported_is_asked_for_or_belongs_to_an_extra():
    imported, others = defaultdict(set), set(foreign())
    for path in sorted((ROOT / "src/benchbook").rglob("*.py")):
        name = path.relative_to(ROOT / "src/benchbook").as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            modules = [item.name for item in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for module in {module.partition(".")[0] for module in modules} & others:
                imported[module].add(name)
    assert {module: " ".join(sorted(names)) for module, names in imported.items()} == OF_EXTRAS


def test_every_command_is_there_or_says_what_it_lacks_without_the_tools_of_others(
    installed, tmp_path
):
    lacking = ("book", "checklist")
    lines = [
        f"{2 * (name in lacking)} {name} --help" for name in (*_COMMANDS, *COMMANDS_OF_THE_BOOK)
    ]
    lines += ["2 book list"]
    finished = installed("-c", BLOCK + PROGRAM, str(tmp_path / "site"), input="\n".join(lines))
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("`benchbook book` works in a checkout") == 2
    assert finished.stdout.count("`benchbook checklist` needs pydantic") == 1
    assert "pip install 'benchbook[checklist]'" in finished.stdout


def test_the_first_example_needs_nothing_that_an_installed_package_does_not_bring(installed):
    finished = installed("-c", BLOCK + COMPARED)
    assert finished.returncode == 0, finished.stderr


def test_it_is_a_module_to_run(installed):
    finished = installed("-m", "benchbook", "--version")
    assert finished.stdout == f"benchbook, version {benchbook.__version__}\n"
