r"""Conformal prediction from ranks: intervals and distributions whose coverage holds whatever the truth is.

When n calibration cases and a test case are exchangeable, and the learner has seen none of them, the rank of the test
case's score among the n + 1 is uniform. So the j-th smallest calibration score is an exact quantile, at the level
j/(n + 1), of the score to come: no assumption about the learner is needed, and a bad one gives wide intervals in place
of wrong ones. The price: the coverage is an average over test cases, not for each kind of case, and n cases know of no
level beyond n/(n + 1).

The scores here are residuals over a predicted scale, :math:`(y - \mu(x))/\sigma(x)`, with sign or without. Sources: V.
Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World (2005), the wish of the Evaluating Predictive
Uncertainty Challenge, section 8; distributions: Vovk and others, Computationally efficient versions of conformal
predictive distributions (2020); cross-validation: R. Barber and others, Predictive inference with the jackknife+
(2021).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchbook.errors import BenchbookError

_SLACK = 1e-9
_BLOCK = 4_000_000


class ConformalInterval(NamedTuple):
    """The ends of an interval for each case, [J]; infinite when the calibration cases are too few for the coverage."""

    low: np.ndarray
    high: np.ndarray


def rank(cases: int, coverage: float) -> int:
    """The least j with j/(n + 1) >= coverage, from 1; n + 1 when no calibration score is great enough.

    Args:
        cases: n. coverage: strictly between 0 and 1.

    Raises:
        BenchbookError: a coverage outside.
    """
    if not 0 < coverage < 1:
        raise BenchbookError(f"the coverage must be strictly between 0 and 1; found {coverage!r}")
    return max(1, int(np.ceil(coverage * (cases + 1) * (1 - _SLACK))))


def split_interval(
    centre: np.ndarray, scale: np.ndarray, scores: np.ndarray, coverage: float
) -> ConformalInterval:
    r"""Split conformal intervals :math:`\mu(x) \pm \sigma(x) a_{(j)}`, j the rank of the coverage.

    .. math:: \text{coverage} \le P(\text{low} \le Y \le \text{high}) < \text{coverage} + \frac{1}{n + 1},

    the right side when no two scores are equal, over training, calibration and test cases together.

    Args:
        centre, scale: mu and sigma of the test cases, [J]. scores: a = |y - mu|/sigma of the calibration cases, [n].
        coverage: strictly between 0 and 1.
    """
    reach = _score_at(scores, rank(len(scores), coverage)) * scale
    return ConformalInterval(centre - reach, centre + reach)


def grouped_interval(
    centre: np.ndarray,
    scale: np.ndarray,
    group: np.ndarray,
    scores: np.ndarray,
    of_score: np.ndarray,
    coverage: float,
) -> ConformalInterval:
    """Split conformal intervals within groups (Vovk's Mondrian categories): the coverage holds in each of them.

    The groups may be made from the inputs, and from what the learner says of them, such as its scale; not from the
    calibration targets.

    Args:
        centre, scale, group: of the test cases, [J]. scores, of_score: of the calibration cases and their groups, [n].
        coverage: strictly between 0 and 1.
    """
    low, high = np.empty(len(centre)), np.empty(len(centre))
    for own in np.unique(group):
        here = group == own
        low[here], high[here] = split_interval(
            centre[here], scale[here], scores[of_score == own], coverage
        )
    return ConformalInterval(low, high)


def cross_interval(
    centre: np.ndarray, scale: np.ndarray, scores: np.ndarray, fold: np.ndarray, coverage: float
) -> ConformalInterval:
    r"""CV+ intervals: every training case is a calibration case of the learner that has not seen its fold.

    With j the rank of the coverage, and mu_k, sigma_k of the learner without fold k, low is the (n + 1 - j)-th smallest
    over the cases i of mu_k(i)(x) - sigma_k(i)(x) a_i, and high the j-th smallest of mu_k(i)(x) + sigma_k(i)(x) a_i.
    What is proved is a coverage of at least 2 coverage - 1, less sqrt(2/n) at most; for stable learners it is near the
    coverage asked for.

    Args:
        centre, scale: what the learner without fold k says of the test cases, [J, F].
        scores: a_i, [n]. fold: k(i), whole numbers in 0..F-1, [n]. coverage: strictly between 0 and 1.
    """
    ends = cross_ends(centre, scale, scores, fold, np.array([rank(len(scores), coverage)]))
    return ConformalInterval(ends.low[:, 0], ends.high[:, 0])


def cross_ends(
    centre: np.ndarray, scale: np.ndarray, scores: np.ndarray, fold: np.ndarray, ranks: np.ndarray
) -> ConformalInterval:
    """The CV+ intervals of several ranks j, [J, R] both; see :func:`cross_interval`."""
    n, cases = len(scores), len(centre)
    low, high = np.full((cases, len(ranks)), -np.inf), np.full((cases, len(ranks)), np.inf)
    known = ranks <= n
    block = max(1, _BLOCK // n)
    for start in range(0, cases, block):
        part = slice(start, start + block)
        middle, reach = centre[part][:, fold], scale[part][:, fold] * scores
        low[part, known] = np.sort(middle - reach, axis=1)[:, n - ranks[known]]
        high[part, known] = np.sort(middle + reach, axis=1)[:, ranks[known] - 1]
    return ConformalInterval(low, high)


def spaced_ranks(cases: int, most: int = 39, between: int = 8) -> np.ndarray:
    """Ranks to report, evenly spaced from 1 to n: at most so many, with so many cases or more from one to the next.

    A density between neighbouring order statistics is mostly noise; that of a stretch with m cases costs about 1/(2m)
    nats. The outermost ranks leave as many cases beyond them. When n is small there are 8 ranks nevertheless, or n.

    Args:
        cases: n, at least 2.
    """
    count = int(np.clip(cases // between, min(8, cases, most), most))
    return np.unique(np.rint(np.arange(1, count + 1) * (cases + 1) / (count + 1)).astype(np.int64))


def distribution(
    centre: np.ndarray, scale: np.ndarray, residuals: np.ndarray, ranks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""A split conformal predictive distribution at some ranks: levels and quantiles.

    .. math:: P\bigl(Y \le \mu(x) + \sigma(x) r_{(j)}\bigr) = \frac{j}{n + 1},

    exactly when no two residuals are equal, over training, calibration and test cases together.

    Args:
        centre, scale: mu and sigma of the test cases, [J]. residuals: r = (y - mu)/sigma of the calibration cases, [n].
        ranks: j, increasing, in 1..n, [K].

    Returns:
        The levels [K] and the quantiles [J, K], which may repeat where residuals do.
    """
    chosen = np.sort(residuals)[ranks - 1]
    return ranks / (len(residuals) + 1.0), centre[:, None] + scale[:, None] * chosen


def _score_at(scores: np.ndarray, j: int) -> float:
    return float(np.partition(scores, j - 1)[j - 1]) if j <= len(scores) else np.inf
