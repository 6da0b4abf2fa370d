"""When Sphinx may build upon its last work, and when it has to begin again."""

import pytest

from benchbook_book.making import rendering

WARNING = "book/part/a.md:3: WARNING: no such label"


@pytest.fixture
def root(tmp_path):
    for name in (
        "_config.yml",
        "_toc.yml",
        "requirements.txt",
        "book/part/a.md",
        "book/_ext/x.py",
        "book/_templates/x.html",
        "book/_static/x.css",
        "book/references.bib",
        "book/runs/run-a.ipynb",
        "_build/html/old.html",
        "_build/.doctrees/old",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text\n")
    return tmp_path


def rendered(root, warnings=(), whole=True):
    """Render once, in name only: are there pages yet, shall all be written, and which are to be read again."""
    for page in ("a", "b"):
        (root / "_build" / ".doctrees" / "book" / "part").mkdir(parents=True, exist_ok=True)
        (root / "_build" / ".doctrees" / "book" / "part" / f"{page}.doctree").touch()
    everything = rendering.begin(root)
    left = (root / "_build" / "html").exists()
    (root / "_build" / "html").mkdir(parents=True, exist_ok=True)
    rendering.end(root, warnings, whole)
    again = [
        f"book/part/{page}"
        for page in ("a", "b")
        if left and not (root / f"_build/.doctrees/book/part/{page}.doctree").exists()
    ]
    return left, everything, again


def test_the_first_time_nothing_of_unknown_origin_is_built_upon(root):
    assert rendered(root) == (False, True, [])
    assert rendered(root) == (True, False, [])


@pytest.mark.parametrize(
    "name",
    [
        "_config.yml",
        "_toc.yml",
        "requirements.txt",
        "book/_ext/x.py",
        "book/_templates/x.html",
        "book/references.bib",
    ],
)
def test_what_all_pages_are_read_with_makes_it_begin_again(root, name):
    rendered(root)
    (root / name).write_text("changed==1\n")
    assert rendered(root) == (False, True, [])


@pytest.mark.parametrize("name", ["book/part/b.md", "book/runs/run-b.ipynb"])
def test_a_page_that_comes_or_goes_makes_it_begin_again(root, name):
    rendered(root)
    (root / name).write_text("new\n")
    assert rendered(root) == (False, True, [])
    (root / name).unlink()
    assert rendered(root) == (False, True, [])


def test_a_page_that_changes_is_left_to_sphinx(root):
    rendered(root)
    (root / "book" / "part" / "a.md").write_text("changed\n")
    assert rendered(root) == (True, False, [])


def test_a_style_sheet_makes_all_pages_be_written_again(root):
    rendered(root)
    (root / "book" / "_static" / "x.css").write_text("changed\n")
    assert rendered(root) == (True, True, [])
    assert rendered(root) == (True, False, [])


def test_after_an_attempt_that_did_not_end_all_pages_are_written_again(root):
    rendered(root)
    rendered(root, whole=False)
    assert rendered(root) == (True, True, [])
    rendering.begin(root)  # and then the machine was switched off
    assert rendered(root) == (True, True, [])
    assert rendered(root) == (True, False, [])


def test_pages_that_complained_are_looked_at_again_until_they_do_not(root):
    rendered(root, [WARNING])
    assert rendered(root, [WARNING, WARNING.replace("a.md:3", "b.md")]) == (
        True,
        False,
        ["book/part/a"],
    )
    assert rendered(root) == (True, False, ["book/part/a", "book/part/b"])
    assert rendered(root) == (True, False, [])


def test_what_was_complained_of_is_not_forgotten_by_an_attempt_that_did_not_end(root):
    rendered(root, [WARNING])
    rendering.begin(root)
    assert rendered(root) == (True, True, ["book/part/a"])


def test_a_warning_that_belongs_to_no_page_makes_it_begin_again(root):
    rendered(root, [WARNING, "WARNING: the theme is odd"])
    assert rendered(root) == (False, True, [])
