"""What tests of two means share: Student's t for paired differences, and their result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

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


def paired_t(differences: Any, inflation: float = 1.0) -> tuple[Array, Array]:
    r"""t = d̄ / sqrt(c s²/R) and its two-sided p on R - 1 degrees of freedom; nan where the differences vary by no more
    than rounding.

    Args:
        differences: [..., R].
        inflation: c, by which the variance of the mean difference is multiplied; 1 for independent differences.
    """
    differences = np.asarray(differences)
    error = standard_error(differences, inflation)
    mean = differences.mean(axis=-1)
    statistic = mean / np.where(error > TOLERANCE * np.abs(mean), error, np.nan)
    return statistic, two_sided(statistic, differences.shape[-1] - 1)


def two_sided(statistic: Any, df: Any) -> Array:
    """The probability that Student's t on ``df`` degrees of freedom is as far from zero as ``statistic``."""
    return np.asarray(2.0 * scipy.special.stdtr(df, -np.abs(statistic)))
