"""Numbers that a page names are said on it, what it says was named, and the pages it leads to are there."""

import ast
import re
from pathlib import Path

from benchbook_book.making.glue_names import calls, where

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGES = [
    path for path in sorted(BOOK.rglob("*.md")) if ".ipynb_checkpoints" not in path.parts
]  # JupyterLab's copies
_LED_TO = re.compile(r"\{doc\}`(?:[^`<]*<)?([^`<>]+)>?`")
_SAID = re.compile(r"\{glue:\w*\}`([^`:]+)`")


def faults(text: str) -> dict[str, set[str]]:
    """Names that are made and not said, said and not made, and made by code, so that no search finds them."""
    given = [call.args[0] for _, call in calls(text)]
    names = {node.value for node in given if isinstance(node, ast.Constant)}
    said = set(_SAID.findall(text))  # captions, which are no part of a cell's source, included
    by_code = {ast.unparse(node) for node in given if not isinstance(node, ast.Constant)}
    return {"not said": names - said, "not made": said - names, "made by code": by_code}


PAGE = """\
Said: {glue:text}`mean`, {glue:text}`low-1`, {glue:text}`lost`.

```{code-cell} ipython3
show.glue("mean", 1)
show.glue("idle", 1)
for k in range(2):
    show.glue(f"low-{k}", k)
```
"""


def test_what_is_made_and_not_said_is_found_and_what_is_said_and_not_made():
    assert faults(PAGE) == {
        "not said": {"idle"},
        "not made": {"low-1", "lost"},
        "made by code": {"f'low-{k}'"},
    }


def test_every_name_of_the_book_is_made_and_said_and_written_out():
    pages = {path.relative_to(BOOK).as_posix(): path.read_text(encoding="utf8") for path in PAGES}
    assert sum("show.glue(" in text for text in pages.values()) > 60
    found = {name: faults(text) for name, text in pages.items()}
    assert {name: each for name, each in found.items() if any(each.values())} == {}


def test_no_page_shows_marks_of_an_editor():
    marks = re.compile(r"^(!! |@@\d|<<<<<<< |>>>>>>> )", re.MULTILINE)
    assert [path.name for path in PAGES if marks.search(path.read_text(encoding="utf8"))] == []


def test_every_page_that_is_led_to_by_name_is_there():
    led = [
        (path, target)
        for path in PAGES
        if "templates" not in path.parts
        for target in _LED_TO.findall(path.read_text(encoding="utf8"))
    ]
    assert len(led) > 100
    places = [
        (path, target, BOOK.parent / target[1:] if target.startswith("/") else path.parent / target)
        for path, target in led
    ]
    assert [
        (path.name, target)
        for path, target, position in places
        if not any(
            position.with_name(position.name + ending).is_file() for ending in (".md", ".ipynb")
        )
    ] == []


def test_the_call_of_a_name_is_found_with_its_line_and_the_lines_that_show_it(tmp_path):
    page = (
        "# A\n\n{glue:text}`a` and {glue:text}`low-b:.1f`\nand {glue:text}`a`.\n\n"
        "```{code-cell} ipython3\n:tags: [remove-input]\nshow.glue('a', 1)\nshow.glue('low-b', 2)\n```\n"
    )
    (tmp_path / "book" / "part").mkdir(parents=True)
    (tmp_path / "book" / "part" / "page.md").write_text(page)
    (tmp_path / "book" / "other.md").write_text(page.replace("low-b", "low-d"))
    found = {
        name: [
            (row["page"], row["line"], row["code"], row["shown"]) for row in where(name, tmp_path)
        ]
        for name in ("a", "low-b", "b")
    }
    assert found == {
        "a": [
            ("book/other.md", 8, "show.glue('a', 1)", "3, 4"),
            ("book/part/page.md", 8, "show.glue('a', 1)", "3, 4"),
        ],
        "low-b": [("book/part/page.md", 9, "show.glue('low-b', 2)", "3")],
        "b": [],
    }
