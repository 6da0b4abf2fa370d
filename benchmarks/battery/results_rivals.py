"""What people conclude today from results that they have: is there a difference at 5 %?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]
LEVEL = 0.05
_RESAMPLES = 200


def normal_quantile(probability: float) -> float:
    """Of the standard normal distribution."""
    return float(stats.norm.ppf(probability))


def one_less_f1(y: Array, p: Array) -> float:
    """1 - F1 of the class 1."""
    total = y.sum() + p.sum()
    return float(1.0 - 2.0 * (y @ p) / total) if total else 1.0


def unexplained(y: Array, p: Array) -> float:
    """1 - R²."""
    return float(((y - p) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def of_right_or_wrong(
    a: Array, b: Array, margin: float, rng: np.random.Generator
) -> dict[str, bool]:
    """Of 0-1 losses; "not worse" is said when the upper end of the 90 % interval of b - a is below the margin."""
    n, more, less = len(a), int((b > a).sum()), int((b < a).sum())
    gaps, error = b - a, np.hypot(_se(a), _se(b))
    corrected = max(abs(more - less) - 1.0, 0.0) ** 2 / max(more + less, 1)
    quantile = stats.t.ppf(0.95, n - 1)
    half = np.array([more + 0.5, less + 0.5]) / (n + 1)
    apart = half[0] - half[1]
    width = np.sqrt((half.sum() - apart**2) / (n + 1))
    means = rng.multinomial(n, np.full(n, 1.0 / n), size=_RESAMPLES) @ gaps / n
    return {
        "unpaired z": bool(abs(gaps.mean()) > 1.96 * error > 0.0),
        "McNemar, exact": stats.binomtest(min(more, less), more + less).pvalue <= LEVEL
        if more + less
        else False,
        "McNemar, corrected": corrected > 3.841,
        "bootstrap percentile": _outside(means),
        "paired t": _t(gaps),
        "not worse by the paired t": bool(gaps.mean() + quantile * _se(gaps) < margin),
        "not worse by the t with half a case": bool(apart + quantile * width < margin),
    }


def of_clusters(gaps: Array, group: Any) -> dict[str, bool]:
    """Of cases in clusters."""
    count = int(group.max()) + 1
    sums = np.bincount(group, gaps - gaps.mean()) / len(gaps)
    usual = float(np.sqrt(count / (count - 1) * (sums @ sums)))
    return {
        "paired t over cases": _t(gaps),
        "cluster error, G - 1 df": bool(abs(gaps.mean()) > stats.t.ppf(0.975, count - 1) * usual),
        "t over cluster means": _t(np.bincount(group, gaps) / np.bincount(group)),
    }


def of_samples(a: Array, b: Array) -> dict[str, bool]:
    """Of losses [samples, n]."""
    means = a.mean(axis=0), b.mean(axis=0)
    error = np.hypot(_se(means[0]), _se(means[1]))
    return {
        "paired t over all samples": _t((b - a).ravel()),
        "first sample": _t(b[0] - a[0]),
        "unpaired z over cases": bool(abs(means[1].mean() - means[0].mean()) > 1.96 * error),
    }


def of_seeds(a: Array, b: Array) -> dict[str, bool]:
    """Of losses [seeds, n]."""
    found = {"paired t over cases": _t(b.mean(axis=0) - a.mean(axis=0))}
    if min(len(a), len(b)) > 1:
        welch = stats.ttest_ind(a.mean(axis=1), b.mean(axis=1), equal_var=False)
        found["Welch's t over seeds"] = welch.pvalue <= LEVEL
    return found


def of_whole(
    loss: Callable[[Array, Array], float], y: Array, a: Array, b: Array, rng: np.random.Generator
) -> dict[str, bool]:
    """Of a loss of a whole test set."""
    rows = rng.integers(0, len(y), (_RESAMPLES, len(y)))
    gaps = [loss(y[each], b[each]) - loss(y[each], a[each]) for each in rows]
    return {"bootstrap percentile": _outside(np.array(gaps))}


def of_datasets(gaps: Array) -> dict[str, bool]:
    """Of one difference a dataset; autorank 1.x takes a t test when Shapiro and Wilk's test passes, else Wilcoxon's."""
    wilcoxon, t = bool(stats.wilcoxon(gaps).pvalue <= LEVEL), _t(gaps)
    normal = stats.shapiro(gaps).pvalue > LEVEL
    return {
        "Wilcoxon over datasets": wilcoxon,
        "autorank over datasets": t if normal else wilcoxon,
        "t over datasets": t,
    }


def of_series(gaps: Array) -> dict[str, bool]:
    """Of differences in time; Newey and West's error with a lag of n^(1/3)."""
    n, rest = len(gaps), gaps - gaps.mean()
    lags = int(n ** (1 / 3))
    covariances = [float(rest[lag:] @ rest[: n - lag]) / n for lag in range(lags + 1)]
    weights = 1.0 - np.arange(1, lags + 1) / (lags + 1)
    error = np.sqrt((covariances[0] + 2.0 * (weights @ covariances[1:])) / n)
    return {
        "t over times": _t(gaps),
        "Diebold and Mariano, Newey and West": bool(abs(gaps.mean()) > 1.96 * error),
    }


def of_segments(gaps: Array, segment: Any) -> dict[str, bool]:
    """Whether segments differ: the usual F, and Cochran's Q with the errors taken for known."""
    parts = [gaps[segment == each] for each in np.unique(segment)]
    weight = np.array([1.0 / _se(part) ** 2 for part in parts])
    means = np.array([part.mean() for part in parts])
    q = float(weight @ (means - weight @ means / weight.sum()) ** 2)
    return {
        "F of equal variances": stats.f_oneway(*parts).pvalue <= LEVEL,
        "Cochran's Q": stats.chi2.sf(q, len(parts) - 1) <= LEVEL,
    }


def _se(values: Array) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _t(gaps: Array) -> bool:
    error = _se(gaps)
    return bool(error > 0.0 and abs(gaps.mean()) > stats.t.ppf(0.975, len(gaps) - 1) * error)


def _outside(means: Array) -> bool:
    low, high = np.percentile(means, [2.5, 97.5])
    return bool(low > 0.0 or high < 0.0)
