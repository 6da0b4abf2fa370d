"""A leaderboard as one HTML page that needs no network: tables that sort by any column, and a picture of each board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from benchbook.charts.kit import output
from benchbook.show import numbers
from benchbook_book.course.challenge import leaderboard
from benchbook_book.course.challenge.board import BEFORE, LEVEL, Board, Line

if TYPE_CHECKING:
    from altair.typing import ChartType

_ROUNDING = 1e-9
RULE = (
    "Behind a loss stand in parentheses the ranks by that loss from which the entry does not differ significantly, its "
    "own among them: two-sided paired t tests of the losses case by case, corrected by Holm's rule over all pairs of a "
    f"board and loss, at {LEVEL:g}. The cases are what varies, not the training set. ± is one standard error over the "
    "cases; a loss of a whole set, such as LIFT, has neither."
)
"""How to read what stands behind the losses of boards."""


def page(boards: Sequence[Board], title: str = "Leaderboard", pictures: bool = True) -> str:
    """The HTML text of a page with all boards.

    Args:
        boards: one section each. title: of the page. pictures: whether each board has its chart.
    """
    environment = Environment(
        loader=PackageLoader("benchbook_book.course.challenge"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "names": _names,
        "kinds": _kinds,
        "stored": _stored,
        "with_error": with_error,
        "figure": _figure,
    }
    return environment.get_template("board.html").render(
        boards=boards, title=title, pictures=pictures, legend=_legend(boards), rule=RULE
    )


def _legend(boards: Sequence[Board]) -> str:
    lines = [line for board in boards for line in board.lines]
    sentences = []
    if any(line.before for line in lines):
        sentences.append(f"{BEFORE} marks entries made before the validation targets were out.")
    if any(line.marks for line in lines):
        sentences.append("Exploits and what looks like one are named in the last column.")
    return " ".join(sentences)


def _names(board: Board) -> list[str]:
    """The headings of a board's columns; remarks have one where there are some."""
    remarks = ["remarks"] if any(map(_kinds, board.lines)) else []
    return ["rank", "entry", "team", *board.codes, "gain", *remarks]


def _stored(value: float | None) -> str:
    """A number as the page sorts by it."""
    return "" if value is None else "Infinity" if value == math.inf else str(value)


def _kinds(line: Line) -> list[str]:
    return [
        *(["refused"] if line.refused else []),
        *dict.fromkeys(remark.kind for remark in line.scored.remarks),
    ]


def with_error(value: float, error: float | None) -> str:
    """A loss and its standard error; the loss alone where there is none but rounding."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "undefined"
    if error is None or not math.isfinite(error) or error < _ROUNDING:
        return f"{value if abs(value) > _ROUNDING else 0:.4g}"
    return numbers.in_ascii(numbers.with_error(value, error))


def _figure(board: Board) -> str:
    """The board's chart in the page; "" when there is too little to draw."""
    chart = _chart(board)
    if chart is None:
        return ""
    spec = output.specification(chart)
    words = escape(str(spec["description"]))
    return f'<figure role="img" aria-label="{words}">{output.picture(spec)}</figure>'


def picture(board: Board) -> str:
    """The board's chart, one loss against another, as SVG; "" when there is too little to draw."""
    chart = _chart(board)
    return "" if chart is None else output.picture(output.specification(chart))


def _chart(board: Board) -> ChartType | None:
    up, across = board.lines[0].scored.ranking, "nMSE" if board.kind == "real" else "01L"
    rows = [
        {
            "entry": line.scored.name,
            "kind": _drawn(line),
            "x": line.scored.values.get(across, math.nan),
            "y": line.scored.values[up],
        }
        for line in board.lines
        if not line.refused
    ]
    return leaderboard.losses_against(pl.DataFrame(rows), across, up) if len(rows) > 1 else None


def _drawn(line: Line) -> str:
    return (
        "baseline"
        if line.baseline
        else "exploit"
        if line.marks
        else "before"
        if line.before
        else "entry"
    )
