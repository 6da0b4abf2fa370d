"""Formulas that losses, methods and assessments share: the standard error of a mean, and residuals left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

_LEAST = 1e-12


def standard_error(values: Any, inflation: float = 1.0) -> NDArray[np.float64]:
    r"""The standard error sqrt(c/R) s of the mean of R independent values, s their sd with divisor R - 1.

    Args:
        values: [..., R], R > 1.
        inflation: c, by which the variance of the mean is multiplied.
    """
    values = np.asarray(values)
    return np.asarray(values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1] / inflation))


def column_error(values: pl.Expr) -> pl.Expr:
    """The standard error of the mean of a column's or group's values, as an expression; null of one value."""
    return values.std() / values.len().sqrt()


def left_out(
    residuals: NDArray[np.float64], rest: NDArray[np.float64], least: float = _LEAST
) -> NDArray[np.float64]:
    """What the residuals of one fit say of fits without each case, (y_n - f_n) / (1 - h_n): no fit is made again.

    It is exact where f = H y comes of least squares, ridge regression or weighted ones; h_n, the leverage, is the n-th
    element of the diagonal of H (D. M. Allen, The relationship between variable selection and data augmentation and a
    method for prediction, 1974).

    Args:
        residuals: y_n - f_n of the fit to all cases, [..., N].
        rest: 1 - h_n, [..., N]; what is less than ``least`` counts as that.
    """
    return residuals / np.maximum(rest, least)
