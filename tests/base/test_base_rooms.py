"""The first look at the package: its rooms are there by name, and nothing is imported before it is asked for."""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

import benchbook

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


def test_no_modules_import_one_another_in_a_circle():
    graph = grimp.build_graph("benchbook", exclude_type_checking_imports=True, cache_dir=None)
    arrows = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert sum(map(len, arrows.values())) > len(arrows) > 300
    graphlib.TopologicalSorter(arrows).prepare()  # raises with the circle, if there is one


def test_imports_stand_at_the_top_of_a_file():
    """What is left in functions are libraries of extras, those of one system, scikit-learn and charts."""
    inside = {
        (path, inner.lineno)
        for path in PACKAGE.rglob("*.py")
        if re.search(r"^ +(from \S+ )?import ", source := path.read_text(encoding="utf-8"), re.M)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for inner in ast.walk(node)
        if isinstance(inner, (ast.Import, ast.ImportFrom)) and "sklearn" not in ast.unparse(inner)
    }
    assert 0 < len(inside) <= 71


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
