"""Formulas that losses, methods and assessments share: the standard error of a mean, residuals left out, and equality
of numbers that differ by rounding alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import polars as pl

_LEAST = 1e-12
TOLERANCE = 1e-12
"""Relative difference up to which two losses count as equal: sums of a million cases in another order are closer."""


def standard_error(values: ArrayLike, inflation: float = 1.0) -> NDArray[np.float64]:
    r"""The standard error sqrt(c/R) s of the mean of R independent values, s their sd with divisor R - 1.

    Example:
        >>> from benchbook import assess
        >>> round(float(assess.standard_error([0.3, 0.1, 0.4, 0.2])), 3)
        0.065

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


def level(values: ArrayLike) -> NDArray[np.float64]:
    """Values [..., n] in which those that differ by rounding alone, along the last axis, are equal.

    Each becomes the smallest of those that it is equal to; in sorted order a value is equal to the one before when
    they differ by no more than ``TOLERANCE`` of the larger. Infinite values are equal to their like.
    """
    given = np.asarray(values, dtype=np.float64)
    order = np.argsort(given, axis=-1, kind="stable")
    ordered = np.take_along_axis(given, order, axis=-1)
    apart = ~same(ordered[..., 1:], ordered[..., :-1])
    index = np.arange(given.shape[-1])
    starts = np.concatenate([np.ones((*given.shape[:-1], 1), dtype=bool), apart], axis=-1)
    first = np.maximum.accumulate(np.where(starts, index, 0), axis=-1)
    levelled = np.empty_like(given)
    np.put_along_axis(levelled, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return levelled


def same(one: object, other: object) -> NDArray[np.bool_]:
    """Whether two arrays are equal but for rounding, element by element."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second) <= TOLERANCE * np.maximum(np.abs(first), np.abs(second))
    return np.asarray((near & np.isfinite(first) & np.isfinite(second)) | (first == second))


def difference(one: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """one - other, 0 where they are equal but for rounding."""
    with np.errstate(invalid="ignore"):
        gaps = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    return np.where(same(one, other), 0.0, gaps)
