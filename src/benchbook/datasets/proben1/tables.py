"""Delimited text as people have it: a heading, quotes, a separator, marks for missing values."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass

from benchbook.datasets.proben1.encoders import Value
from benchbook.datasets.proben1.representation import Columns
from benchbook.datasets.readers.text import MISSING, lines
from benchbook.errors import Fault, FaultyInput

SEPARATORS = (",", ";", "\t", "|")
_NO_SEPARATORS = ('"', "\n", "\r", "\0")


@dataclass(frozen=True, eq=False)
class WordTable:
    """The words of a table by column, None where a value is missing, and the line each case stands on."""

    where: str
    columns: Columns
    numbers: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def place(self) -> Callable[[int], str]:
        """From the number of a case, from 0, to its file and line."""
        return lambda case: f"{self.where}, line {self.numbers[case]}"


def read_table(
    data: bytes,
    where: str,
    separator: str = "",
    missing: Collection[str] = MISSING,
    heading: bool = True,
) -> WordTable:
    """Read delimited text: the first line has the names of the columns, each other line is a case.

    Values may stand in double quotes; empty lines are left out.

    Args:
        data: the content of the file.
        where: its name, for messages.
        separator: what stands between values, a blank for any run of blanks; by default the one of comma, semicolon,
            tab and bar that the first line has most of, or blanks when it has none.
        missing: the words that stand for a missing value.
        heading: without a heading, columns are called column1, column2, ...

    Raises:
        FaultyInput: a separator that cannot be one, no cases, columns without a name or with the same name, cases with
            more or fewer values than there are columns; all of them together.
    """
    if len(separator) > 1 or separator in _NO_SEPARATORS:
        raise FaultyInput(
            "separator",
            [
                Fault(
                    "separator",
                    repr(separator),
                    "one letter, and neither a quote nor the end of a line",
                )
            ],
        )
    text = [
        (number, line)
        for number, line in lines(data.removeprefix(b"\xef\xbb\xbf"), where)
        if line.strip()
    ]
    if len(text) < 1 + heading:
        raise FaultyInput(
            f"{where} cannot be read", [Fault(where, "no cases", "a table has at least one")]
        )
    separator = separator or separator_of(text[0][1])
    split = [(number, _words(line, separator)) for number, line in text]
    names = (
        split.pop(0)[1] if heading else [f"column{index + 1}" for index in range(len(split[0][1]))]
    )
    faults = [
        Fault(f"{where}, line {text[0][0]}", "a column without a name", "every column has one")
        for name in names
        if not name
    ]
    faults += [
        Fault(
            f"{where}, line {text[0][0]}", f"{count} columns called {name!r}", "names are different"
        )
        for name, count in Counter(names).items()
        if name and count > 1
    ]
    faults += [
        Fault(f"{where}, line {number}", f"{len(words)} values", f"there are {len(names)} columns")
        for number, words in split
        if len(words) != len(names)
    ]
    if faults:
        raise FaultyInput(f"{where} cannot be read", faults)
    gone = frozenset(missing)
    columns: dict[str, list[Value]] = {name: [] for name in names}
    for _, words in split:
        for name, word in zip(names, words, strict=True):
            columns[name].append(None if word in gone else word)
    return WordTable(where, dict(columns), tuple(number for number, _ in split))


def separator_of(line: str) -> str:
    """The separator that a line seems to have."""
    best = max(SEPARATORS, key=line.count)
    return best if best in line else " "


def _words(line: str, separator: str) -> list[str]:
    if separator == " ":
        return line.split()
    try:
        words = next(csv.reader(io.StringIO(line), delimiter=separator, skipinitialspace=True))
    except csv.Error:  # a value too long to be one; the number of values will tell
        return line.split(separator)
    return [word.strip() for word in words]
