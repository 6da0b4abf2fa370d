"""Making quantiles of what learners say: in order, none repeated, and nothing said below what the targets resolve.

``Quantiles`` refuses values that cross or repeat, and a learner's often do. Sorting undoes crossings and brings the
values no farther from the true ones (V. Chernozhukov, I. Fernandez-Val and A. Galichon, Quantile and probability curves
without crossing, 2010). Two quantiles that nearly coincide claim a huge density between them, and, when they are the
outermost, tails of no length: :func:`least_gaps` bounds both. Rounded targets are spread over their cells first
(:func:`dithered`), so that no spikes stand on their values. The rules are ours.
"""

from __future__ import annotations

import numpy as np

from benchbook import kernels
from benchbook.predictive import Quantiles

_LEAST_SHARE = 1e-3
_REPEATED = 0.05
_TYPICAL_SHARE = 0.5


def rounded_to(targets: np.ndarray) -> float:
    """The least distance of two different targets if at least one in twenty of them repeats another, else 0.

    Args:
        targets: training targets, [N].
    """
    values = np.unique(targets)
    if len(values) < 2 or len(targets) - len(values) < _REPEATED * len(targets):
        return 0.0
    return float(np.diff(values).min())


def finest(targets: np.ndarray) -> float:
    """The width h below which nothing is said of a target: densities are held at or below 1/h.

    A thousandth of the deviation of the training targets, or what they are rounded to (:func:`rounded_to`) where that
    is greater; 1, the unit of the encoded scale, when all are equal; and at least a billionth of the greatest target,
    so that rounding errors do not undo it.

    Args:
        targets: training targets, [N].
    """
    spread = float(np.std(targets)) if np.ptp(targets) > 0 else 0.0
    width = max(_LEAST_SHARE * spread, rounded_to(targets)) if spread > 0 else 1.0
    return max(width, 1e-9 * float(np.abs(targets).max(initial=0.0)))


def dithered(targets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Targets that are rounded (:func:`rounded_to`) are put anywhere in their cells at random; others are a copy.

    After J. Machado and J. Santos Silva, Quantiles for counts, Journal of the American Statistical Association 100
    (2005), whose noise is one-sided; ours is centred.

    Args:
        targets: [N].
    """
    return targets + rounded_to(targets) * (rng.random(len(targets)) - 0.5)


def least_gaps(level: np.ndarray, width: float, typical: np.ndarray) -> np.ndarray:
    r"""The least distance to keep between neighbouring quantiles, [K - 1].

    .. math:: g_k = \max\{(\alpha_{k+1} - \alpha_k) h,\ \tfrac12 \operatorname{median}_i (q_{i,k+1} - q_{ik})\}

    The first holds the density at 1/h; the second says that no case is more than twice as certain, between two levels,
    as the median training case.

    Args:
        level: increasing, [K]. width: h. typical: sorted quantiles of training cases i, [n, K].
    """
    return np.maximum(
        np.diff(level) * width, _TYPICAL_SHARE * np.median(np.diff(typical, axis=1), axis=0)
    )


def set_apart(value: np.ndarray, least: np.ndarray) -> np.ndarray:
    """The values of each case, sorted, and then moved as little as possible, in the sum of squares, to keep distances.

    Values that are far enough apart are not moved. With the least distances taken off, this is isotonic regression.

    Args:
        value: [J, K]. least: the least distance of each to the next, positive, [K - 1].

    Returns:
        [J, K].
    """
    ordered = np.sort(value, axis=1)
    near = (np.diff(ordered, axis=1) < least).any(axis=1)
    if near.any():
        steps = np.concatenate([[0.0], np.cumsum(least)])
        start = np.ascontiguousarray(ordered[near] - steps)
        pooled = np.empty_like(start)
        kernels.isotonic.pool_many(start, np.ones(len(steps)), pooled)
        ordered[near] = pooled + steps
    return ordered


def uncrossed(
    level: np.ndarray, value: np.ndarray, cases: int, targets: np.ndarray
) -> tuple[Quantiles, float]:
    """What a learner says for each level by itself, as quantiles in order, and the share of cases that crossed.

    Args:
        level: increasing, [K]. value: for the cases asked for and then for some training cases, [cases + n, K].
        cases: how many are asked for. targets: all training targets, as they were before any was spread, [N].
    """
    predicted, usual = value[:cases], np.sort(value[cases:], axis=1)
    crossed = float((np.diff(predicted, axis=1) < 0).any(axis=1).mean())
    return Quantiles(
        level, set_apart(predicted, least_gaps(level, finest(targets), usual))
    ), crossed
