"""A comment that names the columns of a plain text file, held against what the file has."""

from __future__ import annotations

import re
from typing import NamedTuple

from benchbook_book.course.challenge.findings import quote
from benchbook_book.course.challenge.sheet import Layout

_COLUMNS = {
    **dict.fromkeys(("case", "id", "case_id", "caseid"), "case"),
    **dict.fromkeys(("mean", "mu"), "mean"),
    **dict.fromkeys(("variance", "var"), "variance"),
    **dict.fromkeys(("probability", "prob"), "probability"),
}
_OTHERS = {"index", "row", "sd", "std", "stdev", "sigma", "level", "quantile", "target"}
"""Names of columns that no prediction file has; a heading with one of them is still a heading."""
_OF_A_LEVEL = re.compile(r"(?:q|quantile_?)?(\d*\.\d+(?:e-?\d+)?)", re.ASCII)
_NUMBERED = re.compile(r"(level|quantile)_?(\d{1,4})", re.ASCII)


class Heading(NamedTuple):
    """A comment that names columns: its line, its words, and the columns by their names in a file of ours."""

    line: int
    words: tuple[str, ...]
    columns: tuple[str, ...]

    def broken_rule(self, form: Layout, ids: bool, count: int) -> tuple[int, str, str] | None:
        """What does not fit the first line of ``count`` numbers: where, what was found, and the rule; None if all does.

        Args:
            form: the columns besides the ids. ids: whether the file has these.
            count: how many values its first line has.
        """
        shown = quote(" ".join(self.words))
        wanted = _written(form)
        if len(self.columns) != count:
            return (
                self.line,
                f"{len(self.columns)} columns, {shown}, and {count} values in the line after it",
                "must be as many; if it names no columns, write it in a sentence",
            )
        if self.columns != (("case", *wanted) if ids else wanted):
            order = " ".join(wanted) if len(wanted) < 8 else f"{' '.join(wanted[:7])} ..."
            return (
                self.line,
                f"the columns {shown}",
                f"must be {order}, in this order, with or without case in front",
            )
        return None


def heading(line: int, comment: str) -> Heading | None:
    """The columns that a comment names; None for any other comment.

    It names columns when every word of it is a name of one, and one of them a word or two of them levels.
    """
    joined = re.sub(
        r"(level|quantile)\s+(?=[\d.])", r"\1_", comment.strip("# \t\r\n"), flags=re.IGNORECASE
    )
    words = tuple(word.strip("\"'`") for word in re.split(r"[\s,;|]+", joined))
    columns = tuple(_column(word.casefold()) for word in words)
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    numbers = sum(column[0].isdigit() for column in known)
    return (
        Heading(line, words, tuple(known)) if len(known) > max(1, numbers) or numbers > 1 else None
    )


def _column(word: str) -> str | None:
    """The name of a column as ``_written`` has it; None for what is no name of one."""
    if word in _COLUMNS or word in _OTHERS:
        return _COLUMNS.get(word, word)
    if match := _NUMBERED.fullmatch(word):
        return f"{match[1]}_{int(match[2])}"
    if (match := _OF_A_LEVEL.fullmatch(word)) and 0 < float(match[1]) < 1:
        return repr(float(match[1]))
    return None


def _written(form: Layout) -> tuple[str, ...]:
    """The names of a layout's columns as ``challenge.write`` has them in a comment."""
    if form.levels:
        return tuple(map(repr, form.levels))
    if form.kind == "quantiles":
        names = (name.partition(" ") for name in form.columns)
        return tuple(f"{word}_{int(number) + 1}" for word, _, number in names)
    return form.columns
