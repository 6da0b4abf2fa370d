"""How a user's cases are dealt out: DELVE's design as far as there are cases for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import Fault, FaultyInput

FEWEST = 50
"""Cases below which there are no disjoint training sets worth the name."""
_LARGEST_POOL = 4096
_INSTANCES, _FEWEST_INSTANCES = 8, 4
_SIZES = tuple(2**power for power in range(3, 11))
_MOST_SIZES = 4
_HIERARCHICAL = 100
"""Test cases of an instance from which on each has its own."""
_LARGEST_SHARE = 0.7


@dataclass(frozen=True)
class Design:
    """How many cases are used for what; ``note`` says why."""

    pool: int
    selection: str
    sizes: tuple[int, ...]
    instances: int
    order: str
    note: str

    def table(self) -> dict[str, Any]:
        """The keys of a prototask."""
        return {"test-set-size": self.pool, "test-set-selection": self.selection,
                "training-set-sizes": list(self.sizes), "maximum-instances": self.instances, "order": self.order}


def design(cases: int, group_sizes: NDArray[np.int64] | None = None, *, in_time: bool = False) -> Design:
    """A test pool of half the cases and up to four sizes of at least four disjoint training sets.

    Args:
        cases: how many there are.
        group_sizes: cases of each group, in their order; the pool then ends with a group.
        in_time: whether the cases are in the order of time, the newest first.

    Raises:
        FaultyInput: one group has so many cases that none are left for training.
    """
    pool = min(cases // 2, _LARGEST_POOL)
    if group_sizes is not None:
        ends = np.cumsum(group_sizes)
        pool = int(ends[np.searchsorted(ends, pool)])
        if pool > _LARGEST_SHARE * cases:
            raise FaultyInput("groups", [Fault("the largest group", f"{group_sizes.max()} of {cases} cases",
                                               "groups small enough to be dealt out to tests and training")])
    spare = cases - pool
    sizes = [size for size in _SIZES if spare // size >= _FEWEST_INSTANCES][-_MOST_SIZES:]
    sizes = sizes or [max(1, spare // _FEWEST_INSTANCES)]
    dealt = group_sizes is not None or in_time
    apart = not dealt and pool // _INSTANCES >= _HIERARCHICAL
    return Design(pool, "hierarchical" if apart else "common", tuple(sizes), _INSTANCES,
                  "retain" if dealt else "random", _note(group_sizes is not None, in_time))


def _note(grouped: bool, in_time: bool) -> str:
    if grouped:
        return ("The cases are in the order of their groups, which are in a random order; no group has both test and "
                "training cases. Two training sets that follow each other may share one group.")
    if in_time:
        return ("The newest cases are the test cases, and every training set is a stretch of time before them, the "
                "first "
                "the last one before the tests.")
    return "The cases are dealt out at random."
