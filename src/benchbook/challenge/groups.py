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

from itertools import combinations, combinations_with_replacement
from string import ascii_lowercase

import numpy as np

from benchbook.assess.proben1.multiplicity import holm
from benchbook.assess.two_means import paired_t
from benchbook.predictive.checks import BoolArray, FloatArray

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


def letters(apart: BoolArray) -> list[str]:
    """A compact letter display: two entries share a letter just when they are not told apart.

    Groups are gathered greedily, best entry first: each pair that shares none yet opens a group, to which every entry
    is added that is told apart from none in it. There are at most as many groups as pairs and entries.

    Args:
        apart: [M, M], symmetric, with the entries in the order in which letters are to be given.
    """
    entries = len(apart)
    shared = np.zeros((entries, entries), dtype=np.bool_)
    groups: list[list[int]] = []
    for i, j in combinations_with_replacement(range(entries), 2):
        if apart[i, j] or shared[i, j] or (i == j and shared[i].any()):
            continue
        group = sorted({i, j})
        for other in range(entries):
            if other not in group and not apart[other, group].any():
                group.append(other)
        shared[np.ix_(group, group)] = True
        groups.append(sorted(group))
    groups.sort()
    return ["".join(_letter(number) for number, group in enumerate(groups) if entry in group)
            for entry in range(entries)]


def _letter(number: int) -> str:
    """a to z, then a2 to z2, and so on."""
    again, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(again + 1) if again else "")
