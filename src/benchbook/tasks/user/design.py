"""How a user's cases are dealt out: DELVE's design as far as there are cases for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import Fault, FaultyInput
from benchbook.tasks.splitting import starts_of_sets

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
