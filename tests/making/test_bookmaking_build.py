"""The book is rendered when something changed, and only then."""

from contextlib import nullcontext
from unittest.mock import MagicMock

import pytest

from benchbook.errors import BenchbookError
from benchbook_book.making import build, inputs, runs


@pytest.fixture
def root(tmp_path, monkeypatch):
    for name, text in {
        "_config.yml": "title: x\n",
        "_toc.yml": "root: book/index\n",
        "book/index.md": "# X\n",
        "src/benchbook/x.py": "x = 1\n",
        "data/registry.toml": "",
        "requirements.txt": "a==1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("BENCHBOOK_OFFLINE", "1")
    monkeypatch.setattr(inputs, "checkout", lambda: tmp_path)
    monkeypatch.setattr(runs, "execute", lambda profile: [])
    return tmp_path


@pytest.fixture
def rendered(monkeypatch):
    """Execute no chapter, render without Sphinx, and count."""
    times = []

    def render(root, strict, sphinx):
        times.append(strict)
        (root / "_build" / "html").mkdir(parents=True, exist_ok=True)
        (root / "_build" / "html" / "index.html").write_text("<html>")

    monkeypatch.setattr(build, "_SPHINX", ["-c", "pass"])
    monkeypatch.setattr(build.execution, "execute", lambda root: None)
    monkeypatch.setattr(build, "_render", render)
    return times


def test_an_unchanged_book_is_left_alone(root, rendered, capsys):
    assert build.build() == root / "_build" / "html" / "index.html"
    build.build()
    assert rendered == [True]
    assert "up to date" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name",
    [
        "_config.yml",
        "_toc.yml",
        "book/index.md",
        "book/new.css",
        "src/benchbook/x.py",
        "data/archive/y.parquet",
        "requirements.txt",
        "book/runs/run-a.ipynb",
    ],
)
def test_any_change_of_an_input_renders_it_again(root, rendered, name):
    build.build()
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("changed\n")
    build.build()
    build.build()
    assert rendered == [True, True]


def test_what_tools_leave_behind_changes_nothing(root, rendered):
    build.build()
    for name in (
        "src/benchbook/__pycache__/x.pyc",
        "book/.ipynb_checkpoints/index.md",
        "book/runs/.run-a.ipynb.part",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    build.build()
    assert rendered == [True]


def test_data_is_brought_once_and_what_is_still_absent_is_counted(
    root, rendered, monkeypatch, capsys
):
    held, brought = [], []

    def bring(cards):
        brought.extend(card.name for card in cards)
        held.append("adult")
        return ["no network"]

    monkeypatch.setattr(build.datasets, "published", lambda: ("abalone", "adult", "uci-glass"))
    monkeypatch.setattr(build.datasets, "at_hand", held.__contains__)
    monkeypatch.setattr(build.lookup, "bring", bring)
    inputs.at_hand.cache_clear()
    assert inputs.at_hand() == ()
    build.build()
    told = capsys.readouterr()
    assert brought == ["abalone", "adult", "uci-glass"]
    assert "\n2 published data sets not available: their pages say how to get them.\n" in told.out
    assert told.err == "No more data could be downloaded: no network\n"
    held += ["abalone", "uci-glass"]
    build.build()
    assert "not available" not in capsys.readouterr().out
    assert rendered == [True, True]
    inputs.at_hand.cache_clear()


def test_a_lenient_build_does_not_pass_for_a_strict_one(root, rendered):
    build.build(strict=False)
    build.build(strict=False)
    build.build(strict=True)
    build.build(strict=False)
    assert rendered == [False, True]


def test_a_build_that_failed_is_tried_again(root, rendered, monkeypatch):
    def fail(root, strict, sphinx):
        raise BenchbookError("no")

    build.build()
    whole = build._render
    (root / "book" / "index.md").write_text("# Y\n")
    monkeypatch.setattr(build, "_render", fail)
    with pytest.raises(BenchbookError):
        build.build()
    (root / "book" / "index.md").write_text("# X\n")
    monkeypatch.setattr(build, "_render", whole)
    build.build()
    assert rendered == [True, True]


def test_two_builds_at_once_do_not_mix(root, rendered):
    with (
        inputs.alone(root / "_build", "building the book"),
        pytest.raises(BenchbookError, match="another process"),
    ):
        build.build()
    assert rendered == []
    build.build()
    assert rendered == [True]


def test_a_folder_that_cannot_be_written_is_named(root, rendered):
    (root / "_build").write_text("a file where a folder should be")
    with pytest.raises(BenchbookError, match=r"cannot write below .*_build"):
        build.build()


def test_a_book_whose_pages_are_gone_is_rendered_again(root, rendered):
    build.build().unlink()
    build.build()
    assert rendered == [True, True]


def test_the_state_does_not_depend_on_where_the_checkout_lies(root, tmp_path_factory):
    import shutil

    other = tmp_path_factory.mktemp("other") / "a path with spaces"
    shutil.copytree(root, other)
    assert build.digest_of_book(root) == build.digest_of_book(other)


def test_what_sphinx_says_is_told_without_colours(root, monkeypatch, capsys):
    (root / "_build").mkdir()
    monkeypatch.setattr(
        build,
        "_SPHINX",
        [
            "-c",
            (
                "print('reading sources... [ 50%] book/index');"
                f"print('\\x1b[91m{root}/book/index.md:3: WARNING: bad link\\x1b[0m');"
                "print('reading sources... [100%] book/last'); raise SystemExit(1)"
            ),
        ],
    )
    with (
        build._sphinx(root) as sphinx,
        pytest.raises(BenchbookError, match=r"1 warnings, listed above"),
    ):
        build._render(root, True, sphinx)
    assert capsys.readouterr().err.strip() == "book/index.md:3: WARNING: bad link"
    assert "\x1b" not in (root / "_build" / "book.log").read_text()


def test_the_bar_goes_to_100_while_pages_are_read_and_to_200_while_they_are_written(monkeypatch):
    progress = MagicMock()
    progress.__enter__.return_value = progress
    monkeypatch.setattr(build, "bar", began := MagicMock(return_value=progress))
    said = ["reading sources... [ 40%] book/a", "no more", "writing output... [ 5%] book/b c"]
    places = []
    for line in build._shown(iter(said)):
        assert line == said[len(places)]
        places.append(progress.n)
    assert places == [40, 40, 105]
    began.assert_called_once_with(total=200, label="book", unit="%")
    assert [call.args[0] for call in progress.set_postfix_str.call_args_list] == [
        "reading book/a",
        "writing book/b c",
    ]


@pytest.mark.parametrize(
    ("code", "page", "whole", "fails"),
    [
        (0, True, True, False),
        (1, True, True, True),
        (2, True, False, True),
        (0, False, False, True),
    ],
)
def test_a_book_is_whole_with_its_first_page_also_after_warnings(
    root, monkeypatch, code, page, whole, fails
):
    warned, ended = f"{root}/book/index.md:3: WARNING: bad link", []
    (root / "_build" / "html").mkdir(parents=True)
    if page:
        (root / "_build" / "html" / "index.html").touch()
    monkeypatch.setattr(build.rendering, "begin", lambda root: "everything")
    monkeypatch.setattr(build.rendering, "end", lambda *given: ended.append(given))

    def said(*given):
        assert given == (root, "everything", "strict", "sphinx")
        return ["", warned, warned, "plain"], code

    monkeypatch.setattr(build, "_sphinx_output", said)
    with pytest.raises(BenchbookError) if fails else nullcontext():
        build._render(root, "strict", "sphinx")
    assert ended == [(root, ["book/index.md:3: WARNING: bad link"], whole)]


def test_a_crash_shows_its_last_words(root, monkeypatch):
    (root / "_build").mkdir()
    monkeypatch.setattr(build, "_SPHINX", ["-c", "raise RuntimeError('out of ink')"])
    with build._sphinx(root) as sphinx, pytest.raises(BenchbookError, match="out of ink"):
        build._render(root, True, sphinx)


def test_sphinx_that_is_never_told_to_render_ends(root, rendered, monkeypatch):
    made = []
    start = build._sphinx
    monkeypatch.setattr(
        build, "_SPHINX", ["-c", "import sys; raise SystemExit(3 if sys.stdin.read() else 0)"]
    )
    monkeypatch.setattr(build, "_sphinx", lambda root: made.append(start(root)) or made[-1])

    def fail(root):
        raise BenchbookError("a chapter failed")

    monkeypatch.setattr(build.execution, "execute", fail)
    with pytest.raises(BenchbookError, match="a chapter failed"):
        build.build()
    assert [process.returncode for process in made] == [0]
