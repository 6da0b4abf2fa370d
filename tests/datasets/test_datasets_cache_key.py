"""The files that a module is made of are found by its imports."""

import pytest

from benchbook.datasets.families import kept


@pytest.fixture
def package(tmp_path, monkeypatch):
    texts = {
        "__init__.py": "import benchbook.never",
        "a.py": "import numpy\nfrom benchbook import b\n",
        "b.py": "def late():\n    from benchbook.inner.c import thing\n",
        "never.py": "",
        "inner/__init__.py": "from benchbook.d import shown\n",
        "inner/c.py": "thing = 1\n",
        "d.py": "import benchbook.a\nshown = 1\n",
        "e.py": "from benchbook.inner import shown\n",
        "f.py": "from benchbook import kernels\nkernels.g.run(kernels.missing)\n",
        "kernels/__init__.py": "",
        "kernels/g.py": "run = 1\n",
    }
    root = tmp_path / "benchbook"
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(kept, "_PACKAGE", root)
    kept.digest.cache_clear()
    yield root
    kept.digest.cache_clear()


def names(package, *modules, without=()):
    return [path.relative_to(package).as_posix() for path in kept.closure(modules, without)]


def test_imports_are_followed_inside_functions_and_in_circles(package):
    assert names(package, "benchbook.a") == ["a.py", "b.py", "inner/c.py"]
    assert names(package, "benchbook.e") == [
        "a.py",
        "b.py",
        "d.py",
        "e.py",
        "inner/__init__.py",
        "inner/c.py",
    ]
    assert names(package, "benchbook.d", "numpy") == ["a.py", "b.py", "d.py", "inner/c.py"]


def test_kernels_that_are_imported_when_they_are_used_are_followed(package):
    assert names(package, "benchbook.f") == [
        "f.py",
        "kernels/__init__.py",
        "kernels/g.py",
    ]


def test_what_is_left_out_is_not_followed(package):
    assert names(package, "benchbook.e", without=("benchbook.inner",)) == ["e.py"]
    assert names(package, "benchbook.e", without=("benchbook.in",)) == names(package, "benchbook.e")


@pytest.mark.parametrize(
    ("name", "same"), [("b.py", False), ("inner/c.py", False), ("d.py", True), ("new.py", True)]
)
def test_the_digest_changes_with_the_files_and_with_no_other(package, name, same):
    before = kept.digest(("benchbook.a",))
    with (package / name).open("a") as file:
        file.write("# more\n")
    kept.digest.cache_clear()
    assert (kept.digest(("benchbook.a",)) == before) == same
