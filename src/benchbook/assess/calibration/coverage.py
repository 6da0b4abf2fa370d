"""Coverage: how many targets lie in the central intervals that promise to hold a share of them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np
import polars as pl
import scipy
from numpy.typing import ArrayLike

from benchbook.assess.calibration.pit import checked_pit, shares_frame
from benchbook.errors import Fault, FaultyInput, Undefined
from benchbook.predictive import Categorical, Predictive
from benchbook.predictive.checks import FloatArray, as_floats


def sharpness(pred: Predictive, coverages: Sequence[float] = (0.5, 0.9)) -> pl.DataFrame:
    """Widths of central intervals and the standard deviation; of classes the entropy and the largest probability.

    Returns:
        A line a measure: ``measure``, ``unit``, and over the cases its ``mean``, ``median``, ``least`` and
        ``greatest``. A standard deviation that does not exist is left out.

    Raises:
        Undefined: predictions of several outputs.
    """
    if pred.targets == "outputs":
        raise Undefined(f"a {pred.kind} prediction is of points and has no sharpness")
    rows = _of_classes(pred) if isinstance(pred, Categorical) else _of_numbers(pred, coverages)
    return pl.DataFrame(
        [
            {
                "measure": name,
                "unit": unit,
                "mean": float(values.mean()),
                "median": float(np.median(values)),
                "least": float(values.min()),
                "greatest": float(values.max()),
            }
            for name, unit, values in rows
        ]
    )


def _of_numbers(pred: Predictive, coverages: Sequence[float]) -> list[tuple[str, str, FloatArray]]:
    rows = []
    for coverage in coverages:
        low, high = pred.interval(coverage)
        rows.append(
            (f"width of the central {100 * coverage:g} % interval", "target unit", high - low)
        )
    with contextlib.suppress(Undefined):
        rows.append(("standard deviation", "target unit", np.sqrt(pred.variance())))
    return rows


def _of_classes(pred: Categorical) -> list[tuple[str, str, FloatArray]]:
    return [
        ("entropy", "nats", scipy.special.entr(pred.probability).sum(axis=1)),
        ("largest probability", "fraction", pred.probability.max(axis=1)),
    ]


LEVELS = tuple(k / 20 for k in range(1, 20))


def coverage_curve(
    u: ArrayLike,
    rng: np.random.Generator,
    levels: ArrayLike = LEVELS,
    coverage: float = 0.95,
    simulations: int = 2000,
) -> pl.DataFrame:
    """The share of targets within the central interval of every level, with binomial bands.

    The central interval of level c holds the target when abs(2 u - 1) <= c, so that PIT values are all it takes, and
    what :func:`~benchbook.assess.calibration.pit` does for discrete parts and draws holds here.

    Args:
        u: PIT values, shape [J]. rng: for the simultaneous band.
        levels: promised shares, increasing and strictly between 0 and 1.
        coverage: of the bands, and of the interval for the true share. simulations: sets of counts simulated.

    Returns:
        A line a level: ``level``, ``cases`` (within), ``share``, ``difference``, the two bands of calibrated
        predictions as shares, and ``exact_low``, ``exact_high``: the Clopper-Pearson interval for the true share.

    Raises:
        FaultyInput: values outside of [0, 1], or levels that do not increase within (0, 1).
    """
    values, grid = checked_pit(u), as_floats(levels)
    if (
        isinstance(grid, str)
        or grid.ndim != 1
        or grid.size == 0
        or not ((grid > 0) & (grid < 1)).all()
        or not (np.diff(grid) > 0).all()
    ):
        raise FaultyInput(
            "coverage curve",
            [Fault("levels", str(levels), "must increase strictly within 0 and 1")],
        )
    counts = np.searchsorted(np.sort(np.abs(2 * values - 1)), grid, side="right")
    n, outside = values.size, (1 - coverage) / 2
    low = np.where(
        counts > 0, scipy.stats.beta.ppf(outside, np.maximum(counts, 1), n - counts + 1), 0.0
    )
    high = np.where(
        counts < n, scipy.stats.beta.ppf(1 - outside, counts + 1, np.maximum(n - counts, 1)), 1.0
    )
    frame = shares_frame("level", grid, counts, n, rng, coverage, simulations)
    return frame.with_columns(pl.Series("exact_low", low), pl.Series("exact_high", high))
