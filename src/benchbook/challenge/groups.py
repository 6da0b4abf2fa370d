r"""Which entries can be told apart by their losses, case by case, and letters that say so.

The rule, one for every loss and every board: for each two entries with finite losses, a two-sided paired t test of the
differences of their losses, case by case; Holm's correction over all pairs of the board for that loss; told apart at an
adjusted p of at most 0.05. Two entries share a letter just when they are not told apart. The chance that a board has a
pair told apart although no two entries differ in their expected loss, over cases like these, is then about 0.05.

The cases are what varies: another training set, or another run of a method, is not asked about. An entry with an
infinite loss has no mean to test; it is told apart from all with a finite one and from none that is infinite too.
Losses that agree to nine digits in every case are the same: what is left is rounding, which a test would believe.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from benchbook.assess.multiplicity import holm, letters
from benchbook.assess.two_means import paired_t
from benchbook.predictive.checks import BoolArray, FloatArray

__all__ = ["LEVEL", "letters", "p_values", "told_apart"]
LEVEL = 0.05
_ROUNDING = 1e-9


def p_values(losses: FloatArray) -> FloatArray:
    """Holm's p values of all pairs of entries, shape [M, M], from losses [M, J]; 1 on the diagonal.

    A pair with an infinite loss on one side gets 0, on both sides 1, and neither counts among the tests.
    """
    entries = len(losses)
    adjusted, finite = np.ones((entries, entries)), np.isfinite(losses).all(axis=1)
    adjusted[np.not_equal.outer(finite, finite)] = 0.0
    pairs = list(combinations(np.flatnonzero(finite), 2))
    if pairs:
        raw = [_paired(losses[i], losses[j]) for i, j in pairs]
        for (i, j), p in zip(pairs, holm(raw), strict=True):
            adjusted[i, j] = adjusted[j, i] = p
    return adjusted


def told_apart(losses: FloatArray, level: float = LEVEL) -> BoolArray:
    """Whether each two entries are told apart, shape [M, M], from losses [M, J] of the same cases."""
    return np.asarray(p_values(losses) <= level)


def _paired(first: FloatArray, second: FloatArray) -> float:
    """The two-sided p of a paired t test; 1 for a single case, and for losses that differ by rounding only."""
    with np.errstate(over="ignore"):
        difference, cases = first - second, first.size
    if cases < 2 or (np.abs(difference) <= _ROUNDING * np.maximum(np.abs(first), 1)).all():
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        if difference.std(ddof=1) == 0:
            return 0.0
        statistic, p = paired_t(difference)
    return float(p) if np.isfinite(statistic) else 1.0
