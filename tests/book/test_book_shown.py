"""How much of its computation each chapter shows: the measures of a literate program, printed for every chapter."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jupytext
import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
PARTS = ("delve", "proben1", "uncertainty", "predictive-densities", "synthesis", "today")
UNSEEN, LINES = 0.35, 40


@dataclass
class Shown:
    """The cells of a page outside solutions, by whether their code can be seen, and the lines that are always seen."""

    name: str
    visible: int = 0
    foldable: int = 0
    unseen: int = 0
    lines: int = 0

    @property
    def cells(self) -> int:
        return self.visible + self.foldable + self.unseen


def cells(path: Path) -> Iterator:
    """The code cells of a page outside solutions."""
    within = False
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "markdown":
            for line in cell.source.splitlines():
                within = (within or "{solution-start}" in line) and "{solution-end}" not in line
        elif not within:
            yield cell


def count(path: Path) -> Shown:
    shown = Shown(path.relative_to(BOOK).as_posix())
    for cell in cells(path):
        tags = " ".join(cell.metadata.get("tags", []))
        if "remove-" in tags:
            shown.unseen += 1
        elif "hide-" in tags:
            shown.foldable += 1
        else:
            shown.visible += 1
            shown.lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    return shown


@pytest.fixture(scope="module")
def pages() -> list[Shown]:
    counted = [count(path) for part in PARTS for path in sorted((BOOK / part).glob("*.md"))]
    return [shown for shown in counted if shown.cells]


def test_the_book_shows_its_program(pages):
    for shown in pages:
        print(f"{shown.name:45} visible {shown.visible:3}  foldable {shown.foldable:3}  unseen {shown.unseen:3}  "
              f"lines {shown.lines:4}")
    cells = sum(shown.cells for shown in pages)
    unseen = sum(shown.unseen for shown in pages) / cells
    lines = statistics.median(shown.lines for shown in pages)
    print(f"of {cells} cells {unseen:.0%} cannot be seen; a chapter shows {lines:g} lines")
    assert unseen <= UNSEEN
    assert lines >= LINES


def test_every_chapter_shows_its_program(pages):
    short = [(shown.name, shown.unseen, shown.cells, shown.lines) for shown in pages
             if shown.unseen > UNSEEN * shown.cells or shown.lines < LINES]
    assert short == []


def test_no_figure_hides_the_lines_that_drew_it():
    hidden = [f"{path.relative_to(BOOK)}: {cell.metadata['mystnb']['figure'].get('name')}"
              for part in PARTS for path in sorted((BOOK / part).glob("*.md")) for cell in cells(path)
              if "figure" in cell.metadata.get("mystnb", {}) and "remove-input" in cell.metadata.get("tags", [])]
    assert hidden == []
