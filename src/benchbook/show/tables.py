"""Tables for the book: aligned numbers with their standard errors, a caption, headings a screen reader can use."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from benchbook.errors import BenchbookError
from benchbook.method_names import only_codes, with_codes
from benchbook.show.downloads import link_to
from benchbook.show.grids import grid
from benchbook.show.html import Html, escape, inline
from benchbook.show.numbers import formatted, number, with_error

_OF_VARIANCE = "nMSE"
"""A loss that is a share of the variance of the targets, shown in percent: 8.7 × 10⁻⁵ beside 0.31 compares badly."""
Format = Callable[[Any], str] | str


@dataclass(frozen=True)
class _Plan:
    """How the columns of one table are shown."""

    digits: int | Mapping[str, int]
    units: Mapping[str, str]
    headings: Mapping[str, str]
    se: Mapping[str, str]
    links: Mapping[str, str]
    reasons: Mapping[str, str]
    remarks: Mapping[str, str]
    formats: Mapping[str, Format]
    notes: list[str] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def cell(self, column: str, row: Mapping[str, Any]) -> str:
        """The text of one cell, methods by their names; a value with a remark gets the letter of its note."""
        remark = row[self.remarks[column]] if column in self.remarks else None
        value = self._value(column, row)
        if only_codes(value):
            value = with_codes(value, self.said)
        return f"{value} {self._note(remark)}" if remark else value

    def _value(self, column: str, row: Mapping[str, Any]) -> str:
        """The text of one value; a missing one with a reason gets the letter of its note."""
        value = row[column]
        if isinstance(value, float) and self._words(column) == _OF_VARIANCE:
            return number(100 * value, 3)
        if value is None and column in self.reasons and row[self.reasons[column]]:
            return f"undefined {self._note(row[self.reasons[column]])}"
        if column in self.formats:
            shown = self.formats[column]
            return (
                shown(value)
                if callable(shown)
                else "–"
                if value is None
                else formatted(value, shown)
            )
        digits = self.digits if isinstance(self.digits, int) else self.digits.get(column, 3)
        if column in self.se:
            return with_error(value, row[self.se[column]], digits)
        if isinstance(value, bool):
            return "yes" if value else "no"
        if value is None or isinstance(value, int | float):
            return number(value, digits)
        if isinstance(value, list):
            return ", ".join(str(item) for item in value)
        return str(value)

    def _note(self, reason: str) -> str:
        if reason not in self.notes:
            self.notes.append(reason)
        return f"[{string.ascii_lowercase[self.notes.index(reason) % 26]}]"

    def _words(self, column: str) -> str:
        return self.headings.get(column, column.replace("_", " "))

    def heading(self, column: str) -> str:
        """The words over a column, with their unit."""
        words = self._words(column)
        if words == _OF_VARIANCE:
            return f"{words} (%)"
        if only_codes(words):
            words = with_codes(words, self.said)
        return f"{words} ({self.units[column]})" if column in self.units else words


def table(
    frame: pl.DataFrame | Sequence[Mapping[str, Any]],
    caption: str = "",
    units: Mapping[str, str] | None = None,
    digits: int | Mapping[str, int] = 3,
    *,
    se: Mapping[str, str] | None = None,
    headings: Mapping[str, str] | None = None,
    links: Mapping[str, str] | None = None,
    reasons: Mapping[str, str] | None = None,
    remarks: Mapping[str, str] | None = None,
    formats: Mapping[str, Format] | None = None,
    label: str | None = None,
    limit: int | None = None,
) -> Html:
    """A table in the book's style.

    Args:
        frame: a polars frame, or rows as mappings with the same keys.
        caption: what the table says, in one sentence; `code` is marked up.
        units: column -> unit, added to its heading.
        digits: significant digits, for all columns or by column (3 where it says nothing).
        se: column -> the column of its standard errors; the two become one, ``mean ± standard error``.
        headings: column -> heading; the default is the name with spaces.
        links: column -> the column of the addresses its cells lead to.
        reasons: column -> the column that says why a value is undefined; the reasons become notes under the table.
        remarks: column -> the column of what is to be said of its values, such as a list that is too long for a cell;
            it becomes notes under the table.
        formats: column -> a function from the value to its text, or a format such as ".2f".
        label: the column that names each line for a screen reader; the default is the first.
        limit: how many lines to show at most; a longer table says so, and all of it can be taken away as a CSV file.

    Raises:
        BenchbookError: one of the columns named is not in the frame.
    """
    data = (
        frame
        if isinstance(frame, pl.DataFrame)
        else pl.DataFrame(list(frame), infer_schema_length=None)
    )
    plan = _Plan(
        digits,
        units or {},
        headings or {},
        se or {},
        links or {},
        reasons or {},
        remarks or {},
        formats or {},
    )
    _check(data, plan)
    folded = {
        *plan.se.values(),
        *plan.links.values(),
        *plan.reasons.values(),
        *plan.remarks.values(),
    }
    columns = [column for column in data.columns if column not in folded]
    rows = data.head(limit).to_dicts() if limit is not None else data.to_dicts()
    cells = [[plan.cell(column, row) for column in columns] for row in rows]
    after = [
        f"[{string.ascii_lowercase[index % 26]}] {reason}"
        for index, reason in enumerate(plan.notes)
    ]
    shown = Html(
        _html(data, plan, columns, rows, cells, caption, label or columns[0], after),
        _text(plan, columns, cells, caption, after),
    )
    if data.height == len(rows):
        return shown
    rest = _rest(data, len(rows), caption)
    return Html(f"{shown.html}\n{rest.html}", f"{shown.text}\n{rest.text}")


def _rest(data: pl.DataFrame, shown: int, caption: str) -> Html:
    """The line under a table of which a part is shown: how much that is, and the whole as a file."""
    name = "-".join(re.findall(r"[a-z0-9]+", caption.lower())[:6]) or "table"
    link = link_to(name, "all of them as CSV", data)
    text = f"The first {shown:,} of {data.height:,}"
    return Html(f'<p class="bb-note">{text}; {link}.</p>', f"{text}.")


def _check(data: pl.DataFrame, plan: _Plan) -> None:
    if not data.width:
        raise BenchbookError("a table needs at least one column; the frame has none")
    named = {name for mapping in (plan.units, plan.headings, plan.formats) for name in mapping}
    named |= {
        name
        for mapping in (plan.se, plan.links, plan.reasons, plan.remarks)
        for pair in mapping.items()
        for name in pair
    }
    if unknown := sorted(named - set(data.columns)):
        raise BenchbookError(
            f"a table is told of columns {unknown} that the frame has not; it has {data.columns}"
        )


def _html(
    data: pl.DataFrame,
    plan: _Plan,
    columns: list[str],
    rows: list[dict[str, Any]],
    cells: list[list[str]],
    caption: str,
    label: str,
    after: list[str],
) -> str:
    numeric = {
        column
        for column in columns
        if column != label and (data.schema[column].is_numeric() or column in plan.formats)
    }
    kind = {column: ' class="num"' if column in numeric else "" for column in columns}
    head = "\n".join(
        f'<th scope="col"{kind[column]}>{inline(plan.heading(column))}</th>' for column in columns
    )
    body = []
    for row, texts in zip(rows, cells, strict=True):
        line = []
        for column, text in zip(columns, texts, strict=True):
            address = row[plan.links[column]] if column in plan.links else None
            inner = f'<a href="{escape(address)}">{inline(text)}</a>' if address else inline(text)
            tag, scope = ("th", ' scope="row"') if column == label else ("td", "")
            line.append(f"<{tag}{scope}{kind[column]}>{inner}</{tag}>")
        body.append(
            "<tr>" + "\n".join(line) + "</tr>"
        )  # apart, or a search would take a row for one word
    lines = "\n".join(body)
    notes = "".join(f'<p class="bb-note">{inline(note)}</p>' for note in after)
    title = f"<caption>{inline(caption)}</caption>" if caption else ""
    spoken = escape(caption.replace("`", "") or "table")
    return (
        f'<div class="bb-table" role="region" tabindex="0" aria-label="{spoken}"><table class="table">{title}\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{lines}</tbody></table></div>{notes}"
    )


def _text(
    plan: _Plan, columns: list[str], cells: list[list[str]], caption: str, after: list[str]
) -> str:
    heads = [plan.heading(column) for column in columns]
    return "\n".join([*([caption] if caption else []), grid(cells, heads), *after])
