"""The four statistics DELVE keeps of a numeric attribute."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Statistics:
    """Mean, standard deviation, median and average absolute deviation of one attribute, in its own unit."""

    mean: float
    deviation: float
    median: float
    absolute_deviation: float


def describe(values: NDArray[np.float64]) -> Statistics:
    r"""The statistics of ``values[n]``, with divisor n - 1 throughout.

    .. math:: s = \sqrt{\sum (x - \bar x)^2 / (n-1)}, \qquad a = \sum |x - m| / (n-1)

    with m the median (the mean of the two middle values for even n). For n = 1 both spreads are 0, for n = 0 all four
    are. Source: DELVE 1.1, ``delveStats.c``.
    """
    count = len(values)
    if count == 0:
        return Statistics(0.0, 0.0, 0.0, 0.0)
    mean, median, rest = float(values.mean()), float(np.median(values)), max(count - 1, 1)
    deviation = float(np.sqrt(np.square(values - mean).sum() / rest))
    return Statistics(mean, deviation, median, float(np.abs(values - median).sum() / rest))
