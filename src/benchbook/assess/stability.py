r"""What another shuffling of the folds would find: how often the same method first, the same differences significant.

A comparison over R repeats of the folds has a mean loss of each method in each of them. Another one, over R other
repeats of the same cases, has means that differ by what shuffling does alone:

    new mean = mean + sqrt(2/R) Σ_r z_r (x_r - mean) / sqrt((R - 1) c),   z_r normal,   c = χ²_{R-1} / (R - 1)

the predictive t on R - 1 degrees of freedom, jointly over methods. Standard errors move, too: by a factor exp(.1 z),
our choice, by simulation. Of what is said and what further repeats then show *Can you trust the one call?* has a table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from benchbook.assess.clusters import Array
from benchbook.assess.decisions import LEVEL

_DRAWS, _SPREAD_OF_ERRORS = 1000, 0.1


class Stability(NamedTuple):
    """Shares of other shufflings of the folds.

    Attributes:
        first: in which the same method has the smallest mean loss.
        significant: in which the same differences are significant, with the same sign; nan where none is tested.
    """

    first: float
    significant: float


def stability(
    repeats: Array,
    candidates: NDArray[np.int64],
    pairs: NDArray[np.int64],
    errors: Array,
    df: Array,
) -> Stability | None:
    """What other shufflings would find; None for one repeat, and where a loss is not finite.

    Args:
        repeats: [R, M] mean losses by repeat and method. candidates: numbers of the methods that can be first.
        pairs: [P, 2] numbers of the methods whose differences are tested together. errors, df: [P] standard errors of
            these, and their degrees of freedom.
    """
    count = len(repeats)
    if count < 2 or not np.isfinite(repeats).all() or len(candidates) < 2:
        return None
    means = repeats.mean(axis=0)
    rng = np.random.default_rng(0)
    scale = np.sqrt(2.0 / count / rng.chisquare(count - 1, (_DRAWS, 1)))
    drawn = means + scale * (rng.standard_normal((_DRAWS, count)) @ (repeats - means))
    own = means[candidates].argmin()
    first = float((drawn[:, candidates].argmin(axis=1) == own).mean())
    if not len(pairs):
        return Stability(first, float("nan"))
    factor = np.exp(_SPREAD_OF_ERRORS * rng.standard_normal((_DRAWS, len(pairs))))
    gaps = np.vstack([means, drawn])
    found = _significant(
        gaps[:, pairs[:, 0]] - gaps[:, pairs[:, 1]],
        errors * np.vstack([np.ones(len(pairs)), factor]),
        df,
    )
    return Stability(first, float((found[1:] == found[0]).all(axis=1).mean()))


def _significant(gaps: Array, errors: Array, df: Array) -> Array:
    """The signs of differences [D, P] that are significant by Holm's correction over each row; 0 of the others."""
    p = 2.0 * scipy.special.stdtr(df, -np.abs(gaps) / errors)
    order, count = p.argsort(axis=1), p.shape[1]
    sorted_p = np.take_along_axis(p, order, axis=1) * np.arange(count, 0, -1)
    held = np.maximum.accumulate(sorted_p, axis=1) <= LEVEL
    significant = np.empty_like(held)
    np.put_along_axis(significant, order, held, axis=1)
    return np.asarray(np.sign(gaps) * significant)
