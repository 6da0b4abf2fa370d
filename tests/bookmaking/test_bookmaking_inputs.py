"""The digests that pages and kernels are kept by: each part of them counts."""

import sys

import pytest

from benchbook.bookmaking import inputs


@pytest.fixture
def root(tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").write_text("numpy==2.1.0 \\\n    --hash=sha256:00\n")
    for name in ("BENCHBOOK_ARCHIVE", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(inputs, "_version", lambda name: {"numpy": "2.1.0"}.get(name, "1"))
    return tmp_path


def test_a_digest_is_of_names_contents_order_and_texts(tmp_path):
    for name, text in (("a", "1"), ("b", "2"), ("c", "1")):
        (tmp_path / name).write_text(text)
    a, b, c = (tmp_path / name for name in "abc")
    found = [
        inputs.digest(tmp_path, *arguments)
        for arguments in (
            ([a],),
            ([b],),
            ([c],),
            ([a, b],),
            ([b, a],),
            ([a], "x"),
            ([a], "y"),
            ([a], "x", "y"),
            ([a], "xy"),
        )
    ]
    assert len(set(found)) == len(found)
    (tmp_path / "a").write_text("3")
    assert inputs.digest(tmp_path, [a]) != found[0]


@pytest.mark.parametrize("change", ["library", "version of a library", "Python", "archive"])
def test_conditions_change_with_python_libraries_and_the_archive(root, monkeypatch, change):
    before = inputs.conditions(root)
    assert inputs.conditions(root) == before
    if change == "library":
        (root / "requirements.txt").write_text("polars==1.0.0 \\\n    --hash=sha256:00\n")
    elif change == "version of a library":
        monkeypatch.setattr(inputs, "_version", lambda name: "2.2.0")
    elif change == "Python":
        monkeypatch.setattr(sys, "version", "4.0.0")
    else:
        monkeypatch.setenv("BENCHBOOK_ARCHIVE", "/elsewhere")
    assert inputs.conditions(root) != before


def test_kernels_are_kept_by_the_state_of_every_source(root):
    folder = root / "src" / "benchbook" / "kernels"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("x = 1\n")
    first = inputs.kernel_environment(root)["NUMBA_CACHE_DIR"]
    assert inputs.kernel_environment(root)["NUMBA_CACHE_DIR"] == first
    (folder / "a.py").write_text("x = 2\n")
    second = inputs.kernel_environment(root)["NUMBA_CACHE_DIR"]
    (folder / "b.py").write_text("y = 1\n")
    third = inputs.kernel_environment(root)["NUMBA_CACHE_DIR"]
    assert len({first, second, third}) == 3


def test_directives_show_the_package_the_cards_and_the_run_pages(tmp_path):
    names = ("src/benchbook/a/b.py", "data/registry.toml", "book/runs/runs.toml")
    others = ("src/benchbook/a/b.pyc", "src/other.py", "data/prototasks.toml", "book/a.md")
    for name in (*names, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert inputs.shown_by_directives(tmp_path) == {str(tmp_path / name) for name in names}
