"""The first look at the package: its rooms are there by name, and nothing is imported before it is asked for."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import benchbook
from benchbook import sources

PACKAGE = Path(benchbook.__file__).parent


def test_the_rooms_are_listed_and_imported_when_they_are_asked_for():
    code = (
        "import sys, benchbook; rooms = set(dir(benchbook)); assert {'tasks', 'methods', 'losses'} <= rooms;"
        "assert not [name for name in sys.modules if name.startswith('benchbook.')];"
        "assert benchbook.losses.get('S').code == 'S'; assert 'benchbook.losses' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_room_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(AttributeError, match=r"'looses'; it has .*losses"):
        benchbook.looses  # noqa: B018


def test_every_room_named_is_there():
    assert all(getattr(benchbook, name) for name in benchbook._ROOMS)


def imported(node, modules):
    """The modules of the package that code imports, also inside functions, but for what only type checkers read."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.If) and "TYPE_CHECKING" in ast.unparse(inner.test):
            continue
        if isinstance(inner, ast.ImportFrom):
            names = [f"{inner.module}.{alias.name}" for alias in inner.names]
            yield from (name if name in modules else str(inner.module) for name in names)
        elif isinstance(inner, ast.Import):
            yield from (alias.name for alias in inner.names)
        else:
            if isinstance(inner, ast.Attribute):
                yield from sources.later(inner)
            yield from imported(inner, modules)


def graph(texts):
    return {
        name: {
            other for other in imported(ast.parse(text), texts) if other in texts and other != name
        }
        for name, text in texts.items()
    }


def test_no_modules_import_one_another_in_a_circle():
    texts = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path.read_text(encoding="utf-8")
        for path in PACKAGE.rglob("*.py")
    }
    arrows = graph(texts)
    assert sum(map(len, arrows.values())) > len(arrows) > 300
    graphlib.TopologicalSorter(arrows).prepare()  # raises with the circle, if there is one


def test_a_circle_is_found_inside_functions_too():
    texts = {
        "a": "import b",
        "b": "def f():\n    if True:\n        from c import d",
        "c": "import a",
    }
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(graph(texts)).prepare()
    graphlib.TopologicalSorter(graph(texts | {"c": "if TYPE_CHECKING:\n    import a"})).prepare()


def test_imports_stand_at_the_top_of_a_file():
    """What is left in functions are libraries of extras, and those of one system; ``benchbook.later`` has the rest."""
    found = {
        (path, inner.lineno)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for inner in ast.walk(node)
        if isinstance(inner, (ast.Import, ast.ImportFrom))
    }
    assert 0 < len(found) <= 85


def astray(tests, package, others):
    """The folders of tests that mirror no folder of the package, but for those that are about something else."""
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")} - {Path()}
    return sorted(
        folder.as_posix()
        for folder in folders
        if folder.parts[0] not in others
        and not any(
            (package / room).is_dir() or (package / room).with_suffix(".py").is_file()
            for room in (folder, folder.parent)
            if room.parts
        )
    )


def test_the_folders_of_tests_mirror_the_rooms(repository, tmp_path):
    others = {
        "badinput": "of several rooms",
        "base": "the files that all rooms use",
        "benchmarks": "benchmarks/",
        "book": "book/",
        "bootstrap": "src/checkout",
        "planted": "the tests themselves",
        "whole": "a whole study",
    }
    assert set(others) <= {path.name for path in (repository / "tests").iterdir()}
    assert astray(repository / "tests", PACKAGE, others) == []
    for name in (
        "losses",
        "methods/networks/warped",
        "vl_gp",
        "assess/densities",
        "relevance/deep",
    ):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "test_a.py").write_text("")
    assert astray(tmp_path, PACKAGE, others) == ["relevance/deep", "vl_gp"]
