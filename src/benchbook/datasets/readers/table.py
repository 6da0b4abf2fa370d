"""From the words of a file to the columns of a dataset, with every fault named by file and line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets.ranges import IntegerRange, Interval, format_range
from benchbook.datasets.readers.text import lines
from benchbook.datasets.types import COMMONALITY, Attribute
from benchbook.errors import Fault, FaultyInput


def read_cases(data: bytes, where: str) -> Words:
    """Read a ``Dataset.data`` or ``Prototask.data``.

    A line that ends in a backslash goes on in the next one. What follows ``#`` is a comment. What follows ``@`` is the
    commonality index: cases that have the same one belong together, such as those of one person, and a case without one
    belongs to no other. ``?`` is a missing value. Empty lines and lines with only a comment are no cases.

    Raises:
        FaultyInput: the file ends in the middle of a case or is not text.
    """
    cases: list[tuple[str, ...]] = []
    numbers: list[int] = []
    groups: list[str] = []
    pending, first = "", 0
    for number, line in lines(data, where):
        first = first or number
        pending += line.rstrip()
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        values, _, index = pending.partition("#")[0].partition("@")
        if words := values.split():
            cases.append(tuple(words))
            numbers.append(first)
            groups.append(" ".join(index.split()))
        pending, first = "", 0
    if pending:
        raise FaultyInput(
            f"{where} cannot be read",
            [
                Fault(
                    f"{where}, line {first}",
                    "a case that goes on past the end of the file",
                    "the last line of a case does not end in a backslash",
                )
            ],
            "Is the file complete?",
        )
    return Words(where, cases, numbers, groups if any(groups) else [])


def read_delimited(data: bytes, where: str, separator: str = " ", skip: int = 0) -> Words:
    """The words of a table.

    Args:
        data: the content of the file.
        where: its name, for messages.
        separator: what stands between values; a blank stands for any run of blanks and tabs.
        skip: how many lines to leave out at the top, such as a header.
    """
    cases, numbers = [], []
    for number, line in lines(data, where):
        if number > skip and line.strip():
            values = line.split() if separator == " " else line.split(separator)
            cases.append(tuple(value.strip() for value in values))
            numbers.append(number)
    return Words(where, cases, numbers)


def rearrange(words: Words, layout: Mapping[str, Any]) -> Words:
    """The cases in the order of the card's attributes.

    Keys of ``layout``: ``drop`` lists columns to leave out (counted from 0), ``letters`` is a column whose word is
    taken apart into letters, ``target_first`` moves the first column to the end, ``full_stop`` takes a full stop off
    the last word. They are applied in this order.
    """
    cases = words.cases
    if drop := set(layout.get("drop", ())):
        cases = [
            tuple(word for column, word in enumerate(line) if column not in drop) for line in cases
        ]
    if (letters := layout.get("letters")) is not None:
        cases = [
            (*line[:letters], *line[letters], *line[letters + 1 :]) if len(line) > letters else line
            for line in cases
        ]
    if layout.get("target_first"):
        cases = [(*line[1:], line[0]) for line in cases]
    if layout.get("full_stop"):
        cases = [(*line[:-1], line[-1].rstrip(".")) for line in cases]
    return Words(words.where, cases, words.numbers)


MISSING = "?"
Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Words:
    """The cases of a file as words, one tuple a case, with the line each case starts on.

    ``groups`` has the commonality index of each case, empty where it has none; the list is empty when none has one.
    """

    where: str
    cases: list[tuple[str, ...]]
    numbers: list[int]
    groups: list[str] = field(default_factory=list)

    def place(self, case: int) -> str:
        """File and line of a case, for a message."""
        return f"{self.where}, line {self.numbers[case]}"


def commonality(words: Words, taken: Collection[str] = ()) -> tuple[Attribute, pl.Series] | None:
    """The commonality index as an attribute: numbers from 0 in the order of the file, equal where cases go together.

    A case without an index has a number of its own.

    Args:
        words: what was read from the file.
        taken: names of other attributes, which the new one must not have.

    Returns:
        The attribute, whose index is one above their number, and its values; None when no case has an index.
    """
    if not words.groups:
        return None
    seen: dict[str | int, int] = {}
    codes = [seen.setdefault(label or case, len(seen)) for case, label in enumerate(words.groups)]
    name = COMMONALITY
    while name in taken:
        name += "-index"
    comment = "DELVE's @: cases with the same number belong together"
    span = IntegerRange(0, max(len(seen) - 1, 1))
    attribute = Attribute(len(taken) + 1, name, "integer", span, comment)
    return attribute, pl.Series(name, codes, dtype=pl.Float64)


def columns(
    words: Words, attributes: Sequence[Attribute], complete: Collection[str] = ()
) -> pl.DataFrame:
    """The cases as one typed column per attribute.

    Args:
        words: what was read from the file.
        attributes: what the columns are, in order.
        complete: names of attributes that must not have missing values, such as targets.

    Raises:
        FaultyInput: cases of another length, words that are no numbers, values outside their range, missing values
            where there must be none; all of them together.
    """
    width = len(attributes)
    faults = [
        Fault(words.place(case), f"{len(line)} values", f"each case has {width}")
        for case, line in enumerate(words.cases)
        if len(line) != width
    ]
    if not words.cases:
        faults.append(Fault(words.where, "no cases", "a data file has at least one"))
    if faults:
        raise FaultyInput(f"{words.where} cannot be read", faults)
    read = list(zip(*words.cases, strict=True))
    numbers = pl.DataFrame(
        [
            pl.Series(attribute.name, values, dtype=pl.String)
            for attribute, values in zip(attributes, read, strict=True)
            if attribute.numeric
        ]
    )
    numbers = numbers.cast(pl.Float64, strict=False)  # all at once; what is no number becomes null
    made = []
    for attribute, values in zip(attributes, read, strict=True):
        if attribute.numeric:
            made.append(numbers[attribute.name])
            _check_numbers(made[-1].to_numpy(), values, attribute, words, faults)
        else:
            made.append(_values(values, attribute, words, faults))
        if attribute.name in complete and MISSING in values:
            faults += [
                Fault(
                    f"{words.place(case)}, {attribute.name}",
                    "a missing value",
                    "it must be known here",
                )
                for case, word in enumerate(values)
                if word == MISSING
            ]
    if faults:
        raise FaultyInput(f"{words.where} does not hold what its attributes say", faults)
    return pl.DataFrame(made)


def _check_numbers(
    numbers: Numbers, column: Sequence[str], attribute: Attribute, words: Words, faults: list[Fault]
) -> None:
    """Add a fault for every word that is no number and for every number outside the range."""
    finite = np.isfinite(numbers)
    faults += [
        _fault(words, case, attribute, column[case], "a number is wanted, or ? when it is missing")
        for case in map(int, np.flatnonzero(~finite))
        if column[case] != MISSING
    ]
    rule = f"the range is {format_range(attribute.range)}"
    faults += [
        _fault(words, case, attribute, column[case], rule)
        for case in map(int, np.flatnonzero(finite & _outside(numbers, attribute.range)))
    ]


def _outside(values: Numbers, allowed: object) -> NDArray[np.bool_]:
    """Which numbers break the range."""
    if isinstance(allowed, IntegerRange):
        return (values < allowed.low) | (values > allowed.high) | (values != np.round(values))
    assert isinstance(allowed, Interval)
    below = values < allowed.low if allowed.closed_low else values <= allowed.low
    above = values > allowed.high if allowed.closed_high else values >= allowed.high
    return below | above


def _values(
    column: Sequence[str], attribute: Attribute, words: Words, faults: list[Fault]
) -> pl.Series:
    assert isinstance(attribute.range, tuple)
    text = pl.Series(attribute.name, column, dtype=pl.String)
    text = text.set(text == MISSING, None)
    allowed = list(attribute.range)
    # Some files write the codes of classes as 1.0, 2.0.
    text = text.set(~text.is_in(allowed).fill_null(True), None).fill_null(
        text.str.replace(r"^(\d+)\.0*$", "$1")
    )
    strange = text.is_not_null() & ~text.is_in(allowed)
    rule = f"the values are {' '.join(attribute.range[:12])}{' ...' if len(attribute.range) > 12 else ''}"
    faults += [_fault(words, case, attribute, text[case], rule) for case in strange.arg_true()]
    return text


def _fault(words: Words, case: int, attribute: Attribute, found: str, rule: str) -> Fault:
    return Fault(f"{words.place(case)}, {attribute.name}", repr(found), rule)
