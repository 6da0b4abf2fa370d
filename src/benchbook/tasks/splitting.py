"""DELVE's splitting rule: an order, a test pool, and disjoint training sets.

1. The cases are put in order: kept, permuted, or as a file says.
2. The first ``test_set_size`` of them are the test pool.
3. The rest is cut into consecutive training sets of the task's size; there are
   ``I = min(floor(rest / size), maximum)`` instances.
4. Hierarchical: instance i is tested on block i of ``floor(pool / I)`` cases, the remainder is not used. Common: every
   instance is tested on the whole pool.

(DELVE 1.1, as read in ``taskGen.tcl``.) DELVE's random orders came from a lagged Fibonacci generator and are lost; ours
is numpy's permutation from PCG64, seeded by the names of dataset and prototask, the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.seeds import generator
from benchbook.tasks.declaration import Prototask

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
        return positions[generator(0, "order", prototask.dataset, prototask.name).permutation(len(positions))]
    return positions[_read_order((folder or Path()) / prototask.order, len(positions))]


def instance_count(prototask: Prototask, size: int, cases: int) -> int:
    """I, the number of instances of training-set size ``size`` when ``cases`` take part.

    Raises:
        BenchbookError: not even one instance fits, with the numbers.
    """
    spare = cases - prototask.test_set_size
    if spare < size:
        raise BenchbookError(
            f"task {prototask.path}/std.{size} is larger than its data: {prototask.test_set_size} test cases and "
            f"{size} training cases make {prototask.test_set_size + size}, and {prototask.dataset} gives {cases}. "
            f"Use a smaller training set or a smaller test-set-size.")
    count = min(spare // size, prototask.limit(size))
    if prototask.test_set_selection == "hierarchical" and count > prototask.test_set_size:
        raise BenchbookError(
            f"task {prototask.path}/std.{size}: {count} instances cannot share a test pool of "
            f"{prototask.test_set_size} cases. Raise test-set-size or lower maximum-instances.")
    return count


def split(prototask: Prototask, size: int, order: Indices) -> Split:
    """Deal the ordered cases ``order[n]`` out to the instances of the task with that training-set size."""
    count = instance_count(prototask, size, len(order))
    pool, rest = order[:prototask.test_set_size], order[prototask.test_set_size:]
    train = tuple(rest[i * size:(i + 1) * size] for i in range(count))
    if prototask.test_set_selection == "common":
        return Split(train, (pool,) * count)
    block = len(pool) // count
    return Split(train, tuple(pool[i * block:(i + 1) * block] for i in range(count)))


def _read_order(path: Path, count: int) -> Indices:
    """Positions from a text file, one a line, ``#`` starting a comment."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BenchbookError(f"the order file {path} cannot be read: {error.strerror}. Mend 'order'.") from error
    faults, found = [], []
    for number, line in enumerate(lines, 1):
        word = line.split("#")[0].strip()
        if word.isdigit() and int(word) < count:
            found.append(int(word))
        elif word:
            faults.append(Fault(f"line {number}", repr(word), f"a whole number from 0 to {count - 1}"))
    seen, twice = np.unique(found, return_counts=True)
    faults += [Fault("position", f"{value} more than once", "each position once") for value in seen[twice > 1]]
    if not faults and len(found) != count:
        faults.append(Fault("file", f"{len(found)} positions", f"one for each of the {count} cases"))
    if faults:
        raise FaultyInput(f"order file {path}", faults)
    return np.asarray(found, dtype=np.int64)
