"""How much of its computation each chapter shows: the measures of a literate program, printed for every chapter."""

import re
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


ROOMS = ("benchbook.show", "benchbook.charts")
_IMPORT = re.compile(r"^ *from (benchbook\.(?:show|charts)[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


def imported(text: str) -> set[str]:
    """The modules of the two rooms that the code of a file imports, and what it takes of them, by their full names."""
    return {name for room, words in _IMPORT.findall(text)
            for name in (room, *(f"{room}.{word}" for word in re.findall(r"\w+", words)))}


def users() -> dict[str, set[str]]:
    """By module of the package, who imports it: modules, templates of pages, and chapters with their helpers."""
    found: dict[str, set[str]] = {}
    package = BOOK.parent / "src"
    for path in [*package.rglob("*.py"), *BOOK.rglob("*.py"), *BOOK.rglob("*.md")]:
        if path.is_relative_to(package):
            who = f"module {path}" if path.name != "__init__.py" else ""
        else:
            template = path.parent.name == "templates"
            who = f"{'template' if template else 'chapter'} {path.parent}/{path.stem.strip('_').replace('_', '-')}"
        for name in imported(path.read_text(encoding="utf8")) if who else ():
            found.setdefault(name, set()).add(who)
    return found


def test_no_module_of_the_package_serves_one_chapter_alone():
    assert imported("from benchbook.show import a\nimport os\nfrom benchbook.charts.kit import (b,\n   c)") == {
        "benchbook.show", "benchbook.show.a", *(f"benchbook.charts.kit{name}" for name in ("", ".b", ".c"))}
    by, alone = users(), []
    for room in ROOMS:
        folder = BOOK.parent.joinpath("src", *room.split("."))
        for path in folder.glob("*.py"):
            using = by.get(f"{room}.{path.stem}", set())
            if path.stem != "__init__" and len(using) == 1 and next(iter(using)).startswith("chapter"):
                alone.append((path.stem, using))
    assert by["benchbook.show.arrays"] >= {f"chapter {BOOK / 'delve' / f'array-{name}'}" for name in ("bank", "kin")}
    assert alone == []
