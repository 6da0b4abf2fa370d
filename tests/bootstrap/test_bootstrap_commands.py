"""The commands: what each runs, what it returns, and what ``clean`` leaves alone."""

import json
import re
import sys
import tomllib

import pytest

from checkout import commands, environment, places
from checkout.trouble import DISK, Trouble


@pytest.fixture
def called(monkeypatch):
    """The commands that were run, instead of running them; each ends with code 7."""
    made = []
    monkeypatch.setattr(environment, "make", lambda *added: made.append(("make", *added)))
    monkeypatch.setattr(
        commands, "call", lambda *parts: made.append(tuple(map(str, parts[1:]))) or 7
    )
    monkeypatch.setattr(places, "prune_kernel_caches", lambda: None)
    return made


def test_the_book_is_built_with_the_profile_asked_for(called):
    assert commands.main(["book"]) == 7
    assert commands.main(["book", "--profile", "full"]) == 7
    assert called == [
        ("make",),
        ("-m", "benchbook", "book", "build", "--profile", "quick"),
        ("make",),
        ("-m", "benchbook", "book", "build", "--profile", "full"),
    ]


def test_what_follows_test_is_handed_to_pytest(called):
    assert commands.main(["test", "-k", "name", "--help"]) == 7
    assert called[0] == ("make", "tools")
    assert called[1][:3] == ("-m", "pytest", "-n")
    assert called[1][-3:] == ("-k", "name", "--help")


def test_the_tests_of_one_package_leave_out_those_of_the_other(called, repository):
    folders = {path.name for path in (repository / "tests").iterdir() if path.is_dir()}
    left_out = []
    for word in ("instrument", "book"):
        assert commands.main(["test", word, "-k", "book"]) == 7
        assert called[-1][-2:] == ("-k", "book")
        names = [part for part in called[-1] if part.startswith("--ignore=")]
        left_out.append({name.removeprefix("--ignore=tests/") for name in names})
    instrument, book = left_out
    assert instrument | book == folders
    assert not instrument & book
    assert {"form", "pages", "bootstrap"} <= instrument
    assert {"losses", "cli", "comparison"} <= book


def test_more_tests_are_run_on_request_and_never_those_of_the_built_book(called):
    assert commands.main(["test-full", "-k", "name"]) == 7
    assert called[1][-4:] == ("-m", "not crawl and not slow", "-k", "name")
    assert commands.main(["test-all", "-k", "name"]) == 7
    assert called[3][-6:] == ("-m", "not crawl", "--timeout", "3600", "-k", "name")


def test_there_are_as_many_workers_as_cores_and_eight_at_most(monkeypatch):
    for cores, expected in ((1, 1), (2, 2), (64, 8)):
        monkeypatch.setattr(commands.os, "sched_getaffinity", lambda _, n=cores: set(range(n)))
        assert commands.workers() == expected


def test_types_are_checked_even_when_the_style_is_at_fault(called):
    assert commands.main(["lint"]) == 7
    style = [
        ("-m", "ruff", "check", "."),
        ("-m", "ruff", "format", "--check", "."),
        ("-c", commands.IMPORTS, "--no-cache"),
    ]
    assert called == [("make", "tools"), *style, ("make", "tools"), ("-m", "mypy")]
    called.clear()
    assert (commands.main(["style"]), commands.main(["types"])) == (7, 7)
    assert called == [("make", "tools"), *style, ("make", "tools"), ("-m", "mypy")]


def test_one_check_of_types_is_of_the_package_and_of_all_that_lies_beside_chapters(repository):
    settings = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf8"))["tool"][
        "mypy"
    ]
    checked = {path for pattern in settings["files"] for path in repository.glob(pattern)}
    helpers = set(repository.glob("book/*/_*.py"))
    assert {repository / "src" / "benchbook", repository / "src" / "checkout"} | helpers <= checked
    names = [helper.name for helper in helpers]
    assert sorted(set(names)) == sorted(names), (
        "one name for two helpers: the check of types takes one of them only"
    )


def test_a_chapter_is_opened_as_a_notebook(called, pretended, capsys):
    (pretended.root / "book" / "delve").mkdir(parents=True)
    (pretended.root / "book" / "delve" / "a chapter.md").touch()
    assert commands.main(["lab", "book/delve/a chapter.md", "--no-browser"]) == 7
    (settings,) = places.VENV.rglob("overrides.json")
    assert json.loads(settings.read_text())["@jupyterlab/docmanager-extension:plugin"][
        "defaultViewers"
    ]["myst"] == ("Jupytext Notebook")
    assert called[0] == ("make", "lab")
    assert called[1][:2] == ("-m", "jupyterlab")
    assert {"--LabApp.default_url=/lab/tree/book/delve/a%20chapter.md", "--no-browser"} <= set(
        called[1]
    )
    assert commands.main(["lab", "book/delve/another.md"]) == 1
    assert "book/delve/another.md" in capsys.readouterr().err


def test_any_command_can_be_run_and_an_unknown_one_is_named(called, capsys):
    assert commands.main(["run", "--", "python3", "-V"]) == 7
    assert called == [("make",), ("-V",)]
    assert commands.main(["run", "no-such-command"]) == 1
    assert "no-such-command" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["bok"], ["book", "--profile", "huge"], ["book", "extra"]]
)
def test_a_wrong_command_line_ends_with_two(arguments, called):
    with pytest.raises(SystemExit) as ended:
        commands.main(arguments)
    assert ended.value.code == 2
    assert called == []


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (Trouble("what to do"), 1, "what to do"),
        (OSError(28, "No space left on device"), 1, DISK),
        (KeyboardInterrupt(), 130, "run the same command again"),
    ],
)
def test_failures_end_with_a_message_and_a_code(called, monkeypatch, capsys, error, code, words):
    def fail(*added):
        raise error

    monkeypatch.setattr(environment, "make", fail)
    assert commands.main(["book"]) == code
    assert words in capsys.readouterr().err


def test_an_error_of_our_own_is_not_hidden(called, monkeypatch):
    def fail(*added):
        raise FileNotFoundError(2, "No such file")

    monkeypatch.setattr(environment, "make", fail)
    with pytest.raises(FileNotFoundError):
        commands.main(["book"])


def test_clean_keeps_the_runs_of_the_user(pretended, capsys):
    pretended.make()
    for name in (
        "_build/runs/mine.parquet",
        "_build/html/index.html",
        ".mypy_cache/x",
        "book/runs/kin/run-a.ipynb",
        "book/runs/template.md",
    ):
        path = pretended.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert commands.main(["clean"]) == 0
    left = {
        path.relative_to(pretended.root).as_posix()
        for path in pretended.root.rglob("*")
        if path.is_file()
    }
    assert left == {
        "_build/runs/mine.parquet",
        "book/runs/template.md",
        "pyproject.toml",
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-lab.txt",
        "requirements-slides.txt",
        "src/benchbook/version.py",
    }
    assert "Kept:" in capsys.readouterr().out
    assert commands.main(["clean"]) == 0


@pytest.mark.parametrize("name", [".venv", "_build", "_build/html", ".mypy_cache"])
def test_clean_removes_links_and_not_what_they_lead_to(pretended, name):
    elsewhere = pretended.root.parent / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    link = pretended.root / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere, target_is_directory=True)
    assert commands.main(["clean"]) == 0
    assert not link.is_symlink()
    assert (elsewhere / "deep").is_dir()


def test_a_command_runs_in_the_checkout_and_its_exit_code_is_returned(pretended):
    program = "import os, sys; sys.exit(5 if os.getcwd().endswith('a clone with spaces') else 6)"
    assert commands.call(sys.executable, "-c", program) == 5


def test_every_target_of_make_is_one_line_around_a_command_that_exists():
    makefile = (places.ROOT / "Makefile").read_text(encoding="utf8")
    targets = re.findall(r"^([\w-]+): ## .+\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert [name for name, _ in targets] == [
        "help",
        "book",
        "test",
        "test-full",
        "test-all",
        "lint",
        "bench",
        "lab",
        "slides",
        "pdf",
        "clean",
    ]
    for name, recipe in targets[1:]:
        assert recipe.count("\n") == 1
        assert recipe.startswith(f"\t@$(BOOTSTRAP) {name}")
        assert name in commands.COMMANDS
