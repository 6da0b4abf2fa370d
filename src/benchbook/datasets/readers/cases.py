"""DELVE's data files: one case a line, blank-separated, continued by a backslash, commented by a hash sign."""

from __future__ import annotations

from dataclasses import dataclass

from benchbook.datasets.readers.table import Words
from benchbook.datasets.readers.text import lines
from benchbook.errors import Fault, FaultyInput


@dataclass(frozen=True)
class RawCases:
    """The words of a ``Dataset.data`` or ``Prototask.data``, and the commonality index of each case ("" if none).

    Cases with the same commonality index have something in common that the attributes do not show, such as the person
    who was measured.
    """

    words: Words
    commonality: tuple[str, ...]


def read_cases(data: bytes, where: str) -> RawCases:
    """Read a ``Dataset.data`` or ``Prototask.data``.

    A line that ends in a backslash goes on in the next one. What follows ``#`` is a comment and what follows ``@`` is
    the commonality index. ``?`` is a missing value. Empty lines and lines with only a comment are no cases.

    Raises:
        FaultyInput: the file ends in the middle of a case or is not text.
    """
    cases: list[tuple[str, ...]] = []
    numbers: list[int] = []
    commonality: list[str] = []
    pending, first = "", 0
    for number, line in lines(data, where):
        first = first or number
        pending += line.rstrip()
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        text, _, _ = pending.partition("#")
        text, _, common = text.partition("@")
        if text.strip():
            cases.append(tuple(text.split()))
            numbers.append(first)
            commonality.append(common.strip())
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
    return RawCases(Words(where, cases, numbers), tuple(commonality))
