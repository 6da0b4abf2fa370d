"""From the words of a file to the columns of a dataset, with every fault named by file and line."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets.ranges import IntegerRange, Interval, format_range
from benchbook.datasets.types import Attribute
from benchbook.errors import Fault, FaultyInput

MISSING = "?"
Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Words:
    """The cases of a file as words, one tuple a case, with the line each case starts on."""

    where: str
    cases: list[tuple[str, ...]]
    numbers: list[int]

    def place(self, case: int) -> str:
        """File and line of a case, for a message."""
        return f"{self.where}, line {self.numbers[case]}"


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
