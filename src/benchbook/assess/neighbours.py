"""Whether rows of a table that follow one another have similar losses: then they are no independent cases.

Of each mean loss and each difference of two methods the losses of a row (averaged over its splits) are ranked, and
ranks of neighbouring rows correlated. With independent rows every order of them is as likely, so that the correlation
times √(number of neighbours) is nearly standard normal, however heavy the tails. There is one decision for all losses
of a comparison: the largest of these numbers against the normal quantile at ``LEVEL`` over how many they are.

What the order of the targets explains is no dependence. Of classes the mean loss of each class is taken off first, of
numbers that of cases with about the same target where the table is sorted by them.

In the battery (``benchmarks/battery/README.md``) independent rows are called dependent in .5 to 2.5 % of datasets (four
methods or seven; numbers, classes, heavy tails), and 30 groups of three rows, or 100 of two, are found in 80 to 100 %.
At 5 % for each quantity 17 to 47 % would be called dependent, and without ranks heavy tails in 6 %. An autoregressive
series (coefficient .9) is found in one of thirteen: its losses are hardly correlated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.clusters import Array
from benchbook.assess.overlapping import Codes, Entries, without_rounding

LEVEL = 0.03
"""Of the one decision; our choice, from the battery."""
_LEAST_NEIGHBOURS = 20
_LEAST_DIFFERENT = 20
_MOST_ROWS = 20_000
_ALL_PAIRS = 10
"""Methods up to which each pair is looked at, and above only each with the next."""

Losses = Mapping[str, Array]


def rows_depend(losses: Iterable[tuple[Losses, Entries]], targets: ArrayLike | None = None) -> bool:
    """Whether neighbouring rows are more alike than chance allows, by all losses together.

    Args:
        losses: for each loss the finite losses [E] by method, and their entries.
        targets: [N] by row; whole numbers or text are classes.
    """
    blocks = None if targets is None else _alike(np.asarray(targets))
    scores = []
    for values, where in losses:
        rows = where.cases[0]
        adjacent = np.flatnonzero(np.diff(rows[:_MOST_ROWS]) == 1)
        if not where.grouped and len(adjacent) >= _LEAST_NEIGHBOURS:
            quantities = _by_row(values, where, None if blocks is None else blocks[rows])
            scores += [_score(each, adjacent) for each in quantities]
    if not scores:
        return False
    return bool(max(scores) > -scipy.special.ndtri(LEVEL / len(scores)))


def _by_row(values: Losses, where: Entries, block: Codes | None) -> Iterator[Array]:
    """Mean losses [rows] of each method and differences of each two, of those that tell enough rows apart."""
    at = where.cases[1]
    count = np.bincount(at)
    means = [
        np.bincount(at, value) / count for value in values.values() if np.isfinite(value).all()
    ]
    for mean in means:
        yield from _telling(mean, block)
    pairs = combinations(means, 2) if len(means) <= _ALL_PAIRS else pairwise(means)
    for one, other in pairs:
        size = max(float(np.abs(one).mean()), float(np.abs(other).mean()))
        yield from _telling(without_rounding(one - other, size), block)


def _telling(values: Array, block: Codes | None) -> Iterator[Array]:
    if block is not None:
        size = float(np.abs(values).mean())
        explained = np.bincount(block, values) / np.maximum(np.bincount(block), 1)
        values = without_rounding(values - explained[block], size)
    frequent = int(np.unique(values, return_counts=True)[1].max())
    if len(values) - frequent >= _LEAST_DIFFERENT:
        yield values


def _score(values: Array, adjacent: Codes) -> float:
    """The correlation of neighbours' ranks over its standard error."""
    ranks = scipy.stats.rankdata(values[:_MOST_ROWS])
    ranks -= ranks.mean()
    variance = float((ranks**2).mean())
    together = float((ranks[adjacent] * ranks[adjacent + 1]).mean())
    return together / variance * float(np.sqrt(len(adjacent))) if variance else 0.0


def _alike(targets: NDArray[np.float64], size: int = 10) -> NDArray[np.int64] | None:
    """[N] number of the class, or in a table that is sorted by a number of the block of ten alike; else None."""
    codes = np.unique(targets, return_inverse=True)[1]
    if targets.dtype.kind != "f" and codes.max() < len(codes) // size:
        return codes
    steps = np.diff(codes)
    if len(codes) > 2 * size and (np.all(steps >= 0) or np.all(steps <= 0)):
        return np.arange(len(codes)) // size
    return None
