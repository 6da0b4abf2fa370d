"""DELVE's splitting rule: an order, a test pool, and disjoint training sets.

1. The cases are put in order: kept, permuted, or as a file says.
2. The first ``test_set_size`` of them are the test pool.
3. The rest is cut into consecutive training sets of the task's size; there are
   ``I = min(floor(rest / size), maximum)`` instances.
4. Hierarchical: instance i is tested on block i of ``floor(pool / I)`` cases, the remainder is not used. Common: every
   instance is tested on the whole pool.

Where a prototask names groups, which DELVE's do not, no group is in two training sets, or in training and tests. Groups
of the test pool are not trained on; each training set is filled with whole groups in their order, and what it does not
need of its last group is not used, so that sizes stay exact.

(DELVE 1.1, as read in ``taskGen.tcl``.) DELVE's random orders came from a lagged Fibonacci generator and are lost; ours
is numpy's permutation from PCG64, seeded by the names of dataset and prototask, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.seeds import generator
from benchbook.tasks.declaration import Prototask

if TYPE_CHECKING:
    import polars as pl

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Split:
    """The instances of one task: ``train[I][N]`` and ``test[I][J]``, positions of cases in the dataset."""

    train: tuple[Indices, ...]
    test: tuple[Indices, ...]

    @property
    def instances(self) -> int:
        """I, the number of instances."""
        return len(self.train)


def ordered(prototask: Prototask, positions: Indices, folder: Path | None = None) -> Indices:
    """The cases ``positions[n]`` in the order of the prototask.

    Args:
        prototask: whose ``order`` is followed.
        positions: cases of the dataset that take part, in the dataset's order.
        folder: where a relative path of an order file starts.

    Raises:
        FaultyInput: an order file that is not a permutation of 0 ... n-1.
    """
    if prototask.order == "retain":
        return positions
    if prototask.order == "random":
        return positions[
            generator(0, "order", prototask.dataset, prototask.name).permutation(len(positions))
        ]
    return positions[_read_order((folder or Path()) / prototask.order, len(positions))]


def instance_count(prototask: Prototask, size: int, cases: int) -> int:
    """I, the number of instances of training-set size ``size`` when ``cases`` take part; with groups, the most.

    Raises:
        BenchbookError: not even one instance fits, with the numbers.
    """
    spare = cases - prototask.test_set_size
    if spare < size:
        raise BenchbookError(
            f"task {prototask.path}/std.{size} is larger than its data: {prototask.test_set_size} test cases and "
            f"{size} training cases make {prototask.test_set_size + size}, and {prototask.dataset} gives {cases}. "
            f"Use a smaller training set or a smaller test-set-size."
        )
    return _limited(prototask, size, spare // size)


def _limited(prototask: Prototask, size: int, fitting: int) -> int:
    count = min(fitting, prototask.limit(size))
    if prototask.test_set_selection == "hierarchical" and count > prototask.test_set_size:
        raise BenchbookError(
            f"task {prototask.path}/std.{size}: {count} instances cannot share a test pool of "
            f"{prototask.test_set_size} cases. Raise test-set-size or lower maximum-instances."
        )
    return count


def split(prototask: Prototask, size: int, order: Indices, groups: Indices | None = None) -> Split:
    """Deal the ordered cases ``order[n]`` out to the instances of the task with that training-set size.

    Args:
        prototask: whose rules are followed.
        size: cases of a training set.
        order: [n] positions in the dataset.
        groups: [n] the group of each case of ``order``, where no two training sets may share one.

    Raises:
        BenchbookError: not even one instance fits, with the numbers.
    """
    count = instance_count(prototask, size, len(order))
    pool, rest = order[: prototask.test_set_size], order[prototask.test_set_size :]
    starts: Sequence[int] = range(0, count * size, size)
    if groups is not None:
        rest, lengths = _free_groups(rest, groups[len(pool) :], groups[: len(pool)])
        starts = starts_of_sets(lengths, size, prototask.limit(size))
        if not starts:
            raise BenchbookError(
                f"task {prototask.path}/std.{size} is larger than its data: the groups without a test case have "
                f"{len(rest)} cases, and a training set needs {size}. Use a smaller training set or a smaller "
                f"test-set-size."
            )
        count = _limited(prototask, size, len(starts))
    train = tuple(rest[start : start + size] for start in starts)
    if prototask.test_set_selection == "common":
        return Split(train, (pool,) * count)
    block = len(pool) // count
    return Split(train, tuple(pool[i * block : (i + 1) * block] for i in range(count)))


def starts_of_sets(lengths: NDArray[np.int64], size: int, most: int) -> list[int]:
    """Where training sets of ``size`` cases begin, so that each begins with a group of its own.

    Args:
        lengths: [G] cases of each group, in their order.
        size: cases of a training set.
        most: no more sets than this.
    """
    ends, starts, start = np.cumsum(lengths), list[int](), 0
    while len(starts) < most and len(ends) and start + size <= ends[-1]:
        starts.append(start)
        start = int(ends[np.searchsorted(ends, start + size)])
    return starts


def _free_groups(
    cases: Indices, groups: Indices, taken: Indices
) -> tuple[Indices, NDArray[np.int64]]:
    """The cases whose group is not taken, each group in one piece and in the order of its first case, and the cases of
    each."""
    free = ~np.isin(groups, taken)
    _, first, member, lengths = np.unique(
        groups[free], return_index=True, return_inverse=True, return_counts=True
    )
    return cases[free][np.argsort(first[member], kind="stable")], lengths[np.argsort(first)]


def group_numbers(cases: pl.DataFrame, columns: Sequence[str]) -> Indices:
    """[n], the same number for cases that agree in all of the columns, counted in the order in which they appear."""
    groups = cases.select(columns).unique(maintain_order=True).with_row_index("group")
    joined = cases.select(columns).join(
        groups, on=list(columns), how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["group"].to_numpy().astype(np.int64)


def _read_order(path: Path, count: int) -> Indices:
    """Positions from a text file, one a line, ``#`` starting a comment."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BenchbookError(
            f"the order file {path} cannot be read: {error.strerror}. Mend 'order'."
        ) from error
    faults, order = [], []
    for number, line in enumerate(lines, 1):
        word = line.split("#")[0].strip()
        if word.isdigit() and int(word) < count:
            order.append(int(word))
        elif word:
            faults.append(
                Fault(f"line {number}", repr(word), f"a whole number from 0 to {count - 1}")
            )
    seen, twice = np.unique(order, return_counts=True)
    faults += [
        Fault("position", f"{value} more than once", "each position once")
        for value in seen[twice > 1]
    ]
    if not faults and len(order) != count:
        faults.append(
            Fault("file", f"{len(order)} positions", f"one for each of the {count} cases")
        )
    if faults:
        raise FaultyInput(f"order file {path}", faults)
    return np.asarray(order, dtype=np.int64)
