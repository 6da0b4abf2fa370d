"""PROBEN1's files made again from the originals, and compared with the files of 1994 value by value."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets import loading
from benchbook.datasets.proben1.originals import original
from benchbook.datasets.proben1.representation import Columns, Encoded
from benchbook.datasets.proben1.writer import number
from benchbook.datasets.registry import card

if TYPE_CHECKING:
    import polars as pl

Line = tuple[str, ...]
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
class Comparison:
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


def columns(problem: str) -> Columns:
    """The original values of the cases that a problem uses, by attribute, in the original order.

    Raises:
        BenchbookError: there is no such problem.
        MissingData: the originals are not at hand and cannot be downloaded.
    """
    import polars as pl

    rules = original(problem)
    frames = [loading.load(name).cases for name in rules.sources]
    frame = pl.concat(frames, how="vertical_relaxed")
    return rules.prepare({name: frame[name].to_list() for name in frame.columns})


def rebuilt(problem: str) -> Encoded:
    """The cases of a problem, encoded from the originals by its rules, in the original order.

    Raises:
        BenchbookError: there is no such problem.
        MissingData: the originals are not at hand and cannot be downloaded.
    """
    return original(problem).representation.encode(columns(problem), problem)


def compare(problem: str) -> Comparison:
    """Rebuild a problem and hold it against its three published files.

    Numbers are compared with the six significant digits that the files have.

    Raises:
        BenchbookError: there is no such problem.
        MissingData: the originals or the files are not at hand and cannot be downloaded.
    """
    ours = _lines(_table(rebuilt(problem)))
    published = {name: loading.load(name) for name in (f"proben1-{problem}{permutation}" for permutation in (1, 2, 3))}
    theirs = {name: _lines(data.cases.to_numpy()) for name, data in published.items()}
    files = tuple(_file(name, lines, ours) for name, lines in theirs.items())
    first = next(iter(theirs))
    shares = _shares(first, ours, theirs[first], files[0].order)
    return Comparison(problem, len(ours), files, shares, original(problem).deviations)


def _table(encoded: Encoded) -> NDArray[np.float64]:
    return np.hstack([encoded.inputs, encoded.targets])


def _lines(table: NDArray[np.float64]) -> list[Line]:
    return [tuple(map(number, line)) for line in table.tolist()]


def _file(name: str, lines: list[Line], ours: list[Line]) -> File:
    places: dict[Line, deque[int]] = defaultdict(deque)
    for place, line in enumerate(ours):
        places[line].append(place)
    copies = Counter(ours)
    order = np.array([places[line].popleft() if places.get(line) else -1 for line in lines])
    found = order >= 0
    ambiguous = sum(copies[line] > 1 for line, known in zip(lines, found, strict=True) if known)
    return File(name, len(lines), int(found.sum()), order, ambiguous)


def _shares(name: str, ours: list[Line], theirs: list[Line], order: NDArray[np.int64]) -> pl.DataFrame:
    """Share of equal values for each column, in per cent."""
    import polars as pl

    alone = np.flatnonzero(order < 0)
    left = np.array(sorted(set(range(len(ours))) - set(order.tolist())), dtype=int)
    pairs = [(theirs[case], ours[place]) for case, place in enumerate(order.tolist()) if place >= 0]
    pairs += [(theirs[case], ours[place]) for case, place in _nearest(ours, theirs, left, alone)]
    names = [attribute.name for attribute in card(name).attributes]
    equal = [100 * sum(a[column] == b[column] for a, b in pairs) / len(theirs) for column in range(len(names))]
    return pl.DataFrame({"column": names, "equal": equal}, schema={"column": pl.String, "equal": pl.Float64})


def _nearest(ours: list[Line], theirs: list[Line], left: NDArray[np.int64],
             alone: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pairs of an example and a case that nothing equals, with as many equal values as can be."""
    from scipy.optimize import linear_sum_assignment

    if max(len(left), len(alone)) > _PAIRED:
        return list(zip(alone.tolist(), left.tolist(), strict=False))
    differing = np.zeros((len(alone), len(left)), dtype=int)
    for column in range(len(ours[0])):
        here, there = (np.array([lines[place][column] for place in places], dtype=object)
                       for lines, places in ((theirs, alone), (ours, left)))
        differing += here[:, None] != there[None, :]
    examples, cases = linear_sum_assignment(differing)
    return list(zip(alone[examples].tolist(), left[cases].tolist(), strict=True))
