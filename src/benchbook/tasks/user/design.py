"""How a user's cases are ordered and dealt out: DELVE's design as far as there are cases for it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets.ranges import IntegerRange
from benchbook.datasets.types import Attribute
from benchbook.datasets.user.guess import Guess
from benchbook.datasets.user.texts import Table
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import time_blocks
from benchbook.seeds import generator
from benchbook.tasks.splitting import starts_of_sets
from benchbook.tasks.user.request import TableRequest

FEWEST = 50
"""Cases below which there are no disjoint training sets worth the name."""
_LARGEST_POOL = 4096
_INSTANCES, _FEWEST_INSTANCES = 8, 4
_SIZES = tuple(2**power for power in range(3, 11))
_LEAST_SIZE = FEWEST // 2 // _FEWEST_INSTANCES
"""What the fewest cases give."""
_MOST_SIZES = 4
_HIERARCHICAL = 100
"""Test cases of an instance from which on each has its own."""
_LARGEST_SHARE = 0.7


@dataclass(frozen=True)
class UserDesign:
    """How many cases are used for what; ``note`` says why.

    ``whole_groups`` is true when training sets, too, are filled with groups that no other has a case of.
    """

    pool: int
    selection: str
    sizes: tuple[int, ...]
    instances: int
    order: str
    note: str
    whole_groups: bool = False

    def table(self) -> dict[str, Any]:
        """The keys of a prototask."""
        return {
            "test-set-size": self.pool,
            "test-set-selection": self.selection,
            "training-set-sizes": list(self.sizes),
            "maximum-instances": self.instances,
            "order": self.order,
        }


def design(
    cases: int, group_sizes: NDArray[np.int64] | None = None, *, in_time: bool = False
) -> UserDesign:
    """A test pool of half the cases and up to four sizes of at least four disjoint training sets.

    Args:
        cases: how many there are.
        group_sizes: cases of each group, in their order; the pool then ends with a group. In time a group is a moment
            with several cases; where there are too few moments for that, training sets may share one.
        in_time: whether the cases are in the order of time, the newest first.

    Raises:
        FaultyInput: one group has so many cases, or so few groups are left beside the tests, that there are no
            training sets.
    """
    pool, lengths = min(cases // 2, _LARGEST_POOL), np.ones(cases, dtype=np.int64)
    if group_sizes is None:
        lengths = lengths[pool:]
    else:
        pool, lengths = _pool_of_groups(group_sizes, pool)
    sizes = _sizes(lengths)
    whole = group_sizes is not None and bool(sizes)
    if not sizes and in_time:
        sizes = _sizes(np.ones(cases - pool, dtype=np.int64))
    if not sizes:
        raise FaultyInput(
            "groups",
            [
                Fault(
                    "groups beside those of the tests",
                    f"{len(lengths)}, with {cases - pool} cases",
                    f"{_FEWEST_INSTANCES} training sets of {_LEAST_SIZE} cases without a common group: name a column "
                    f"with more and smaller groups, or leave the largest groups out of the table",
                )
            ],
        )
    dealt = group_sizes is not None or in_time
    apart = not dealt and pool // _INSTANCES >= _HIERARCHICAL
    return UserDesign(
        pool,
        "hierarchical" if apart else "common",
        tuple(sizes),
        _INSTANCES,
        "retain" if dealt else "random",
        _note(group_sizes is not None, in_time),
        whole,
    )


def _sizes(lengths: NDArray[np.int64]) -> list[int]:
    """The sizes of training sets that whole groups of such lengths give often enough."""
    sizes = [size for size in _SIZES if _fits(lengths, size)][-_MOST_SIZES:]
    return sizes or [size for size in range(_LEAST_SIZE, _SIZES[0]) if _fits(lengths, size)][-1:]


def _pool_of_groups(group_sizes: NDArray[np.int64], least: int) -> tuple[int, NDArray[np.int64]]:
    """The test cases, ``least`` of them or more, in whole groups; and the cases of each group that is left."""
    ends, cases = np.cumsum(group_sizes), int(group_sizes.sum())
    last = int(np.searchsorted(ends, least))
    pool, left = int(ends[last]), group_sizes[last + 1 :]
    if pool > _LARGEST_SHARE * cases:
        raise FaultyInput(
            "groups",
            [
                Fault(
                    "the largest group",
                    f"{group_sizes.max()} of {cases} cases",
                    "groups small enough to be dealt out to tests and training",
                )
            ],
        )
    return pool, left


def _fits(lengths: NDArray[np.int64], size: int) -> bool:
    """Whether there are enough training sets of that size."""
    return len(starts_of_sets(lengths, size, _FEWEST_INSTANCES)) == _FEWEST_INSTANCES


def _note(grouped: bool, in_time: bool) -> str:
    if grouped and not in_time:
        return (
            "The cases are in the order of their groups, which are in a random order. No group is in two training "
            "sets of a size, or in training and tests: what a training set does not need of its last group is not "
            "used."
        )
    if in_time:
        return (
            "The newest cases are the test cases, and every training set is a stretch of time before them, the "
            "first the last one before the tests."
            + (" Cases of one moment are all for tests or all for training." if grouped else "")
        )
    return "The cases are dealt out at random."


_FOLDS = 10
_GAP = 5


def order_of(
    table: Table, request: TableRequest, guesses: Mapping[str, Guess], name: str, title: str
) -> tuple[np.ndarray, np.ndarray | None, tuple[Attribute, pl.Series] | None]:
    """The order of the cases, the sizes of their groups, and the attribute that gives it."""
    cases = table.frame.height
    if request.time:
        return _by_time(guesses[request.time], table)
    if not request.group:
        return np.arange(cases), None, None

    words = table.frame[request.group].cast(pl.String)
    if words.null_count():
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {request.group!r}, {table.place(int(words.is_null().arg_true()[0]))}",
                    "no value",
                    "the group of every case",
                )
            ],
            "Nothing was written.",
        )
    codes = words.rank("dense").cast(pl.Float64) - 1.0
    count = int(codes.n_unique())
    if count < 2 * _FOLDS:
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {request.group!r}",
                    f"{count} groups",
                    f"{2 * _FOLDS} at least, to be dealt out to tests and training",
                )
            ],
            "Nothing was written.",
        )
    rng = generator(0, "groups", name)
    index = rng.permutation(count)[codes.cast(pl.Int64).to_numpy()]
    order = np.lexsort(
        (rng.permutation(cases), index)
    )  # at random in a group too, of which a part may be used
    return (
        order,
        run_lengths(index[order]),
        (Attribute(1, title, "integer", IntegerRange(0, count - 1), "number of the group"), codes),
    )


def _by_time(one: Guess, table: Table) -> tuple[np.ndarray, None, tuple[Attribute, pl.Series]]:
    """The newest cases first."""
    if one.attribute is None or not one.attribute.numeric or one.values.null_count():
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {one.name!r}",
                    one.why or "no number or date in some case",
                    "a date such as 2026-11-22 or a number for every case",
                )
            ],
            "Nothing was written.",
        )
    if one.values.n_unique() < 2:
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {one.name!r}",
                    "the same time in every case",
                    "a time that differs: tests are on the newest cases, and there are none",
                )
            ],
            "Nothing was written.",
        )
    return np.argsort(-one.values.to_numpy(), kind="stable"), None, (one.attribute, one.values)


def run_lengths(codes: np.ndarray) -> np.ndarray:
    starts = np.flatnonzero(np.diff(codes, prepend=np.nan))
    return np.diff(np.append(starts, len(codes)))


def scheme(kind: str, times: np.ndarray | None, *, grouped: bool) -> str:
    """The folds that suit the cases: of whole groups, of stretches of time with the widest gap up to five steps, or
    at random."""
    if grouped:
        return f"grouped-{_FOLDS}"
    if times is None:
        return f"{'stratified' if kind == 'class' else 'random'}-{_FOLDS}"
    moments = len(np.unique(times))
    folds = min(_FOLDS, moments)
    for gap in range(min(_GAP, moments // _FOLDS), 0, -1):
        with contextlib.suppress(FaultyInput):
            time_blocks(times, folds, gap)
            return f"blocks-{folds}-{gap}"
    return f"blocks-{folds}-0"
