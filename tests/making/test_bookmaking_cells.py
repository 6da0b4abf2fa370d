"""The code that a page shows fits its column, so that no reader has to scroll sideways, and shows what it makes."""

import ast

import pytest
from myst_nb.core.read import read_myst_markdown_notebook

from benchbook_book.making.inputs import checkout

COLUMN, UNFOLDED = 79, 88
UNSEEN, FOLDED = {"remove-input", "remove-cell"}, {"hide-input"}
MADE_TO_BE_SHOWN = {"show.table", "paragraph", "admonition"}


def shown(text, folded=False):
    """The lines of code that a page shows, or shows once they are unfolded, each with its number in the page."""
    lines, notebook = text.splitlines(), read_myst_markdown_notebook(text, add_source_map=True)
    for start, cell in zip(notebook.metadata["source_map"], notebook.cells, strict=True):
        tags = set(cell.metadata.get("tags", ()))
        if cell.cell_type == "code" and not UNSEEN & tags and folded == bool(FOLDED & tags):
            for line in cell.source.splitlines():
                start = lines.index(line, start) + 1
                yield start, line


def test_lines_are_told_by_their_place_and_hidden_ones_left_out():
    page = "# A page\n\n```{code-cell}\n:tags: [{}]\n\na = 1\n\nb = 2\n```\n"
    assert list(shown(page.replace("{}", "other"))) == [(6, "a = 1"), (7, ""), (8, "b = 2")]
    assert (
        list(shown(page.replace("{}", "remove-input")))
        == list(shown(page.replace("{}", "hide-input")))
        == []
    )
    assert list(shown(page.replace("{}", "hide-input"), folded=True)) == [
        (6, "a = 1"),
        (7, ""),
        (8, "b = 2"),
    ]


@pytest.mark.parametrize(
    ("folded", "column"), [(False, COLUMN), (True, UNFOLDED)], ids=["seen", "folded"]
)
def test_no_line_of_code_is_wider_than_the_column(folded, column):
    pages = {
        path: path.read_text(encoding="utf-8")
        for path in sorted((checkout() / "book").rglob("*.md"))
    }
    found = [
        (path.relative_to(checkout()), *line)
        for path, text in pages.items()
        if "{code-cell}" in text
        for line in shown(text, folded)
    ]
    assert len(found) > 500
    wide = [f"{path}:{number}: {line}" for path, number, line in found if len(line) > column]
    assert not wide, "\n".join(wide)


def lost(source):
    """What a cell makes to be shown and does not show, since a notebook shows the value of a cell's last line only."""
    *before, _ = ast.parse(source).body or [None]
    return [
        ast.unparse(line)
        for line in before
        if isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Call)
        and ast.unparse(line.value.func) in MADE_TO_BE_SHOWN
    ]


def test_what_a_cell_makes_to_be_shown_stands_last():
    assert lost("a = show.table(b)\nassert a\na") == lost("show.table(b)") == lost("") == []
    assert lost("show.table(b)\nassert b") == ["show.table(b)"]
    cells = [
        (path.name, cell.source)
        for path in sorted((checkout() / "book").rglob("*.md"))
        if "{code-cell}" in (text := path.read_text(encoding="utf-8"))
        for cell in read_myst_markdown_notebook(text).cells
        if cell.cell_type == "code"
    ]
    assert sum("show.table(" in source for _, source in cells) > 100
    assert [(name, line) for name, source in cells for line in lost(source)] == []
