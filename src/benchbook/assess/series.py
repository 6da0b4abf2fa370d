r"""The mean of losses that depend on those before them: the equal-weighted cosine estimator of its standard error.

    Λ_j = sqrt(2/n) Σ_t l_t cos(πj(t - ½)/n),   SE² = Σ_{j <= B} Λ_j² / (Bn),   t on B degrees of freedom, B = ⌊.4 n^⅔⌋

The slow cosines are nearly independent and have the long-run variance, which needs no horizon and no choice of a lag.
Where neighbours in time, or losses a week apart, correlate so much that B cosines are not slow enough, fewer are taken
(⌊.15 n^⅔⌋, four at least: our choice) and the interval is called approximate. A first cosine, which is a drift from one
end to the other, far above the others is said.

Source: Lazarus, Lewis, Stock and Watson (2018), "HAR inference: recommendations for practice". The alarms are ours; our
simulations (``benchmarks/battery``) have sizes of .05 to .08 where they are silent for autoregressions up to .7, .06
to .09 for .9 from n = 180 on, and up to .2 below, beside .3 to .4 of a t test over times.
"""

from __future__ import annotations

import numpy as np
import scipy

from benchbook.assess.clusters import Array

LEAST_TIMES = 45
"""With fewer there are less than five cosines and no interval; our choice."""
_NEXT, _WEEK = 0.8, 0.35
"""Correlation of losses one and seven times apart above which they are called persistent."""
_USUAL, _SLOW, _FEWEST = 0.4, 0.15, 4
_DRIFT = 0.01


def series_error(values: Array) -> tuple[float, float, str]:
    """The standard error of the mean of losses, or of differences of losses, in the order of time.

    Args:
        values: [n].

    Returns:
        SE, its degrees of freedom, and "" or why the interval is approximate; no SE of fewer than ``LEAST_TIMES``.
    """
    count = len(values)
    if count < LEAST_TIMES:
        return float("nan"), 0.0, ""
    persistent = _persistent(values)
    share = _SLOW if persistent else _USUAL
    waves = max(_FEWEST, int(share * count ** (2 / 3)))
    squares = scipy.fft.dct(values - values.mean(), type=2)[1 : waves + 1] ** 2 / (2 * count)
    warnings = [persistent, "the mean drifts" if _drifts(squares) else ""]
    error = float(np.sqrt(squares.mean() / count))
    return error, float(waves), "; ".join(warning for warning in warnings if warning)


def _persistent(losses: Array) -> str:
    """How losses persist, where they do."""
    gaps = losses - losses.mean()
    square = float(gaps @ gaps)
    for lag, largest in ((1, _NEXT), (7, _WEEK)):
        if square > 0.0 and (correlation := float(gaps[lag:] @ gaps[:-lag]) / square) > largest:
            return f"losses {lag} apart in time correlate by {correlation:.2f}"
    return ""


def _drifts(squares: Array) -> bool:
    """Whether the square of the first cosine is beyond the .99 quantile of F by the mean of the others."""
    mean = float(squares[1:].mean())
    return mean > 0.0 and bool(scipy.special.fdtrc(1, len(squares) - 1, squares[0] / mean) < _DRIFT)
