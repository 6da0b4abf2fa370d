"""Methods are found by themselves, by name, and without loading what only some of them need."""

import subprocess
import sys

import numpy as np
import pytest
from refusals import refused

from benchbook import methods
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.methods import registry
from benchbook.predictive import Gaussian

OURS = {"base-1", "lin-1", "knn-cv-1", "mlp-bgd-1", "forest-1", "boosting-1"}


@pytest.fixture
def clean_registry(monkeypatch):
    monkeypatch.setattr(registry, "_by_hand", {})


def forget():
    for selected in (registry._discovered, registry._sources, registry._named):
        selected.cache_clear()


def zero(instance, rng):
    """Zero, give or take one."""
    return Gaussian(np.zeros(len(instance.test_inputs)), np.ones(len(instance.test_inputs)))


def test_our_methods_are_listed_in_order_each_with_a_description_and_kinds():
    names = methods.available()
    assert set(names) >= OURS
    assert list(names) == sorted(names)
    for name in names:
        method = methods.get(name)
        assert isinstance(method, methods.Method)
        assert method.name == name
        assert method.description
        assert method.kinds <= {"real", "class", "outputs"}


def test_listing_and_describing_methods_loads_no_heavy_library():
    code = (
        "import sys; from benchbook import methods\n"
        "print([methods.get(name).description for name in methods.available()])\n"
        "print([name for name in ('numba', 'scipy.stats', 'sklearn', 'altair') if name in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.splitlines()[-1] == "[]"


def test_a_method_of_ours_is_found_and_a_taken_name_refused_by_the_modules_that_have_it_in_quotes_alone(
    clean_registry,
):
    for name, method in registry._discovered().items():
        assert any(item is method for item in registry._quoted(name)), (
            f"the name of {name} is not written as it is"
        )
    code = (
        "import sys; from benchbook import methods; methods.get('lin-1')\n"
        "methods.registry.refuse_taken(methods.method(name='free-1')(lambda instance, rng: None), 'mine.py')\n"
        "print([name for name in sys.modules if name.startswith('benchbook.methods.networks')])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout == "[]\n"
    for name in ("lin-1", "LIN-1"):
        with pytest.raises(
            BenchbookError, match=f"mine.py is called '{name}', and so is a method of this book"
        ):
            registry.refuse_taken(methods.method(name=name)(zero), "mine.py")


def test_unknown_name_gives_the_nearest():
    refused(UnknownName, r"unknown method 'lin1'.*lin-1", methods.get, "lin1")


def test_registering_by_hand(clean_registry):
    mine = methods.method(name="zero-1")(zero)
    assert methods.register(mine) is mine
    assert methods.get("zero-1") is mine
    assert "zero-1" in methods.available()
    assert methods.register(mine) is mine
    with pytest.raises(BenchbookError, match="there is a method 'lin-1' already"):
        methods.register(methods.method(name="lin-1")(zero))


@pytest.mark.parametrize("folder", ["", "family"])
def test_a_file_with_a_method_is_found_without_any_other_entry(tmp_path, monkeypatch, folder):
    files = {f"{folder}/newcomers.py": "newcomer-1", f"{folder or 'any'}/parts/deep.py": "deep-1"}
    for file, name in files.items():
        path = tmp_path / file.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        for inner in {path.parent, path.parent.parent} - {tmp_path, tmp_path.parent}:
            (inner / "__init__.py").touch()
        path.write_text(
            "from benchbook.methods.base import method\n"
            f"@method(name='{name}', kinds={{'real'}})\n"
            "def newcomer(instance, rng):\n    'Nothing yet.'\n"
        )
    monkeypatch.setattr(methods, "__path__", [*methods.__path__, str(tmp_path)])
    forget()
    before = set(sys.modules)
    try:
        assert methods.get("newcomer-1").description == "Nothing yet."
        assert "newcomer-1" in methods.available()
        assert "deep-1" not in methods.available()
    finally:
        for name in set(sys.modules) - before:
            del sys.modules[name]
        forget()


def test_decorator_takes_name_and_description_from_the_function():
    made = methods.method(kinds={"real", "class"})(zero)
    assert (made.name, made.description, made.kinds) == (
        "zero",
        "Zero, give or take one.",
        {"real", "class"},
    )


@pytest.mark.parametrize("name", ["", "a b", "a/b", "-a", "x" * 65, "a:b"])
def test_names_that_cannot_be_archived_are_refused(name):
    refused(FaultyInput, "letters, digits", methods.method(name=name or " "), zero)


@pytest.mark.parametrize("kinds", [(), ("reel",), ("real", "ordinal")])
def test_kinds_that_do_not_exist_are_refused(kinds):
    refused(FaultyInput, "which targets", methods.method(name="a", kinds=kinds), zero)
