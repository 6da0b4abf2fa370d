"""Roots of many increasing functions at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.predictive.checks import FloatArray

_STEPS = 400


def solve_increasing(
    function: Callable[[FloatArray, NDArray[Any]], tuple[FloatArray, FloatArray]],
    low: FloatArray,
    high: FloatArray,
    start: FloatArray,
    margin: FloatArray,
) -> FloatArray:
    """The root of each of B increasing functions, by Newton's method inside a shrinking bracket.

    A Newton step is taken when it stays in the bracket and is at most half as long as the step before, else the bracket
    is halved. Every Newton step goes past the root by ``margin``, so that the bracket closes from both sides; a last
    Newton step from inside the closed bracket is the answer. Functions that are done drop out of the work.

    Args:
        function: (x[b], index[b]) -> (value[b], slope[b]) of the functions with the numbers ``index``.
        low, high: the brackets, shape [B]; a root of each lies within.
        start: where to begin, inside the brackets, shape [B].
        margin: a distance over which the slope hardly changes, shape [B]; at least a few units in the last place of x
            are taken in its stead.

    Returns:
        Roots, shape [B].
    """
    low, high, x = low.copy(), high.copy(), start.copy()
    root = start.copy()
    before = high - low
    active = np.flatnonzero(low < high)
    for _ in range(_STEPS):
        if active.size == 0:
            break
        at = x[active]
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            value, slope = function(at, active)
            step = -value / slope
        newton = at + step
        low[active] = np.where(value <= 0, at, low[active])
        high[active] = np.where(value >= 0, at, high[active])
        floor, ceiling = low[active], high[active]
        slack = np.maximum(margin[active], 4 * np.spacing(np.abs(at)))
        middle = floor + 0.5 * (ceiling - floor)
        inside = (newton >= floor) & (newton <= ceiling)
        root[active] = np.where(inside, newton, middle)
        beyond = newton + np.where(value > 0, -slack, slack)
        quick = (beyond > floor) & (beyond < ceiling) & (np.abs(step) <= 0.5 * before[active])
        x[active] = np.where(quick, beyond, middle)
        before[active] = np.abs(x[active] - at)
        active = active[ceiling - floor > 4 * slack]
    return root
