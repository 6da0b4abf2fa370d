"""Are test errors log-normal? The test, and the report's removal of outliers that stand in the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.anova.squares import Array
from benchbook.errors import Fault, FaultyInput

LEVEL = 0.05
MOST = 0.1
FEWEST = 6
_LAST = (-2.706056, 4.434685, -2.071190, -0.147981, 0.221157, 0.0)
_BEFORE = (-3.582633, 5.682633, -1.752461, -0.293762, 0.042981, 0.0)


class Normality(NamedTuple):
    """Shapiro and Wilk's W, near 1 for a normal sample, and its p value, each [...]; NaN for a constant sample."""

    statistic: Array
    p: Array


@dataclass(frozen=True, eq=False)
class Cleaned:
    """Errors of the runs that were kept, in increasing order, and what was done to get there.

    ``low`` and ``high`` count the outliers removed at either end; ``p`` is that of the test of normality of the logs
    of ``kept``; ``normal`` says that it is not below the level. Where it is False, nothing was removed.
    """

    kept: Array
    low: int
    high: int
    p: float
    normal: bool

    @property
    def removed(self) -> int:
        """How many outliers were removed."""
        return self.low + self.high


def shapiro(values: ArrayLike) -> Normality:
    r"""Shapiro and Wilk's test of normality for samples [..., n], all at once.

        W = (sum_i a_i y_(i))^2 / sum_i (y_i - mean)^2

    with the weights a and the p value of Royston's approximation (1995, algorithm AS R94), for 6 to 5,000 values.

    Raises:
        FaultyInput: samples of another size.
    """
    ordered = np.sort(np.asarray(values, dtype=float), axis=-1)
    count = ordered.shape[-1] if ordered.ndim else 0
    if not FEWEST <= count <= 5000:
        raise FaultyInput(
            "test of normality",
            [Fault("sample", f"{count} values", f"{FEWEST} to 5,000 are needed")],
        )
    apart = ordered - ordered.mean(axis=-1, keepdims=True)
    squares = (apart**2).sum(axis=-1)
    constant = squares <= 1e-24 * (ordered**2).sum(axis=-1)
    statistic = (ordered @ _weights(count)) ** 2 / np.where(constant, np.nan, squares)
    centre, spread = _normalising(count)
    left = np.log1p(-np.minimum(statistic, 1.0 - 1e-15))
    if count < 12:
        left = -np.log(np.maximum(0.459 * count - 2.273 - left, 1e-300))
    return Normality(statistic, scipy.special.ndtr(-(left - centre) / spread))


def _weights(count: int) -> Array:
    """a_1 ... a_n, antisymmetric and of length 1."""
    scores = scipy.special.ndtri((np.arange(1, count + 1) - 0.375) / (count + 0.25))
    total, root = float((scores**2).sum()), 1.0 / np.sqrt(count)
    last = np.polyval(_LAST, root) + scores[-1] / np.sqrt(total)
    before = np.polyval(_BEFORE, root) + scores[-2] / np.sqrt(total)
    rest = (total - 2.0 * scores[-1] ** 2 - 2.0 * scores[-2] ** 2) / (
        1.0 - 2.0 * last**2 - 2.0 * before**2
    )
    weights = scores / np.sqrt(rest)
    weights[[0, 1, -2, -1]] = -last, -before, before, last
    return weights


def _normalising(count: int) -> tuple[float, float]:
    """Mean and standard deviation of the transformed 1 - W of normal samples."""
    if count < 12:
        return (
            float(np.polyval((-0.0006714, 0.025054, -0.39978, 0.5440), count)),
            float(np.exp(np.polyval((-0.0020322, 0.062767, -0.77857, 1.3822), count))),
        )
    size = np.log(count)
    return (
        float(np.polyval((0.0038915, -0.083751, -0.31082, -1.5861), size)),
        float(np.exp(np.polyval((0.0030302, -0.082676, -0.4803), size))),
    )


class Trimmed(NamedTuple):
    """Samples [B, n] in increasing order, of which [low, high) are kept, and the p value of those."""

    ordered: Array
    low: Array
    high: Array
    p: Array


def trim(logs: Array, level: float = LEVEL, most: float = MOST) -> Trimmed:
    """``without_outliers`` for the logs [B, n] of many samples at once."""
    ordered = np.sort(logs, axis=1)
    samples, count = ordered.shape
    low, high = np.zeros(samples, dtype=int), np.full(samples, count)
    p = shapiro(ordered).p
    for removed in range(1, min(int(most * count + 1e-9), count - FEWEST) + 1):
        doubtful = np.flatnonzero(p < level)
        if not len(doubtful):
            break
        size = count - removed + 1
        retained = ordered[doubtful[:, None], low[doubtful, None] + np.arange(size)]
        above = retained[:, -1] - retained.mean(axis=1) >= retained.mean(axis=1) - retained[:, 0]
        low[doubtful] += ~above
        high[doubtful] -= above
        p[doubtful] = shapiro(np.where(above[:, None], retained[:, :-1], retained[:, 1:])).p
    failed = ~(p >= level)
    low[failed], high[failed] = 0, count
    if failed.any():
        p[failed] = shapiro(ordered[failed]).p
    return Trimmed(ordered, low, high, p)


def without_outliers(errors: ArrayLike, level: float = LEVEL, most: float = MOST) -> Cleaned:
    """The smallest removal of outliers that makes a sample of errors log-normal, if 10 % of them are enough.

    The report's rules (PROBEN1, 1994, section 2.8): outliers may be removed so that the data meets what the
    statistical procedure requires; never more than 10 % of any one sample, usually much less; and only if what is left
    meets the requirement well enough. The text does not say which test of normality it used, nor how an outlier was
    found. Ours: while Shapiro and Wilk's test rejects the normality of the logs at ``level``, the run that is furthest
    from the mean of the logs goes. Where the limit is reached before the sample passes, nothing is removed, and the
    sample is marked, as the report marks those whose tests are unreliable.

    Args:
        errors: [n] errors above zero, 6 or more.
        level: of the test of normality.
        most: the largest share that may be removed.

    Raises:
        FaultyInput: errors that have no logarithm, or too few of them.
    """
    [cleaned] = each_without_outliers(positive(errors, "errors of runs")[None, :], level, most)
    return cleaned


def each_without_outliers(errors: Array, level: float = LEVEL, most: float = MOST) -> list[Cleaned]:
    """``without_outliers`` for many samples [B, n] of errors above zero."""
    ordered, count = np.sort(errors, axis=1), errors.shape[1]
    _, lows, highs, ps = trim(np.log(ordered), level, most)
    return [
        Cleaned(sample[low:high], int(low), int(count - high), float(p), bool(p >= level))
        for sample, low, high, p in zip(ordered, lows, highs, ps, strict=True)
    ]


def removal_order(errors: ArrayLike) -> NDArray[np.int64]:
    """The order in which runs would be taken out: [n] places, 1 for the run furthest from the mean of the logs, 2 for
    the furthest of what is left, and so on."""
    logs = np.log(positive(errors, "errors of runs"))
    left, places = list(np.argsort(logs)), np.zeros(len(logs), dtype=np.int64)
    for index in range(1, len(logs) + 1):
        values = logs[left]
        above = values[-1] - values.mean() >= values.mean() - values[0]
        places[left.pop(-1 if above else 0)] = index
    return places


def positive(errors: ArrayLike, what: str) -> Array:
    """The errors as an array [n].

    Raises:
        FaultyInput: not a vector, or one with values that have no logarithm.
    """
    values = np.asarray(errors, dtype=float)
    if values.ndim != 1 or not values.size:
        raise FaultyInput(
            what, [Fault("errors", f"shape {values.shape}", "one number a run, at least one run")]
        )
    bad = np.flatnonzero(~(np.isfinite(values) & (values > 0.0)))
    if len(bad):
        rule = "an error has a logarithm: it is finite and above 0"
        raise FaultyInput(what, [Fault(f"run {run}", f"{values[run]}", rule) for run in bad])
    return values
