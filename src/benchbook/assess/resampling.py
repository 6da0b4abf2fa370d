"""Tests on mean losses from resampled training sets: what was common before DELVE, and is still.

Each takes the mean loss differences of two methods, one for every training set drawn from the same data, in
whatever way the test wants them drawn. Overlapping training sets, and test cases used again, make these differences
dependent; the t distribution is told otherwise. ``false_alarms`` counts what that costs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from benchbook.assess.anova import undefined
from benchbook.assess.anova.squares import Array
from benchbook.assess.two_means import TestResult, paired_t, two_sided
from benchbook.errors import Fault, FaultyInput
from benchbook.statistics import standard_error


def resampled_t(differences: ArrayLike) -> TestResult:
    r"""Resampled t test: a paired t test on the differences from R random partitions into training and test cases.

    t = d̄ / sqrt(s²/R) on R - 1 degrees of freedom, s² the variance of the d_r. The training sets overlap, so s²/R goes
    to zero as R grows although the data do not: with enough partitions any two methods differ "significantly".

    Example:
        >>> from benchbook import assess
        >>> round(assess.resampled_t([0.3, 0.1, 0.4, 0.2]).p, 3)
        0.03

    Args:
        differences: [R] mean loss of x minus mean loss of y on the test cases of each partition.

    Source: Dietterich (1998), section 3.3, who warns against it.
    """
    return _result(_vector(differences), 1.0)


def cross_validated_t(differences: ArrayLike) -> TestResult:
    """k-fold cross-validated t test: a paired t test on the differences from the k folds.

    The formula is that of ``resampled_t``. No test case is used twice, but any two training sets share most of
    their cases.

    Args:
        differences: [k] mean loss of x minus mean loss of y on each fold.

    Source: Dietterich (1998), section 3.4.
    """
    return _result(_vector(differences), 1.0)


def corrected_resampled_t(differences: ArrayLike, test_to_train: float) -> TestResult:
    r"""Resampled t test with the variance of Nadeau and Bengio: t = d̄ / sqrt((1/R + n_test/n_train) s²).

    Example:
        >>> from benchbook import assess
        >>> folds = [0.3, 0.1, 0.4, 0.2, -0.1, 0.3, 0.2, 0.1, 0.0, 0.4]
        >>> round(assess.corrected_resampled_t(folds, 1 / 9).p, 3)
        0.035
        >>> round(assess.cross_validated_t(folds).p, 3)  # too small: folds overlap
        0.006

    Args:
        differences: [R], as for ``resampled_t``.
        test_to_train: n_test/n_train of each partition.

    Source: Nadeau and Bengio (2003), section 3. The correction is a heuristic, not a proof.
    """
    values = _vector(differences)
    if not 0.0 < test_to_train < np.inf:
        raise FaultyInput(
            "corrected resampled t test",
            [Fault("test_to_train", repr(test_to_train), "it is a positive finite number")],
        )
    return _result(values, 1.0 + len(values) * test_to_train)


def five_by_two_t(differences: ArrayLike) -> TestResult:
    r"""5x2cv t test: t = d_11 / sqrt(Σ_r s_r²/5) on 5 degrees of freedom.

    s_r² = (d_r1 - d̄_r)² + (d_r2 - d̄_r)² is the variance within replication r of two-fold cross-validation.

    Example:
        >>> from benchbook import assess
        >>> halves = [[0.3, 0.1], [0.4, 0.2], [0.1, 0.3], [0.2, 0.2], [0.3, 0.4]]
        >>> round(assess.five_by_two_t(halves).p, 3)
        0.046

    Args:
        differences: [5, 2] mean loss differences.

    Source: Dietterich (1998), section 3.5.
    """
    values = np.asarray(differences, dtype=float)
    if values.shape != (5, 2) or not np.isfinite(values).all():
        rule = "it must be 5 replications of 2 folds, all finite"
        raise FaultyInput("5x2cv t test", [Fault("differences", f"shape {values.shape}", rule)])
    statistic, p = five_by_two(values)
    if np.isnan(p):
        return TestResult(
            float(values.mean()), None, None, None, "the two folds agree in every replication", 5
        )
    return TestResult(
        float(values.mean()),
        abs(float(values[0, 0] / statistic)) if statistic else None,
        float(statistic),
        float(p),
        df=5,
    )


def five_by_two(values: Array) -> tuple[Array, Array]:
    """Statistic and p of the 5x2cv t test for differences [..., 5, 2]; nan when undefined."""
    spread = (values.var(axis=-1) * 2.0).mean(axis=-1)
    statistic = values[..., 0, 0] / np.sqrt(np.where(spread > 0.0, spread, np.nan))
    return statistic, two_sided(statistic, 5)


def _result(values: Array, inflation: float) -> TestResult:
    mean, df = float(values.mean()), len(values) - 1
    if df == 0:
        return TestResult(mean, None, None, None, "one difference: its variation cannot be seen", 0)
    statistic, p = paired_t(values, inflation)
    number = undefined.number(float(p))
    reason = (
        ""
        if number is not None
        else "all differences are the same: the statistic would divide by zero"
    )
    return TestResult(
        mean,
        float(standard_error(values, inflation)),
        undefined.number(float(statistic)),
        number,
        reason,
        df,
    )


def _vector(differences: ArrayLike) -> Array:
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        actual = (
            f"shape {values.shape}"
            if values.ndim != 1 or values.size == 0
            else "numbers that are not finite"
        )
        raise FaultyInput(
            "t test on resamples",
            [Fault("differences", actual, "one finite number a training set")],
        )
    return values
