"""The code that a page shows fits its column, so that no reader has to scroll sideways."""

from myst_nb.core.read import read_myst_markdown_notebook

from benchbook.pages.inputs import checkout

COLUMN = 79
HIDDEN = {"remove-input", "remove-cell", "hide-input"}


def shown(text):
    """The lines of code that a page shows, each with its number in the page."""
    lines, notebook = text.splitlines(), read_myst_markdown_notebook(text, add_source_map=True)
    for start, cell in zip(notebook.metadata["source_map"], notebook.cells, strict=True):
        if cell.cell_type == "code" and not HIDDEN & set(cell.metadata.get("tags", ())):
            for line in cell.source.splitlines():
                start = lines.index(line, start) + 1
                yield start, line


def test_lines_are_told_by_their_place_and_hidden_ones_left_out():
    page = "# A page\n\n```{code-cell}\n:tags: [{}]\n\na = 1\n\nb = 2\n```\n"
    assert list(shown(page.replace("{}", "other"))) == [(6, "a = 1"), (7, ""), (8, "b = 2")]
    assert list(shown(page.replace("{}", "remove-input"))) == []


def test_no_line_of_code_is_wider_than_the_column():
    pages = {path: path.read_text(encoding="utf-8") for path in sorted((checkout() / "book").rglob("*.md"))}
    found = [(path.relative_to(checkout()), *line) for path, text in pages.items() if "{code-cell}" in text
             for line in shown(text)]
    assert len(found) > 1000
    wide = [f"{path}:{number}: {line}" for path, number, line in found if len(line) > COLUMN]
    assert not wide, "\n".join(wide)
