"""The cases of a published dataset from all its files."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from benchbook.datasets.readers.arff import read_arff
from benchbook.datasets.readers.proben1 import read_dt
from benchbook.datasets.readers.table import Words, columns, read_cases, read_delimited, rearrange
from benchbook.datasets.types import Card
from benchbook.errors import BenchbookError, Fault, FaultyInput


def read(card: Card, contents: Sequence[tuple[bytes, str]]) -> pl.DataFrame:
    """The cases of a published dataset, from the contents of its files and where each came from.

    Files are stacked, unless the card's layout has ``beside``: the number of files that hold the columns of the
    same cases, one file after the other.

    Raises:
        FaultyInput: the files do not hold what the card says.
    """
    parts = [rearrange(_words(card, data, where), card.layout) for data, where in contents]
    beside = int(card.layout.get("beside", 1))
    blocks = [_beside(parts[start : start + beside]) for start in range(0, len(parts), beside)]
    complete = [
        attribute.name for attribute in card.attributes if attribute.name not in card.missing
    ]
    return pl.concat([columns(block, card.attributes, complete) for block in blocks])


def _words(card: Card, data: bytes, where: str) -> Words:
    if card.reader == "delve":
        words = read_cases(data, where)
        if words.groups:
            fault = Fault(where, "commonality indices (@)", "a card has no place for them")
            advice = "Add the folder by `benchbook datasets add`, which keeps such cases together."
            raise FaultyInput(f"{card.name} cannot be read", [fault], advice)
        return words
    if card.reader == "arff":
        return read_arff(data, where)
    if card.reader == "proben1":
        return read_dt(data, where).words
    if card.reader == "table":
        return read_delimited(
            data, where, card.layout.get("separator", " "), int(card.layout.get("skip", 0))
        )
    raise BenchbookError(
        f"the card of {card.name} names a reader {card.reader!r} that does not exist; "
        "there are arff, delve, proben1 and table"
    )


def _beside(parts: Sequence[Words]) -> Words:
    """The files of one block joined case by case."""
    first = parts[0]
    if len(parts) == 1:
        return first
    faults = [
        Fault(part.where, f"{len(part.cases)} cases", f"{first.where} has {len(first.cases)}")
        for part in parts[1:]
        if len(part.cases) != len(first.cases)
    ]
    if faults:
        raise FaultyInput("files that belong side by side differ in length", faults)
    cases = [
        tuple(word for line in lines for word in line)
        for lines in zip(*(part.cases for part in parts), strict=True)
    ]
    return Words(" and ".join(part.where for part in parts), cases, first.numbers)
