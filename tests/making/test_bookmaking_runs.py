"""Run pages: listed, executed, kept while nothing they depend on changes, and never half written."""

import json
import os
import shutil
import threading
import time
from multiprocessing import forkserver
from pathlib import Path

import nbformat
import pytest

from benchbook.errors import BenchbookError, FaultyInput
from benchbook_book.making import build, exercises, inputs, kernels, manifest, runs

TEMPLATE = """# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---
# %% tags=["parameters"]
# A template.
n = 1  # what is squared
words = [
    "a",
]
slug = ""
# %%
assert n < 10, "n is too large"
print(slug, n * n)
"""
ENTRY = """
[[run]]
slug = "{slug}"
template = "square"
title = "The square of {n}"
shows = "A square."
profile = "{profile}"
needs = "kin-8nm-sim"
parameters = {{ n = {n} }}
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    (tmp_path / "book" / "runs" / "templates").mkdir(parents=True)
    (tmp_path / "src" / "benchbook").mkdir(parents=True)
    (tmp_path / "src" / "benchbook" / "x.py").write_text("x = 1\n")
    (tmp_path / "book" / "runs" / "templates" / "square.py").write_text(TEMPLATE)
    monkeypatch.setattr(inputs, "checkout", lambda: tmp_path)
    write(tmp_path, ("three", 3, "quick"), ("four", 4, "full"))
    return tmp_path


def write(root, *entries):
    text = "".join(ENTRY.format(slug=slug, n=n, profile=profile) for slug, n, profile in entries)
    (root / "book" / "runs" / "runs.toml").write_text(text)


def traced(root, trace):
    """What a kernel writes down that imports a module."""
    trace.parent.mkdir(parents=True, exist_ok=True)
    module = str(root / "src" / "benchbook" / "x.py")
    trace.write_text(json.dumps({"file": [module], "archive": [], "data": ["adult.data"]}))


@pytest.fixture
def counted(monkeypatch):
    """Execute without a kernel, and count."""
    ran = []

    def papermill(root, staged, result, trace):
        ran.append(staged.stem)
        shutil.copy(staged, result)
        traced(root, trace)

    monkeypatch.setattr(runs, "_papermill", papermill)
    return ran


def test_a_page_is_executed_with_its_title_and_parameters(root):
    (page,) = runs.execute("quick")
    notebook = nbformat.read(page, as_version=4)
    assert page == root / "book" / "runs" / "run-three.ipynb"
    assert notebook.metadata["benchbook"]["title"] == "The square of 3"
    assert notebook.cells[-1].outputs[0].text == "three 9\n"
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    values = 'n = 3  # what is squared\nwords = [\n    "a",\n]\nslug = "three"'
    assert cell.source == f"# A template.\n{values}"
    assert "hide-input" in cell.metadata["tags"]
    assert list((root / "book" / "runs").glob(".*")) == []
    assert str(root) not in page.read_text()


def test_a_page_with_other_parameters_is_written_where_one_says_and_nowhere_else(root, tmp_path):
    out = tmp_path / "mine" / "mine.ipynb"
    runs.execute_with("three", [("n", "4"), ("words", "b"), ("words", "c")], out)
    notebook = nbformat.read(out, as_version=4)
    assert notebook.cells[0].source == (
        '# A template.\nn = 4  # what is squared\nwords = ["b", "c"]\nslug = ""'
    )
    assert notebook.cells[-1].outputs[0].text == " 16\n"
    assert list((root / "book" / "runs").glob("run-*")) == []
    with pytest.raises(BenchbookError, match="n is too large"):
        runs.execute_with("three", [("n", "40")], tmp_path / "other.ipynb")
    assert not (tmp_path / "other.ipynb").exists()


def test_all_faulty_parameters_are_named_with_what_there_is(root, tmp_path):
    given = [("m", "4"), ("n", "four"), ("slug", "a"), ("slug", "b")]
    with pytest.raises(FaultyInput) as refused:
        runs.execute_with("three", given, tmp_path / "mine.ipynb")
    assert [fault.where for fault in refused.value.faults] == [
        "parameter 'm'",
        "parameter 'n'",
        "parameter 'slug'",
    ]
    assert "\n  words = ['a']" in str(refused.value)


def test_an_interruption_ends_the_kernels_and_writes_no_page(root):
    began, out = root / "began", root / "mine.ipynb"
    template = root / "book" / "runs" / "templates" / "square.py"
    heedless = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    template.write_text(
        f"{TEMPLATE}\nimport pathlib, signal, time\n{heedless}\n"
        f"pathlib.Path({str(began)!r}).touch()\ntime.sleep(600)\n"
    )

    def interrupted() -> None:
        with kernels.workers(1) as pool:
            pages.append(pool.submit(runs.execute_with, "three", [], out))
            while not began.exists() and not pages[0].done():
                time.sleep(0.02)
            raise KeyboardInterrupt

    pages: list = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert began.exists()
    with pytest.raises(RuntimeError, match="Kernel died"):
        pages[0].result()
    assert not out.exists()


def test_a_page_that_fails_says_where_and_leaves_no_page(root):
    write(root, ("large", 99, "quick"), ("three", 3, "quick"))
    with pytest.raises(
        BenchbookError, match=r"run page large failed in cell \d+: AssertionError: n is too large"
    ):
        runs.execute("quick")
    assert [page.name for page in (root / "book" / "runs").glob("run-*")] == ["run-three.ipynb"]
    assert (root / "_build" / "papermill" / "large.out.ipynb").is_file()


def test_pages_are_executed_in_the_checkout_while_the_process_stays_where_it_is(
    root, tmp_path_factory, monkeypatch
):
    here = tmp_path_factory.mktemp("here")
    write(
        root, *((f"page{n}", n, "quick") for n in range(3))
    )  # enough to have their kernels forked
    monkeypatch.chdir(here)
    (root / "book" / "runs" / "templates" / "square.py").write_text(
        TEMPLATE.replace(
            "print(slug, n * n)", "import os, time; time.sleep(0.5); print(os.getcwd())"
        )
    )
    others, moves, chdir = {thread.ident for thread in threading.enumerate()}, [], os.chdir
    others.discard(threading.get_ident())

    def moved(folder) -> None:
        if (
            threading.get_ident() not in others
        ):  # what an earlier test has left under way is none of our business
            moves.append(folder)
        chdir(folder)

    monkeypatch.setattr(os, "chdir", moved)
    pages = runs.execute("full")
    assert moves == []
    assert Path.cwd() == here
    for page in pages:
        assert nbformat.read(page, as_version=4).cells[-1].outputs[0].text == f"{root}\n"


LINGERING = """
import time
handlers = get_ipython().kernel.shell_handlers
answer = handlers["kernel_info_request"]
async def linger(*asked):
    await answer(*asked)
    time.sleep(0.5)
handlers["kernel_info_request"] = linger
"""


def test_a_kernel_that_is_still_answering_ends_without_a_word(root, capfd):
    template = root / "book" / "runs" / "templates" / "square.py"
    template.write_text(TEMPLATE + LINGERING)
    forkserver._forkserver._stop()  # kernels write where it has been started
    runs.execute("quick")
    assert "ERROR" not in capfd.readouterr().err
    template.write_text(
        TEMPLATE + LINGERING.replace("time.sleep(0.5)", "raise ValueError('a real one')")
    )
    runs.execute("quick")
    assert "a real one" in capfd.readouterr().err


def test_the_profiles_are_nested(root, counted):
    assert [page.name for page in runs.execute("quick")] == ["run-three.ipynb"]
    assert [page.name for page in runs.execute("full")] == ["run-three.ipynb", "run-four.ipynb"]
    assert counted == ["three", "four"]


def test_a_page_is_kept_until_something_it_depends_on_changes(root, counted):
    runs.execute("quick")
    runs.execute("quick")
    assert counted == ["three"]
    (root / "src" / "benchbook" / "x.py").write_text("x = 2\n")
    runs.execute("quick")
    (root / "book" / "runs" / "templates" / "square.py").write_text(
        TEMPLATE.replace("n * n", "n * n * n")
    )
    runs.execute("quick")
    write(root, ("three", 5, "quick"))
    runs.execute("quick")
    assert counted == ["three"] * 4
    runs.execute("quick", force=True)
    runs.execute("quick")
    assert counted == ["three"] * 5


def test_data_that_comes_to_hand_makes_pages_due_that_looked_for_it(root, counted, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_DATA", str(root / "published"))
    (root / "published").mkdir()
    runs.execute("quick")
    (root / "published" / "other.data").write_text("")
    runs.execute("quick")
    assert counted == ["three"]
    (root / "published" / "adult.data").write_text("")
    runs.execute("quick")
    assert counted == ["three", "three"]


def test_a_page_whose_record_was_lost_is_made_again(root, counted):
    runs.execute("quick")
    runs._record(root, runs.manifest(root / "book" / "runs" / "runs.toml")[0]).unlink()
    runs.execute("quick")
    assert counted == ["three", "three"]


def test_a_page_that_was_put_in_place_of_another_is_made_again(root, counted):
    pages = runs.execute("full")
    shutil.copy(pages[1], pages[0])
    runs.execute("full")
    assert sorted(counted) == ["four", "three", "three"]


def test_it_is_told_why_a_page_is_executed(root, counted, capsys):
    runs.execute("quick")
    assert "it is new" in capsys.readouterr().err
    (root / "src" / "benchbook" / "x.py").write_text("x = 2\n")
    runs.execute("quick")
    assert "src/benchbook/x.py has changed" in capsys.readouterr().err


def test_runs_that_a_page_shows_make_it_due(root, counted, monkeypatch):
    state = ["before"]
    monkeypatch.setattr(runs, "_state", lambda run: state[0])
    runs.execute("quick")
    state[0] = "after"
    runs.execute("quick")
    runs.execute("quick")
    assert counted == ["three", "three"]


def test_a_page_that_is_damaged_is_made_again(root, counted):
    (page,) = runs.execute("quick")
    page.write_text(page.read_text()[:-20])
    runs.execute("quick")
    assert counted == ["three", "three"]


def test_pages_of_the_other_profile_stay_while_they_are_current(root, counted):
    runs.execute("full")
    runs.execute("quick")
    assert (root / "book" / "runs" / "run-four.ipynb").is_file()
    (root / "src" / "benchbook" / "x.py").write_text("x = 3\n")
    runs.execute("quick")
    assert not (root / "book" / "runs" / "run-four.ipynb").exists()


def test_pages_that_left_the_manifest_are_removed(root, counted):
    runs.execute("full")
    write(root, ("four", 4, "quick"))
    runs.execute("quick")
    assert [page.name for page in (root / "book" / "runs").glob("run-*")] == ["run-four.ipynb"]


def test_pages_can_be_asked_for_in_any_order(root, counted):
    assert [page.stem for page in runs.execute("quick", only=["four", "three", "four"])] == [
        "run-four",
        "run-three",
    ]
    assert sorted(counted) == ["four", "three"]
    with pytest.raises(BenchbookError, match="a profile is quick or full, not 'slow'"):
        runs.execute("slow")


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("fuor", "Nearest: four, four7, four6. "),  # three names at most
        ("thxxe", "Nearest: three. "),  # three of five letters in their order
        ("xyz", ""),
    ],
)
def test_a_page_that_is_none_is_refused_with_the_nearest(asked, nearest):
    named = dict.fromkeys(["three", "four7", "four6", "four5", "four"])
    with pytest.raises(BenchbookError) as refused:
        runs._chosen(named, "quick", [asked])
    assert str(refused.value) == (
        f"no run page is called {asked!r}. {nearest}`benchbook book list` names them all."
    )


@pytest.mark.parametrize(
    "said", ["Kernel didn't respond in 30 seconds", "Kernel died before replying to kernel_info"]
)
def test_a_kernel_that_does_not_start_is_tried_again(root, monkeypatch, said):
    tried = []

    def papermill(root, staged, result, trace):
        tried.append(staged.stem)
        if len(tried) < 3:
            raise RuntimeError(said)
        shutil.copy(staged, result)
        traced(root, trace)

    monkeypatch.setattr(runs, "_papermill", papermill)
    runs.execute("quick")
    assert tried == ["three"] * 3


def test_an_interruption_begins_no_further_page(root, monkeypatch):
    tried = []

    def papermill(root, staged, result, trace):
        tried.append(staged.stem)
        if len(tried) == 1:
            raise KeyboardInterrupt
        time.sleep(1)  # pages under way take a while, as real ones do
        shutil.copy(staged, result)
        traced(root, trace)

    write(root, *((f"page{n}", n, "quick") for n in range(8)))
    monkeypatch.setattr(runs, "_papermill", papermill)
    with pytest.raises(KeyboardInterrupt):
        runs.execute("quick")
    assert len(tried) < 8


def test_the_environment_is_given_back(root, counted, monkeypatch):
    import os

    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    before = dict(os.environ)
    runs.execute("quick")
    assert dict(os.environ) == before


def test_all_faults_of_a_manifest_are_told_together(tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "square.py").write_text(TEMPLATE)
    path = tmp_path / "runs.toml"
    first = ENTRY.format(slug="a", n=1, profile="slow") + 'colour = "red"\n'
    second = ENTRY.format(slug="a", n=1, profile="quick").replace('shows = "A square."\n', "")
    path.write_text(first + second.replace("square", "circle"))
    with pytest.raises(FaultyInput) as error:
        manifest.read(path)
    told = str(error.value)
    for part in ("profile 'slow'", "'colour'", "twice", "template 'circle'", "no 'shows'"):
        assert part in told
    assert len(error.value.faults) == 5


def test_a_manifest_that_is_not_toml_is_named(tmp_path):
    (tmp_path / "runs.toml").write_text("[[run]\n")
    with pytest.raises(
        BenchbookError, match=r"manifest of run pages .*runs\.toml cannot be read as TOML"
    ):
        manifest.read(tmp_path / "runs.toml")


def test_the_manifest_of_the_book_is_whole():
    from benchbook import methods, tasks
    from benchbook.assess.densities import QUESTIONS
    from benchbook_book.pages.simulations.robot_arm import SETS

    entries = manifest.read(Path(__file__).resolve().parents[2] / "book" / "runs" / "runs.toml")
    assert any(run.profile == "quick" and run.needs.endswith("-sim") for run in entries)
    for run in entries:
        if run.template == "problem":
            prototask = tasks.get(f"{run.needs}/partition/a").prototask
            assert run.needs.removeprefix("proben1-") == f"{run.parameters['problem']}1"
        elif run.template == "folds":
            prototask = tasks.get(run.parameters["task"]).prototask
            assert run.parameters["ask"] in QUESTIONS
        elif run.template == "robot_arm":
            assert (run.parameters["data"] in SETS, run.needs) == (True, "robotarm")
            continue
        else:
            prototask = tasks.prototask(run.parameters["prototask"])
        assert prototask.dataset == run.needs
        assert all(prototask.kind in methods.get(name).kinds for name in run.parameters["methods"])
        assert json.dumps(run.describe())


@pytest.mark.parametrize(
    "command", [runs.execute, build.build, lambda: exercises.write(Path("class"))]
)
def test_tools_that_are_not_installed_are_named_before_anything_is_done(root, monkeypatch, command):
    monkeypatch.setattr(inputs, "_TOOLS", ("no_such_tool", "nbformat", "nor_this_one"))
    monkeypatch.setattr(exercises, "checkout", lambda: root)
    before = sorted(root.rglob("*"))
    with pytest.raises(
        BenchbookError,
        match=r"with no_such_tool and nor_this_one, not installed here .*`make book`",
    ):
        command()
    assert sorted(root.rglob("*")) == before
    assert not Path("class").exists()


def test_a_notebook_of_ones_own_is_made_while_another_process_makes_pages(root, tmp_path):
    with inputs.alone(root / "_build" / "papermill", "a build of the book"):
        runs.execute_with("three", [], tmp_path / "mine.ipynb")
    assert (tmp_path / "mine.ipynb").is_file()
