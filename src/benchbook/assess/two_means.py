"""What tests of two means share: Student's t for paired differences, and their result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.statistics import TOLERANCE, standard_error

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TestResult:
    """A test of the difference of two means, first minus second, in the unit of what was measured.

    ``df`` are the degrees of freedom of a Student's t, None for a test without. When ``p`` is None, ``reason`` says why
    there is none.
    """

    __test__ = False

    difference: float
    standard_error: float | None
    statistic: float | None
    p: float | None
    reason: str = ""
    df: float | None = None


def paired_t(differences: ArrayLike, inflation: float = 1.0) -> tuple[Array, Array]:
    r"""t = d̄ / sqrt(c s²/R) and its two-sided p on R - 1 degrees of freedom; nan where the differences vary by no more
    than rounding.

    Example:
        >>> from benchbook import assess
        >>> t, p = assess.paired_t([0.3, 0.1, 0.4, 0.2])
        >>> round(float(t), 2), round(float(p), 3)
        (3.87, 0.03)

    Args:
        differences: [..., R].
        inflation: c, by which the variance of the mean difference is multiplied; 1 for independent differences.
    """
    differences = np.asarray(differences)
    error = standard_error(differences, inflation)
    mean = differences.mean(axis=-1)
    statistic = mean / np.where(error > TOLERANCE * np.abs(mean), error, np.nan)
    return statistic, two_sided(statistic, differences.shape[-1] - 1)


def two_sided(statistic: ArrayLike, df: ArrayLike) -> Array:
    """The probability that Student's t on ``df`` degrees of freedom is as far from zero as ``statistic``."""
    return np.asarray(2.0 * scipy.special.stdtr(df, -np.abs(statistic)))


def mean_over_tasks(
    differences: ArrayLike, errors: ArrayLike, df: ArrayLike
) -> tuple[Array, Array, Array, Array]:
    r"""The mean of independent differences, one a task, and its two-sided test.

        d̄ = Σ d_t / T,   s = sqrt(Σ s_t²) / T,   ν = (Σ s_t²)² / Σ (s_t⁴ / ν_t),   p of d̄/s on ν degrees of freedom

    Args:
        differences: d_t, [..., T], in a unit that the tasks share.
        errors: s_t, their standard errors, [..., T].
        df: ν_t, the degrees of freedom of each standard error, [..., T] or [T].

    Returns:
        d̄, s, ν and p, [...] each; nan where no difference varies.

    Source: the degrees of freedom are those of Satterthwaite (1946).
    """
    values, variances = (
        np.asarray(differences, dtype=float),
        np.square(np.asarray(errors, dtype=float)),
    )
    count, total = values.shape[-1], variances.sum(axis=-1)
    error = np.sqrt(total) / count
    varies = total > 0.0
    freedom = np.where(varies, total, np.nan) ** 2 / (variances**2 / np.asarray(df)).sum(axis=-1)
    mean = values.mean(axis=-1)
    return mean, error, freedom, two_sided(mean / np.where(varies, error, np.nan), freedom)
