"""The numbers of one prediction file, put in the order of the task's cases as they are read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchbook.errors import Fault
from benchbook.predictive.checks import FloatArray, IntArray
from benchbook_book.course.challenge.asked import Asked
from benchbook_book.course.challenge.findings import Findings, quote

_COMMA = re.compile(r"[-+]?\d*,\d+")
_PLAIN = re.compile(
    r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf|infinity)", re.IGNORECASE | re.ASCII
)


class Layout(NamedTuple):
    """What the numbers of a line are: the kind of prediction, their names in order, and the levels of all cases.

    ``levels`` is () for a kind that has none, and for quantiles whose levels stand in the lines, where the K levels
    come before the K quantiles.
    """

    kind: str
    columns: tuple[str, ...]
    levels: tuple[float, ...] = ()


def layout(kind: str, levels: Sequence[float] = (), own: int = 0) -> Layout:
    """The layout of a kind; ``own`` is the number K of quantiles when every line has its own levels."""
    if kind == "gaussian":
        return Layout(kind, ("mean", "variance"))
    if kind == "probability":
        return Layout(kind, ("probability",))
    if levels:
        return Layout(kind, tuple(f"quantile {level:g}" for level in levels), tuple(levels))
    return Layout(
        kind, (*(f"level {k}" for k in range(own)), *(f"quantile {k}" for k in range(own)))
    )


class Sheet:
    """The numbers of a file by case, and in which line each case stood.

    Attributes:
        layout: what the columns are.
        values: [J, width]; NaN where there was no usable number, which has then been reported, and without meaning
            where ``line`` is 0.
        line: [J], the line of each case; 0 where there was none.
    """

    def __init__(
        self,
        file: str,
        asked: Asked,
        form: Layout,
        findings: Findings,
        ids: bool,
        word: str = "line",
    ) -> None:
        self.file, self.asked, self.layout, self._found, self._word = (
            file,
            asked,
            form,
            findings,
            word,
        )
        self._ids = ids
        self.values: FloatArray = np.empty((len(asked.cases), len(form.columns)))
        self.line: IntArray = np.zeros(len(asked.cases), dtype=np.int64)
        self._rows = 0

    def where(self, line: int, case: str | None = None, column: str | None = None) -> str:
        """A place in the file in words."""
        parts = [f"{self._word} {line}", f"case {case}" if case is not None else "", column or ""]
        return ", ".join(part for part in parts if part)

    def add(self, line: int, words: Sequence[str], case: str | None = None) -> None:
        """Take the numbers of a line; ``case`` is the id, or None when the order is the task's."""
        index = self._place(line, case)
        if index is None:
            return
        self.line[index] = line
        try:
            numbers = [float(word) for word in words]
            plain = math.isfinite(sum(numbers)) and not any("_" in word for word in words)
        except ValueError:
            plain = False
        if not plain or not all(map(str.isascii, words)):
            name = self.asked.cases[index]
            numbers = [
                self._number(word, line, name, column)
                for word, column in zip(words, self.layout.columns, strict=True)
            ]
        self.values[index] = numbers

    def skip(self, line: int, case: str | None = None) -> None:
        """Take note of a line whose numbers cannot be used and were reported, so that its case is not missing."""
        index = self._place(line, case)
        if index is not None:
            self.line[index], self.values[index] = line, np.nan

    def row(self, line: int, numbers: FloatArray, case: str | None = None) -> None:
        """Take the numbers of a line that were numbers already, [width]; those not finite are reported."""
        index = self._place(line, case)
        if index is None:
            return
        self.line[index] = line
        self.values[index] = np.where(np.isfinite(numbers), numbers, np.nan)
        for k in np.flatnonzero(~np.isfinite(numbers)):
            where = self.where(line, self.asked.cases[index], self.layout.columns[k])
            self._found.add(self.file, where, repr(float(numbers[k])), "must be a finite number")

    def _place(self, line: int, case: str | None) -> int | None:
        """Where a line belongs; None, and a fault, for an id that is unknown or was there before."""
        self._rows += 1
        if case is None:
            return self._rows - 1 if self._rows <= len(self.asked.cases) else None
        index = self.asked.places.get(case)
        if index is None:
            self._found.add(
                self.file,
                self.where(line),
                f"the case id {quote(case)}",
                "must be a case of the task",
            )
        elif first := int(self.line[index]):
            rule = f"must be there once; {self._word} {first} has it too"
            self._found.add(self.file, self.where(line), f"the case id {quote(case)}", rule)
            return None
        return index

    def _number(self, word: str, line: int, case: str, column: str) -> float:
        value = float(word) if _PLAIN.fullmatch(word) else None
        if value is not None and math.isfinite(value):
            return value
        rule = "must be a finite number" if value is not None else "must be a number"
        if _COMMA.fullmatch(word):
            rule = "must be a number with a point, not a comma"
        self._found.add(self.file, self.where(line, case, column), quote(word), rule)
        return math.nan

    def finish(self) -> None:
        """Report cases without a prediction, or a number of lines that is not that of the cases."""
        cases = len(self.asked.cases)
        if not self._rows:
            self._found.add(
                self.file, "", "no predictions", f"must have one for each of the {cases} cases"
            )
        elif not self._ids and self._rows != cases:
            self._found.add(
                self.file,
                "",
                f"{self._rows} predictions",
                f"must be one for each of the {cases} cases",
            )
        elif self._ids:
            missing = np.flatnonzero(self.line == 0)
            self._found.many(
                self.file,
                missing.size,
                lambda number: Fault(
                    f"case {self.asked.cases[missing[number]]}", "no prediction", "must have one"
                ),
            )

    def numbering(self) -> tuple[str, str] | None:
        """What the first numbers are when they only number the cases, and the rule; None for predictions.

        They are the ids of three cases or more, in any order, or the numbers of ten lines or more without ids, from 0
        or 1 (fewer may be chance): then a column was lost, and each number is taken for the one after it.
        """
        first = self.values[:, 0]
        if len(first) < 3:
            return None
        rule = "must be predictions; has a column been lost, or the case ids written in its place?"
        try:
            ids = np.array([float(case) for case in self.asked.cases])
        except ValueError:
            ids = np.full(len(first), np.nan)
        if np.array_equal(np.sort(first), np.sort(ids)):
            return "the ids of the cases", rule
        counted = not self._ids and len(first) >= 10 and first[0] in (0, 1)
        if counted and np.array_equal(first, np.arange(len(first)) + first[0]):
            return "the numbers of the lines", rule
        return None
