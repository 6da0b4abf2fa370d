"""Tests of two samples of runs: the one the report used, and those of today beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.assess.anova.squares import Array
from benchbook.assess.two_means import TestResult
from benchbook.errors import Fault, FaultyInput
from benchbook.statistics import TOLERANCE, level


@dataclass(frozen=True)
class EstimatedInterval:
    """An estimate between two ends that cover it in a stated share of repetitions."""

    estimate: float
    low: float
    high: float
    coverage: float


def cochran_cox(first: ArrayLike, second: ArrayLike) -> TestResult:
    r"""Student's t for unequal variances with the p value of Cochran and Cox.

        t' = (x̄_1 - x̄_2) / sqrt(w_1 + w_2),    w_i = s_i^2 / n_i,

    and p is the number for which |t'| = (w_1 t_1(p) + w_2 t_2(p)) / (w_1 + w_2), where t_i(p) is the two-sided critical
    value of Student's distribution with n_i - 1 degrees of freedom at the level p. With n_1 = n_2 = n that is Student's
    distribution with n - 1 degrees of freedom. Welch's test of the same t' has at least as many, so it is never
    more cautious.

    The report applies it to the logs of test errors, through SAS (PROBEN1, 1994, "Comparison of multilayer results").
    The formula is that of Cochran and Cox, *Experimental Designs* (1950), as SAS's manual gives it for its TTEST.

    Args:
        first, second: [n_1] and [n_2] values, two or more each.
    """
    x, y = _vector(first, "first sample"), _vector(second, "second sample")
    weights = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    difference, error = float(x.mean() - y.mean()), math.sqrt(sum(weights))
    if error <= TOLERANCE * max(abs(x.mean()), abs(y.mean())):
        return TestResult(
            difference, None, None, None, "no run differs from another of the same sample"
        )
    statistic = difference / error
    return TestResult(
        difference, error, statistic, _cochran_cox_p(abs(statistic), weights, (len(x), len(y)))
    )


def cochran_cox_critical(
    level: float, weights: tuple[Array, Array], counts: tuple[Any, Any]
) -> Array:
    """The value that |t'| must exceed: (w_1 t_1 + w_2 t_2) / (w_1 + w_2), for weights and counts [...]."""
    first, second = (
        -scipy.special.stdtrit(np.asarray(count) - 1.0, level / 2.0) for count in counts
    )
    return (weights[0] * first + weights[1] * second) / (weights[0] + weights[1])


def _cochran_cox_p(
    statistic: float, weights: tuple[float, float], counts: tuple[int, int]
) -> float:
    """The p value lies between those of the two degrees of freedom; there its logarithm is sought."""
    ends = sorted(2.0 * scipy.special.stdtr(count - 1.0, -statistic) for count in counts)
    if ends[1] - ends[0] <= 1e-12 * ends[1] or ends[0] < 1e-280:
        return float(ends[1])

    def excess(log_p: float) -> float:
        arrays = np.asarray(weights[0]), np.asarray(weights[1])
        return float(cochran_cox_critical(math.exp(log_p), arrays, counts)) - statistic

    low, high = math.log(ends[0]) - 1e-9, math.log(ends[1]) + 1e-9
    return float(math.exp(scipy.optimize.brentq(excess, low, high, xtol=1e-12)))


def welch(first: ArrayLike, second: ArrayLike) -> TestResult:
    """Welch's t test: t' of ``cochran_cox`` on the degrees of freedom of Satterthwaite (scipy's ``ttest_ind``)."""
    x, y = _vector(first, "first sample"), _vector(second, "second sample")
    difference, error = (
        float(x.mean() - y.mean()),
        math.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y)),
    )
    if error <= TOLERANCE * max(abs(x.mean()), abs(y.mean())):
        return TestResult(
            difference, None, None, None, "no run differs from another of the same sample"
        )
    result = scipy.stats.ttest_ind(x, y, equal_var=False)
    return TestResult(
        difference, error, float(result.statistic), float(result.pvalue), df=float(result.df)
    )


def mann_whitney(first: ArrayLike, second: ArrayLike) -> TestResult:
    """Mann and Whitney's rank test, two-sided (scipy's ``mannwhitneyu``); the statistic is the share of pairs in which
    the first is larger, ties counting a half, minus one half.

    It asks whether a run of one is more often better than a run of the other. No transformation of the errors and no
    outlier, however far, changes its answer.
    """
    x, y = _vector(first, "first sample"), _vector(second, "second sample")
    ranked = level(np.concatenate([x, y]))
    result = scipy.stats.mannwhitneyu(ranked[: len(x)], ranked[len(x) :], alternative="two-sided")
    share = float(result.statistic) / (len(x) * len(y)) - 0.5
    return TestResult(float(x.mean() - y.mean()), None, share, float(result.pvalue))


def bootstrap_interval(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    *,
    coverage: float = 0.9,
    draws: int = 4000,
    ratio: bool = False,
) -> EstimatedInterval:
    """Percentile bootstrap interval for the difference of two means, or for the ratio of two geometric means.

    Both samples are drawn again with replacement; the ends are the quantiles (1 - coverage)/2 and (1 + coverage)/2 of
    the differences (Efron and Tibshirani 1993, chapter 13). For the ratio the same is done with logs.

    Args:
        first, second: [n_1] and [n_2]; for a ratio they are above zero.
        rng: draws the samples.
        coverage: wanted.
        draws: how many pairs of samples.
        ratio: first over second instead of first minus second.
    """
    x, y = _vector(first, "first sample"), _vector(second, "second sample")
    if ratio:
        x, y = np.log(x), np.log(y)
    drawn = resampled_means(x[None], draws, rng) - resampled_means(y[None], draws, rng)
    low, high = np.quantile(drawn[0], ((1.0 - coverage) / 2.0, (1.0 + coverage) / 2.0))
    estimate, low, high = (
        float(np.exp(value) if ratio else value) for value in (x.mean() - y.mean(), low, high)
    )
    return EstimatedInterval(estimate, low, high, coverage)


def resampled_means(samples: Array, draws: int, rng: np.random.Generator) -> Array:
    """Means [B, draws] of samples drawn with replacement from each of the samples [B, n]; which places are drawn how
    often is the same for all B, so that it is one product of matrices."""
    count = samples.shape[1]
    times = rng.multinomial(count, np.full(count, 1.0 / count), size=draws)
    return samples @ times.T / count


def _vector(values: ArrayLike, what: str) -> Array:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or array.size < 2 or not np.isfinite(array).all():
        bad = array.ndim != 1 or array.size < 2
        actual = f"shape {array.shape}" if bad else "numbers that are not finite"
        raise FaultyInput(what, [Fault("values", actual, "two or more finite numbers, one a run")])
    return array
