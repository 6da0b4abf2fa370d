"""What common practice concludes about two methods from the same runs: is one of them better?

Each takes mean losses [..., R, k] of both methods by repeat and fold, and says for each dataset whether it would call
them different.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Means = NDArray[np.float64]
Said = NDArray[np.bool_]
LEVEL = 0.05


def bars_apart(one: Means, other: Means) -> Said:
    """A table of means and standard deviations over ten folds, as skore's: intervals mean +- SD do not overlap."""
    first, second = one[..., 0, :], other[..., 0, :]
    gap = np.abs(first.mean(axis=-1) - second.mean(axis=-1))
    return np.asarray(gap > first.std(axis=-1) + second.std(axis=-1))


def smaller_mean(one: Means, other: Means) -> Said:
    """The same table read by its means alone."""
    return np.asarray(one[..., 0, :].mean(axis=-1) != other[..., 0, :].mean(axis=-1))


def paired_t(one: Means, other: Means) -> Said:
    """``cross_val_score`` and a paired t test over the ten folds."""
    return _t(_gaps(one, other, 1), 0.0)


def repeated_t(one: Means, other: Means) -> Said:
    """The same over all folds of the repeats: 10 x 10."""
    return _t(_gaps(one, other), 0.0)


def usual_correction(one: Means, other: Means) -> Said:
    """Nadeau and Bengio's test over all folds of the repeats, on Rk - 1 degrees of freedom (Bouckaert and Frank)."""
    return _t(_gaps(one, other), 1.0 / (one.shape[-1] - 1))


def correlated_bayes(one: Means, other: Means) -> Said:
    """baycomp's ``two_on_single`` over the repeats, without a region of equivalence: P(better) or P(worse) above .95.

    Its posterior is the t distribution of ``usual_correction`` (Corani and Benavoli 2015).
    """
    return _t(_gaps(one, other), 1.0 / (one.shape[-1] - 1), 2.0 * LEVEL)


def autorank(one: Means, other: Means) -> Said:
    """autorank 1.x with folds for datasets: Shapiro and Wilk's test of each method's losses at .05 over their number; a
    paired t test when both pass, else Wilcoxon's."""
    return _autorank(one[..., :1, :], other[..., :1, :])


def autorank_repeated(one: Means, other: Means) -> Said:
    """The same with all folds of the repeats."""
    return _autorank(one, other)


RIVALS: dict[str, Callable[[Means, Means], Said]] = {
    "smaller mean of 10 folds": smaller_mean,
    "mean and SD of 10 folds do not overlap": bars_apart,
    "paired t over 10 folds": paired_t,
    "autorank over 10 folds": autorank,
    "paired t over 10 x 10 folds": repeated_t,
    "autorank over 10 x 10 folds": autorank_repeated,
    "corrected t over 10 x 10 folds": usual_correction,
    "baycomp over 10 x 10 folds": correlated_bayes,
}


def _gaps(one: Means, other: Means, repeats: int | None = None) -> Means:
    gaps = (one - other)[..., :repeats, :]
    return gaps.reshape(*gaps.shape[:-2], -1)


def _t(gaps: Means, test_to_train: float, level: float = LEVEL) -> Said:
    count = gaps.shape[-1]
    error = np.sqrt((1.0 / count + test_to_train) * gaps.var(axis=-1, ddof=1))
    return np.asarray(
        np.abs(gaps.mean(axis=-1)) > stats.t.ppf(1.0 - level / 2.0, count - 1) * error
    )


def _autorank(one: Means, other: Means) -> Said:
    flat = [part.reshape(-1, part.shape[-2] * part.shape[-1]) for part in (one, other)]
    found = [_concludes(first, second) for first, second in zip(*flat, strict=True)]
    return np.array(found).reshape(one.shape[:-2])


def _concludes(first: Any, second: Any) -> bool:
    if not np.any(first != second):
        return False
    varies = min(np.ptp(first), np.ptp(second)) > 0.0
    normal = varies and min(stats.shapiro(each).pvalue for each in (first, second)) >= LEVEL / 2
    if normal:
        return bool(stats.ttest_rel(first, second).pvalue < LEVEL)
    gaps = np.abs(first - second)
    ties = len(np.unique(gaps[gaps > 0.0])) < len(gaps)
    test = stats.wilcoxon(first, second, method="approx" if ties else "auto")
    return bool(test.pvalue < LEVEL)
