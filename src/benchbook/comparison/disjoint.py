"""DELVE's design on a user's cases: training sets that share no case, and tests that none of them touches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook import seeds
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.plan import TrainTest, refusal, train_test
from benchbook.tasks.splitting import starts_of_sets

_MOST_INSTANCES, _LARGEST_POOL, _OWN_TESTS = 8, 4096, 100


def disjoint_splits(data: ComparisonData, size: int | None, seed: int) -> tuple[TrainTest, ...]:
    """DELVE's design: training sets that share no case, and a test pool that no training set touches."""
    order = _pool_order(data, seed)
    pool = min(len(data) // 2, _LARGEST_POOL)
    lengths = np.ones(len(data) - pool, dtype=np.int64)
    if data.groups is not None:
        pool, lengths = _whole_groups(data.groups[order], pool)
    spare = int(lengths.sum())
    if size is None:
        size = max(spare // _MOST_INSTANCES, min(spare // 4, 16))
    starts = starts_of_sets(lengths, size, _MOST_INSTANCES)
    if len(starts) < 2 or size < max(2, len(data.classes)):
        rule = f"from {max(2, len(data.classes))} to {spare // 2}: two training sets at least without a common case"
        raise refusal(f"disjoint training sets of {size} of {spare} cases", rule, "sizes")
    tests, rest = order[:pool], order[pool:]
    block = pool // len(starts)
    own = block >= _OWN_TESTS
    return tuple(
        train_test(
            rest[start : start + size],
            tests[number * block : (number + 1) * block] if own else tests,
            0,
            number,
        )
        for number, start in enumerate(starts)
    )


def _pool_order(data: ComparisonData, seed: int) -> NDArray[Any]:
    """The cases with those first that test: the latest, whole groups in random order, or at random."""
    rng = seeds.generator(seed, "disjoint")
    if data.time is not None:
        return np.argsort(data.time, kind="stable")[::-1]
    if data.groups is None:
        return rng.permutation(len(data))
    index = rng.permutation(int(data.groups.max()) + 1)[data.groups]
    return np.lexsort((rng.permutation(len(data)), index))


def _whole_groups(groups: NDArray[Any], pool: int) -> tuple[int, NDArray[np.int64]]:
    """The size of a test pool that ends with a group, and the cases of each group after it."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    lengths = np.diff(np.append(starts, len(groups)))
    last = int(np.searchsorted(np.cumsum(lengths), pool))
    return int(np.cumsum(lengths)[last]), lengths[last + 1 :]
