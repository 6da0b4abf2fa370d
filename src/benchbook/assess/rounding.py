"""Numbers that differ by no more than rounding are equal: in ranks, in differences, and in what is called identical."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-12
"""Relative difference up to which two losses count as equal: sums of a million cases in another order are closer."""


def level(values: Any) -> NDArray[np.float64]:
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


def same(one: Any, other: Any) -> NDArray[np.bool_]:
    """Whether two arrays are equal but for rounding, element by element."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second) <= TOLERANCE * np.maximum(np.abs(first), np.abs(second))
    return np.asarray((near & np.isfinite(first) & np.isfinite(second)) | (first == second))


def difference(one: Any, other: Any) -> NDArray[np.float64]:
    """one - other, 0 where they are equal but for rounding."""
    with np.errstate(invalid="ignore"):
        gaps = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    return np.where(same(one, other), 0.0, gaps)
