"""PROBEN1's files made again from the originals, and compared with the files of 1994 value by value."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook.datasets import loading
from benchbook.datasets.proben1.representation import Columns, Encoded
from benchbook.datasets.proben1.writer import number
from benchbook.datasets.registry import card
from benchbook_book.pages.proben1 import summaries
from benchbook_book.pages.proben1.originals import original

_PAIRED = 2000


@dataclass(frozen=True, eq=False)
class File:
    """One published file against the rebuilt cases.

    ``equal`` counts examples found among the rebuilt ones, each used once. ``order`` has, for each example of the file,
    the number of the rebuilt case it is, from 0, and -1 where there is none. Cases that are equal to others cannot be
    told apart; ``ambiguous`` counts those, and they are given in the original order.
    """

    name: str
    examples: int
    equal: int
    order: NDArray[np.int64]
    ambiguous: int

    @property
    def exact(self) -> bool:
        """Whether every example was rebuilt."""
        return self.equal == self.examples

    @property
    def original_order(self) -> bool:
        """Whether the file keeps the order of the originals."""
        return bool(np.array_equal(self.order, np.arange(self.examples)))


@dataclass(frozen=True, eq=False)
class RebuiltProblem:
    """A problem rebuilt. ``columns`` has a line for each input and output: name and the share of equal values.

    Values are compared case by case; examples without an equal case are paired so that as many values as possible
    agree, and when there are more than 2,000 of them, in the order they come.
    """

    problem: str
    cases: int
    files: tuple[File, ...]
    columns: pl.DataFrame
    deviations: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether all files are rebuilt, value by value, and hold no example more or less."""
        return all(file.exact and file.examples == self.cases for file in self.files)


def needed(*problems: str) -> tuple[str, ...]:
    """The data sets that problems are rebuilt from and compared with: their originals and their three files.

    Raises:
        UnknownName: there is no such problem.
    """
    return tuple(
        name
        for problem in problems
        for name in (
            *original(problem).sources,
            *(f"proben1-{problem}{number}" for number in (1, 2, 3)),
        )
    )


def at_hand(problem: str) -> bool:
    """Whether a problem's originals and files can be read without the network."""
    return all(loading.at_hand(name) for name in needed(problem))


def columns(problem: str) -> Columns:
    """The original values of the cases that a problem uses, by attribute, in the original order.

    Raises:
        BenchbookError: there is no such problem.
        MissingData: the originals are not available and cannot be downloaded.
    """
    rules = original(problem)
    frames = [loading.load(name).cases for name in rules.sources]
    frame = pl.concat(frames, how="vertical_relaxed")
    return rules.prepare({name: frame[name].to_list() for name in frame.columns})


def rebuilt(problem: str) -> Encoded:
    """The cases of a problem, encoded from the originals by its rules, in the original order.

    Raises:
        BenchbookError: there is no such problem.
        MissingData: the originals are not available and cannot be downloaded.
    """
    return original(problem).representation.encode(columns(problem), problem)


def compare(problem: str) -> RebuiltProblem:
    """Rebuild a problem and hold it against its three published files.

    Numbers are compared with the six significant digits that the files have.

    Raises:
        BenchbookError: there is no such problem.
        MissingData: the originals or the files are not available and cannot be downloaded.
    """
    made = rebuilt(problem)
    names = [f"proben1-{problem}{permutation}" for permutation in (1, 2, 3)]
    tables = [
        np.hstack(pair) for pair in ((made.inputs, made.targets), *map(summaries.values, names))
    ]
    ours, *theirs = _written(tables)
    files = tuple(_file(name, lines, ours) for name, lines in zip(names, theirs, strict=True))
    shares = _shares(names[0], ours, theirs[0], files[0].order)
    return RebuiltProblem(problem, len(ours), files, shares, original(problem).deviations)


def _written(tables: list[NDArray[np.float64]]) -> list[NDArray[np.int64]]:
    """Tables of numbers as tables of the numbers of their texts: equal where the same would be written in a file."""
    values = np.unique(np.concatenate([np.unique(table) for table in tables]))
    texts: dict[str, int] = {}
    codes = np.array([texts.setdefault(number(value), len(texts)) for value in values.tolist()])
    return [codes[np.searchsorted(values, table)] for table in tables]


def _file(name: str, lines: NDArray[np.int64], ours: NDArray[np.int64]) -> File:
    places: dict[bytes, deque[int]] = defaultdict(deque)
    keys = [line.tobytes() for line in ours]
    for index, key in enumerate(keys):
        places[key].append(index)
    copies = Counter(keys)
    order = np.array(
        [
            places[key].popleft() if places.get(key) else -1
            for key in (line.tobytes() for line in lines)
        ]
    )
    present = order >= 0
    ambiguous = sum(copies[line.tobytes()] > 1 for line in lines[present])
    return File(name, len(lines), int(present.sum()), order, ambiguous)


def _shares(
    name: str, ours: NDArray[np.int64], theirs: NDArray[np.int64], order: NDArray[np.int64]
) -> pl.DataFrame:
    """Share of equal values for each column, in per cent."""
    examples, cases = np.flatnonzero(order >= 0), order[order >= 0]
    alone, left = np.flatnonzero(order < 0), np.setdiff1d(np.arange(len(ours)), order)
    pairs = _nearest(ours[left], theirs[alone])
    examples, cases = np.append(examples, alone[pairs[0]]), np.append(cases, left[pairs[1]])
    equal = 100 * (theirs[examples] == ours[cases]).sum(axis=0) / len(theirs)
    names = [attribute.name for attribute in card(name).attributes]
    return pl.DataFrame(
        {"column": names, "equal": equal}, schema={"column": pl.String, "equal": pl.Float64}
    )


def _nearest(
    ours: NDArray[np.int64], theirs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of an example and a case that nothing equals, with as many equal values as can be."""
    both = min(len(ours), len(theirs))
    if not both or max(len(ours), len(theirs)) > _PAIRED:
        return np.arange(both), np.arange(both)
    differing = np.zeros((len(theirs), len(ours)), dtype=int)
    for here, present in zip(theirs.T, ours.T, strict=True):
        differing += here[:, None] != present[None, :]
    examples, cases = scipy.optimize.linear_sum_assignment(differing)
    return np.asarray(examples), np.asarray(cases)
