"""Three kinds of tests: none is lost, the list names tests that exist, and what costs too much is no default one."""

import ast
import itertools
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import tiers
from _pytest.mark.expression import Expression

KINDS = ("crawl", "slow", "full")


@pytest.fixture(scope="module")
def entries():
    return tiers.read(tiers.LIST.read_text(encoding="utf8"))


def functions(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))
        if isinstance(node, ast.FunctionDef)
    }


def test_the_default_and_the_full_tests_are_all_but_the_slow_ones_and_none_is_run_twice(repository):
    gate = (repository / ".ci" / "run").read_text(encoding="utf8")
    rest = "full and not crawl and not slow"
    assert f"make test ARGS=\"-m '{rest}'\"" in gate
    settings = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf8"))
    assert settings["tool"]["pytest"]["ini_options"]["addopts"][-2:] == ["-m", tiers.DEFAULT]
    for marks in itertools.product([False, True], repeat=len(KINDS)):
        has = dict(zip(KINDS, marks, strict=True))
        default, full, named = (
            Expression.compile(text).evaluate(lambda mark, has=has, **_: has[mark])
            for text in (tiers.DEFAULT, rest, tiers.NAMED)
        )
        assert default + full == named == (not has["crawl"] and not has["slow"])


def test_every_function_of_the_list_exists(entries, repository):
    named = {node.partition("[")[0] for node in entries}
    known = {
        f"{path}::{name}"
        for path in {node.partition("::")[0] for node in named}
        if (repository / path).is_file()
        for name in functions(repository / path)
    }
    assert named - known == set(), "take these out of tests/full.txt, or give them their new names"


def test_every_single_test_of_the_list_exists(entries, request):
    collected = set(request.config.stash[tiers.COLLECTED])
    whole = {node.partition("[")[0] for node in collected}
    requested = {node for node in entries if "[" in node and node.partition("[")[0] in whole}
    if request.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        assert requested == {node for node in entries if "[" in node}
    assert requested - collected == set(), (
        "take these out of tests/full.txt, or give them their new names"
    )


def test_a_function_a_share_and_a_test_can_be_named():
    entries = tiers.read("# why\n\na.py::all\na.py::some 1/3\na.py::one[x 1/2]\n")
    assert entries == {"a.py::all": 0, "a.py::some": 3, "a.py::one[x 1/2]": 0}
    nodes = ["a.py::all[1]", "a.py::all", *(f"a.py::some[{i}]" for i in range(5))]
    nodes += ["a.py::one[x 1/2]", "a.py::one[y]", "b.py::all"]
    full = dict(zip(nodes, tiers.are_full(nodes, entries), strict=True))
    assert [node for node in nodes if not full[node]] == [
        "a.py::some[0]",
        "a.py::some[3]",
        "a.py::one[y]",
        "b.py::all",
    ]


@pytest.mark.parametrize(
    "line", ["a.py", "a.py::b 1/0", "a.py::b 2/3", "a.py::b 1/", "a.py::b[x] 1/2", "a.py::c"]
)
def test_a_line_that_is_none_is_named(line):
    with pytest.raises(ValueError, match="line 2 of full"):
        tiers.read(f"a.py::c\n{line}\n")


RUN = """
import tiers
tiers.LIMIT = tiers.FIRST = 0.2
tiers.ENOUGH, tiers.MEAN = 3, {mean}
tiers.LIST = tiers.Path(__file__).with_name("full.txt")
pytest_plugins = ["tiers"]
"""
TESTS = """
import time
import pytest

def busy(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

@pytest.fixture(scope="module")
def wide():
    busy(0.4)

def test_cheap(wide):
    pass

def test_dear():
    busy(0.4)

def test_known():
    busy(0.4)

def test_sleeping():
    time.sleep(0.3)

def test_middling():
    busy(0.05)
"""


WORDS = ["1 failed, 4 passed", "takes 0.4 s of CPU time", "name it in tests/full.txt"]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_shares_take_every_full_test_once_and_leave_out_no_other(count):
    full = [True, False, True, True, False, True, True]
    nodes = [f"{file}.py::test_{at}" for at, file in enumerate("aabbccd")]
    left = [tiers.others(nodes, full, f"{number}/{count}") for number in range(1, count + 1)]
    taken = [sum(not out for out in of_test) for of_test in zip(*left, strict=True)]
    assert taken == [1 if is_full else count for is_full in full]
    assert all(out[2] == out[3] for out in left)


@pytest.mark.parametrize(
    ("mean", "asked", "outcome", "words", "processes"),
    [
        (1.0, [], 1, WORDS, "2"),
        (1.0, [], 1, WORDS, "0"),
        (1.0, ["-k", "not dear"], 0, ["4 passed"], "0"),
        (1.0, ["-k", "dear"], 0, ["1 passed"], "2"),
        (1.0, ["-m", tiers.NAMED], 0, ["5 passed"], "0"),
        (0.001, ["--deselect", "test_made.py::test_dear"], 1, ["4 passed", "1 are allowed"], "2"),
    ],
)
def test_a_default_test_that_costs_too_much_fails_and_so_do_all_of_them(
    mean, asked, outcome, words, processes, tmp_path
):
    (tmp_path / "conftest.py").write_text(RUN.format(mean=mean))
    (tmp_path / "test_made.py").write_text(TESTS)
    (tmp_path / "full.txt").write_text("test_made.py::test_known 1/1\n")
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\ntestpaths = .\naddopts = -m '{tiers.DEFAULT}'\nmarkers =\n    full\n    slow\n    crawl\n"
        f"pythonpath = {Path(tiers.__file__).parent}\n"
    )
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", processes, *asked],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == outcome, process.stdout + process.stderr
    for word in words:
        assert word in process.stdout
