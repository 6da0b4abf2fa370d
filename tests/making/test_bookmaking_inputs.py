"""The digests that pages and kernels are kept by: each part of them counts."""

import os
import sys

import pytest

from benchbook_book.making import inputs


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


def test_kernels_have_folders_of_their_own_unless_the_user_says_otherwise(root, monkeypatch):
    """What else is on the user's path stays there, after the package; threads are one unless more are asked for."""
    source = str(root / "src")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", source, "/mine", source, "/yours"]))
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    for runs, wanted in (("", str(root / "_build" / "runs")), ("/own", "/own")):
        monkeypatch.setenv("BENCHBOOK_RUNS", runs)
        given = inputs.kernel_environment(root)
        assert given["BENCHBOOK_RUNS"] == wanted
    assert given["PYTHONPATH"].split(os.pathsep) == [source, "/mine", "/yours"]
    assert (given["OMP_NUM_THREADS"], given["OPENBLAS_NUM_THREADS"]) == ("2", "1")
    assert (given["BENCHBOOK_OFFLINE"], given["PYTHONHASHSEED"]) == ("1", "0")


def test_the_users_variables_come_back_after_the_work(root, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_OFFLINE", "0")
    monkeypatch.delenv("IPYTHONDIR", raising=False)
    before = dict(os.environ)

    def work():
        with inputs.environment(root):
            assert os.environ["BENCHBOOK_OFFLINE"] == "1"
            assert os.environ["IPYTHONDIR"] == str(root / "_build" / "ipython")
            os.environ["OF_THE_WORK"] = "x"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert dict(os.environ) == before


@pytest.mark.parametrize(("cores", "pages"), [(1, 1), (3, 3), (8, 8), (9, 8)])
def test_as_many_pages_are_worked_on_as_there_are_cores_but_eight_at_most(
    monkeypatch, cores, pages
):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(cores), raising=False)
    assert (inputs.workers(), inputs.kernels()) == (pages, pages + 1)


def test_directives_show_the_package_the_cards_and_the_run_pages(tmp_path):
    names = ("src/benchbook/a/b.py", "data/registry.toml", "book/runs/runs.toml")
    others = ("src/benchbook/a/b.pyc", "src/other.py", "data/prototasks.toml", "book/a.md")
    for name in (*names, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert inputs.shown_by_directives(tmp_path) == {str(tmp_path / name) for name in names}
