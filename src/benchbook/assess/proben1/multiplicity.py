"""p values of many tests at once: Holm's and Benjamini and Hochberg's."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchbook.assess.squares import Array
from benchbook.errors import Fault, FaultyInput


def holm(p_values: Any) -> Array:
    """Adjusted p values [m] of Holm (1979): those at most alpha are found with a chance of at most alpha that any of
    the true null hypotheses is among them.

        p~_(i) = max_{j <= i} min(1, (m - j + 1) p_(j)),   p_(1) <= ... <= p_(m)
    """
    values = _checked(p_values)
    order = np.argsort(values)
    steps = np.minimum(1.0, values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def benjamini_hochberg(p_values: Any) -> Array:
    """Adjusted p values [m] of Benjamini and Hochberg (1995): among those at most q, at most a share q is false on
    average, when the tests are independent.

        p~_(i) = min_{j >= i} min(1, m p_(j) / j)
    """
    values = _checked(p_values)
    order = np.argsort(values)
    steps = np.minimum(1.0, values[order] * len(values) / np.arange(1, len(values) + 1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return adjusted


def _checked(p_values: Any) -> Array:
    values = np.asarray(p_values, dtype=float)
    if values.ndim != 1 or not ((values >= 0.0) & (values <= 1.0)).all():
        found = f"shape {values.shape}" if values.ndim != 1 else "a value outside 0 to 1"
        raise FaultyInput("p values", [Fault("p values", found, "a vector of numbers from 0 to 1")])
    return values
