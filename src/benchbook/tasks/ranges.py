"""Declared ranges of numeric attributes, as tests on arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets.ranges import IntegerRange, Interval, Range, format_range


def outside(declared: Range, numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], str]:
    """Positions of the numbers (NaN passes) outside a declared range, and the rule they break."""
    if isinstance(declared, IntegerRange):
        wrong = (
            (numbers < declared.low) | (numbers > declared.high) | (numbers != np.floor(numbers))
        )
        rule = f"a whole number in {format_range(declared)}"
    elif isinstance(declared, Interval):
        low = numbers < declared.low if declared.closed_low else numbers <= declared.low
        high = numbers > declared.high if declared.closed_high else numbers >= declared.high
        wrong, rule = low | high, f"a number in {format_range(declared)}"
    else:
        return np.empty(0, dtype=np.int64), ""
    return np.flatnonzero(wrong & ~np.isnan(numbers)), rule
