"""How much too small the mean loss of the best method is, because it was picked from the same cases.

The cases (groups where there are groups) are drawn with replacement. In each draw the method with the smallest mean is
picked; the mean of its loss over the cases that were not drawn, less its mean over those drawn, is what picking gains.

Source: Tsamardinos, Greasidou and Borboudakis (2018), "Bootstrapping the out-of-sample predictions for efficient and
accurate cross-validation", section 3. It leans upwards: of six methods that are equal it says 1.0 to 1.9 times the true
optimism, of two and three mostly 1.4 to 2.5 times (up to 9 times with 60 cases whose losses are alike), and nothing
where one is clearly best (``benchmarks/battery/README.md``).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.clusters import Array

_DRAWS, _MOST_UNITS = 200, 1000


@lru_cache(maxsize=4)
def _draws(count: int) -> tuple[NDArray[np.int64] | None, NDArray[np.int64], Array]:
    """The block of each of so many units where several are drawn together, how often each is in each draw, and whether
    it is in none. The same for all losses of a comparison."""
    rng = np.random.default_rng(0)
    block = rng.permutation(count) % _MOST_UNITS if count > _MOST_UNITS else None
    units = min(count, _MOST_UNITS)
    drawn = rng.multinomial(units, np.full(units, 1.0 / units), size=_DRAWS)
    return block, drawn, (drawn == 0).astype(float)


def optimism(sums: Array, share: Array) -> float:
    """The mean gain from picking, in the unit of the loss; 0 for one method.

    Args:
        sums: [C, M], of each unit its part in the mean losses. share: [C], of each unit; of more than 1,000 units
            several are drawn together.
    """
    if sums.shape[1] < 2:
        return 0.0
    block, drawn, out = _draws(len(share))
    if block is not None:
        share = np.bincount(block, share).astype(np.float64)
        sums = np.stack([np.bincount(block, column) for column in sums.T], axis=1)
    known = (out @ share > 0.0) & (drawn @ share > 0.0)
    if not known.any():
        return 0.0
    within = (drawn @ sums)[known] / (drawn @ share)[known, None]
    without = (out @ sums)[known] / (out @ share)[known, None]
    best = within.argmin(axis=1)[:, None]
    return float(np.take_along_axis(without - within, best, axis=1).mean())
