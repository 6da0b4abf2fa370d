"""Plain tables: values between commas or blanks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook.datasets.readers.table import Words
from benchbook.datasets.readers.text import lines


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
            cases.append(_split(line, separator))
            numbers.append(number)
    return Words(where, cases, numbers)


def _split(line: str, separator: str) -> tuple[str, ...]:
    if separator == " ":
        return tuple(line.split())
    return tuple(value.strip() for value in line.split(separator))


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
