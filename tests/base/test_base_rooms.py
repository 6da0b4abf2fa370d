"""The first look at the package: its rooms are there by name, and nothing is imported before it is asked for."""

import ast
import graphlib
import importlib
import re
import subprocess
import sys
from pathlib import Path

import grimp
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import benchbook

PACKAGE = Path(benchbook.__file__).parent
PACKAGES = ("benchbook", "benchbook_book")


def test_the_rooms_are_listed_and_imported_when_they_are_asked_for():
    code = (
        "import sys, benchbook; rooms = set(dir(benchbook)); assert {'tasks', 'methods', 'losses'} <= rooms;"
        "assert {name for name in sys.modules if name.startswith('benchbook.')} == {'benchbook.version'};"
        "assert benchbook.losses.get('S').code == 'S'; assert 'benchbook.losses' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_room_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(AttributeError, match=r"'looses'; it has .*losses"):
        benchbook.looses  # noqa: B018


def test_every_room_named_is_there():
    assert all(getattr(benchbook, name) for name in benchbook._ROOMS)


def test_no_modules_import_one_another_in_a_circle():
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    arrows = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert sum(map(len, arrows.values())) > len(arrows) > 300
    graphlib.TopologicalSorter(arrows).prepare()  # raises with the circle, if there is one


def test_no_circle_of_imports_has_more_than_two_files():
    """Those for type checkers alone are counted; all others make no circle at all."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)
    names = sorted(graph.modules)
    arrows = np.zeros((len(names), len(names)), dtype=bool)
    for at, name in enumerate(names):
        targets = graph.find_modules_directly_imported_by(name)
        arrows[at, np.searchsorted(names, sorted(targets))] = True
    assert arrows.sum() > len(names) > 500
    _, circle = connected_components(arrows, connection="strong")
    sizes = np.bincount(circle)
    assert [name for name, of in zip(names, circle, strict=True) if sizes[of] > 2] == []


def test_a_comparison_loads_no_more_than_it_uses():
    """A plain one on arrays needs no archive, no studies and no tasks that are declared."""
    code = (
        "import sys, benchbook; from sklearn.linear_model import LinearRegression, Ridge\n"
        "X = [[float(row), row % 7.0] for row in range(60)]\n"
        "models = {'ols': LinearRegression(), 'ridge': Ridge()}\n"
        "benchbook.compare(models, X, [row % 7.0 + row % 3 for row in range(60)], effort='quick')\n"
        "print(*(name for name in sys.modules if name.partition('.')[0] in ('benchbook', 'benchbook_book')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "benchbook.comparison.fits" in loaded
    assert len(loaded) <= 168
    assert not {"benchbook_book", "benchbook.studies", "benchbook.archive"} & loaded


def test_names_of_a_room_are_imported_when_they_are_asked_for():
    code = (
        "import sys; from benchbook import assess; assert 'benchbook.assess.power' not in sys.modules\n"
        "assert {'holm', 'power'} <= set(dir(assess)); import benchbook.assess.power\n"
        "assert callable(assess.power), 'a function, and not the module of its name'\n"
        "assert assess.holm is assess.multiplicity.holm and not hasattr(assess, 'nothing')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_that_a_room_imports_on_demand_is_there_and_public():
    paths = PACKAGE.rglob("__init__.py")
    lazy = [path for path in paths if "import_on_demand(" in path.read_text(encoding="utf8")]
    assert len(lazy) > 10
    for path in lazy:
        name = ".".join(path.parent.relative_to(PACKAGE.parent).parts)
        room = importlib.import_module(name)
        assert set(room._homes) == set(room.__all__), name
        assert all(getattr(room, each) is not None for each in room.__all__), name


def test_imports_stand_at_the_top_of_a_file():
    """What is left in functions are libraries of extras, those of one system, scikit-learn and charts."""
    inside = {
        (path, inner.lineno)
        for package in PACKAGES
        for path in (PACKAGE.parent / package).rglob("*.py")
        if re.search(r"^ +(from \S+ )?import ", source := path.read_text(encoding="utf-8"), re.M)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for inner in ast.walk(node)
        if isinstance(inner, (ast.Import, ast.ImportFrom)) and "sklearn" not in ast.unparse(inner)
    }
    assert 0 < len(inside) <= 86


def astray(tests, packages, others):
    """The folders of tests that mirror no folder of the packages, but for those that are about something else."""
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")} - {Path()}
    return sorted(
        folder.as_posix()
        for folder in folders
        if folder.parts[0] not in others
        and not any(
            (package / room).is_dir() or (package / room).with_suffix(".py").is_file()
            for package in packages
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
    assert astray(repository / "tests", [PACKAGE.parent / name for name in PACKAGES], others) == []
    for name in (
        "losses",
        "methods/networks/warped",
        "vl_gp",
        "assess/densities",
        "relevance/deep",
    ):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "test_a.py").write_text("")
    assert astray(tmp_path, [PACKAGE], others) == ["relevance/deep", "vl_gp"]
