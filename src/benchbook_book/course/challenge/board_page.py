"""A leaderboard as one HTML page that needs no network: tables that sort by any column, and a picture of each board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import polars as pl

from benchbook.charts.kit import output
from benchbook_book.course.challenge import leaderboard
from benchbook_book.course.challenge.board import BEFORE, LEVEL, Board, Line

_ROUNDING = 1e-9
RULE = (
    "Behind a loss stand in parentheses the ranks by that loss from which the entry does not differ significantly, its "
    "own among them: two-sided paired t tests of the losses case by case, corrected by Holm's rule over all pairs of a "
    f"board and loss, at {LEVEL:g}. The cases are what varies, not the training set. ± is one standard error over the "
    "cases; a loss of a whole set, such as LIFT, has neither."
)
"""How to read what stands behind the losses of boards."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --line: #c9d1da; --shade: #f1f4f7; --link: #00639c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ee; --paper: #14181d; --line: #3d4853; --shade: #1e252d; --link: #6cbcf5; }
}
body { font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif;
  color: var(--ink); background: var(--paper); max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.num, th.num { text-align: right; }
td.wide { white-space: normal; max-width: 28rem; }
td.wide p { min-width: 16rem; margin: .3rem 0; }
tr.base { background: var(--shade); font-style: italic; }
tr.refused { opacity: .7; text-decoration: line-through; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--link); }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
figure { margin: 1rem 0; max-width: 44rem; }
figure svg { max-width: 100%; height: auto; }
small { opacity: .8; }
"""

_SCRIPT = """
for (const button of document.querySelectorAll('th button')) button.addEventListener('click', () => {
  const head = button.closest('th'), body = head.closest('table').tBodies[0], place = head.cellIndex;
  const down = head.getAttribute('aria-sort') === 'ascending';
  for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const value = row => row.cells[place].dataset.value;
  const rows = [...body.rows].sort((a, b) => {
    const x = value(a), y = value(b), n = Number(x) - Number(y);
    if (x === '' || y === '') return (x === '') - (y === '');
    return (down ? -1 : 1) * (Number.isNaN(n) ? (x === y ? 0 : x.localeCompare(y)) : n);
  });
  body.append(...rows);
});
"""


def page(boards: Sequence[Board], title: str = "Leaderboard", pictures: bool = True) -> str:
    """The HTML text of a page with all boards.

    Args:
        boards: one section each. title: of the page. pictures: whether each board has its chart.
    """
    sections = "".join(_section(board, pictures) for board in boards)
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><meta http-equiv="Content-Security-Policy" '
        f'content="{policy}"><title>{escape(title)}</title><style>{_STYLE}</style></head><body><h1>{escape(title)}'
        f"</h1><p>Smaller losses are better. Choose a heading to sort by it. {escape(_legend(boards))}</p>"
        f"<p>{escape(RULE)}</p>{sections}<script>{_SCRIPT}</script></body></html>\n"
    )


def _legend(boards: Sequence[Board]) -> str:
    lines = [line for board in boards for line in board.lines]
    sentences = []
    if any(line.before for line in lines):
        sentences.append(f"{BEFORE} marks entries made before the validation targets were out.")
    if any(line.marks for line in lines):
        sentences.append("Exploits and what looks like one are named in the last column.")
    return " ".join(sentences)


def _section(board: Board, pictures: bool) -> str:
    remarked = any(map(_kinds, board.lines))
    names = ["rank", "entry", "team", *board.codes, "gain", *(["remarks"] if remarked else [])]
    numeric = {"rank", "gain", *board.codes}
    head = "".join(_heading(name, name in numeric, board) for name in names)
    body = "".join(_row(line, board, remarked) for line in board.lines)
    units = "; ".join(f"{code}: {board.units[code]}" for code in board.codes)
    first = board.lines[0].scored
    return (
        f"<section><h2>{escape(board.title)}</h2>{_figure(board) if pictures else ''}"
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(board.title)}"><table><thead><tr>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div><p><small>Ranked by {escape(board.ranking)}. "
        f"Units: {escape(units)}. Gain: information gained over the baseline, by {escape(first.ranking)}."
        "</small></p></section>"
    )


def _heading(name: str, numeric: bool, board: Board) -> str:
    sort = ' aria-sort="ascending"' if name == board.ranking else ""
    return f'<th scope="col"{_number(numeric)}{sort}><button type="button">{escape(name)}</button></th>'


def _row(line: Line, board: Board, remarked: bool) -> str:
    item = line.scored
    kind = "refused" if line.refused else "base" if line.baseline else "entry"
    gain = None if line.baseline else item.gain[0]
    cells = [
        _cell(line.rank, "–" if line.rank is None else str(line.rank), True),
        f'<th scope="row" data-value="{escape(item.name)}" title="{escape(item.method)}">{escape(line.label)}</th>',
        _cell(item.team, item.team),
    ]
    cells += [
        _cell(item.values[code], _loss(line, code), True)
        if code in item.values
        else _cell(None, "–", True)
        for code in board.codes
    ]
    cells.append(_cell(gain, "–" if gain is None else escape(with_error(gain, item.gain[1])), True))
    if remarked:
        cells.append(
            f'<td class="wide" data-value="{escape(" ".join(_kinds(line)))}">{_remarks(line)}</td>'
        )
    return f'<tr class="{kind}">{"".join(cells)}</tr>'


def _loss(line: Line, code: str) -> str:
    ranges = line.ranges.get(code)
    text = escape(with_error(line.scored.values[code], line.scored.error(code)))
    return f"{text} <small>({escape(ranges)})</small>" if ranges else text


def _kinds(line: Line) -> list[str]:
    return [
        *(["refused"] if line.refused else []),
        *dict.fromkeys(remark.kind for remark in line.scored.remarks),
    ]


def _remarks(line: Line) -> str:
    """The kinds of remarks on an entry, with their texts behind them."""
    if not _kinds(line):
        return ""
    texts = "".join(f"<p>{escape(remark.text)}</p>" for remark in line.scored.remarks)
    return f"<details><summary>{escape(', '.join(_kinds(line)))}</summary>{texts}</details>"


def with_error(value: float, error: float | None) -> str:
    """A loss and its standard error, to the second digit of the error."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "undefined"
    if error is None or not math.isfinite(error) or error < _ROUNDING:
        return f"{value if abs(value) > _ROUNDING else 0:.4g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def _cell(value: object, html: str, numeric: bool = False) -> str:
    stored = "" if value is None else "Infinity" if value == math.inf else str(value)
    shown = html if numeric else escape(html)
    return f'<td{_number(numeric)} data-value="{escape(stored)}">{shown}</td>'


def _number(numeric: bool) -> str:
    return ' class="num"' if numeric else ""


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


def _chart(board: Board) -> Any:
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
