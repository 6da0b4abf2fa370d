"""PIT values, which are uniform when predictions are calibrated, their histogram and their empirical cdf."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.assess.calibration.bands import (
    Counts,
    check,
    in_unit_interval,
    pointwise_band,
    simultaneous_band,
)
from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined
from benchbook.predictive import Draws, Point, Predictive
from benchbook.predictive.checks import FloatArray, real_targets


def pit(
    pred: Predictive,
    y: ArrayLike,
    rng: np.random.Generator | None = None,
    resolution: float | None = None,
) -> FloatArray:
    r"""The probability integral transform of every case, shape [J], between 0 and 1.

    .. math:: u_j = F_j(y_j^-) + V_j (F_j(y_j) - F_j(y_j^-)), \quad V_j \sim U(0, 1)

    the share of probability below the target, randomised where probability sits on the target itself; uniform when the
    predictions are calibrated. Draws count as a sample of a distribution: with B of M draws below the target and T
    equal to it, u = (B + V (T + 1))/(M + 1), uniform when the target is one more draw.

    Args:
        pred: predictions of numbers.
        y: targets, shape [J].
        rng: the generator of V; needed for draws, points and a resolution.
        resolution: the width h of the cells that discrete targets were rounded to: u is then drawn between the cdf
            at the two ends of the cell, y - h/2 and y + h/2.

    Raises:
        Undefined: predictions of classes or of several outputs, which have no cdf.
        BenchbookError: randomisation is needed and there is no generator, or a resolution that is not positive.
        FaultyInput: targets of another shape or not finite.
    """
    if pred.targets != "real":
        raise Undefined(
            f"a {pred.kind} prediction has no PIT: it has no cdf; use reliability for probabilities"
        )
    targets = real_targets("targets of the PIT", y, len(pred))
    if resolution is not None and not (np.isfinite(resolution) and resolution > 0):
        raise BenchbookError(
            f"the resolution must be a finite number greater than 0; found {resolution!r}"
        )
    if resolution is None and not isinstance(pred, Draws | Point):
        return pred.cdf(targets)
    if rng is None:
        raise BenchbookError(
            "this PIT is randomised where probability sits on the target: give a generator as rng"
        )
    half = 0.0 if resolution is None else resolution / 2
    share = rng.random(len(pred))
    if isinstance(pred, Draws):
        below = (pred.value < targets[:, None] - half).sum(axis=1)
        up_to = (pred.value <= targets[:, None] + half).sum(axis=1)
        return (below + share * (up_to - below + 1)) / (pred.value.shape[1] + 1)
    before = np.nextafter(targets - half, -np.inf) if isinstance(pred, Point) else targets - half
    low, high = pred.cdf(before), pred.cdf(targets + half)
    return low + share * (high - low)


def pit_histogram(
    u: ArrayLike,
    rng: np.random.Generator,
    bins: int = 20,
    coverage: float = 0.95,
    simulations: int = 2000,
) -> pl.DataFrame:
    """How many PIT values fall into each of equal bins, with the bands of calibrated predictions.

    A hump says too wide predictions, a dip too narrow ones, a slope a bias.

    Args:
        u: PIT values, shape [J]. rng: for the simultaneous band. bins: how many. coverage: of the bands.
        simulations: sets of counts simulated.

    Returns:
        A line a bin: ``low`` and ``high`` ends, ``cases``, ``density`` (1 everywhere when calibrated), and the least
        and greatest counts of the two bands, ``pointwise_low``, ``pointwise_high``, ``simultaneous_low``,
        ``simultaneous_high``.

    Raises:
        FaultyInput: values outside of [0, 1], fewer than 2 bins, or what no band can be made of.
    """
    values = checked_pit(u)
    if bins < 2:
        raise FaultyInput("PIT histogram", [Fault("bins", str(bins), "must be at least 2")])
    check(values.size, coverage, simulations)
    counts = np.bincount(np.minimum((values * bins).astype(np.int64), bins - 1), minlength=bins)
    chance = np.full(bins, 1 / bins)

    def draw(generator: np.random.Generator, sets: int) -> Counts:
        return generator.multinomial(values.size, chance, size=sets)

    alone = pointwise_band(values.size, chance, coverage)
    together = simultaneous_band(values.size, chance, draw, coverage, rng, simulations)
    edges = np.arange(bins + 1) / bins
    return pl.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "cases": counts,
            "density": counts * bins / values.size,
            "pointwise_low": alone.low,
            "pointwise_high": alone.high,
            "simultaneous_low": together.low,
            "simultaneous_high": together.high,
        }
    )


def pit_ecdf(
    u: ArrayLike,
    rng: np.random.Generator,
    points: int = 99,
    coverage: float = 0.95,
    simulations: int = 2000,
) -> pl.DataFrame:
    """The share of PIT values up to each of evenly spread points, with the bands of calibrated predictions.

    It needs no bins. Arguments and errors as for :func:`pit_histogram`.

    Returns:
        A line a point: ``value``, ``share``, ``difference`` (share less value), and ends of the bands as shares.
    """
    values = np.sort(checked_pit(u))
    grid = np.arange(1, points + 1) / (points + 1)
    return shares_frame(
        "value",
        grid,
        np.searchsorted(values, grid, side="right"),
        values.size,
        rng,
        coverage,
        simulations,
    )


def shares_frame(
    name: str,
    grid: FloatArray,
    counts: Counts,
    cases: int,
    rng: np.random.Generator,
    coverage: float,
    simulations: int,
) -> pl.DataFrame:
    """Counts of uniform numbers up to the points of a grid, as shares with their bands.

    The grid increases within (0, 1). Columns: the grid under ``name``, ``cases`` (counted), ``share``, ``difference``,
    and the bands.
    """
    check(cases, coverage, simulations)
    steps = np.diff(np.concatenate(([0.0], grid, [1.0])))

    def draw(generator: np.random.Generator, sets: int) -> Counts:
        return generator.multinomial(cases, steps, size=sets).cumsum(axis=1)[:, :-1]

    alone = pointwise_band(cases, grid, coverage)
    together = simultaneous_band(cases, grid, draw, coverage, rng, simulations)
    share = counts / cases
    return pl.DataFrame(
        {
            name: grid,
            "cases": counts,
            "share": share,
            "difference": share - grid,
            "pointwise_low": alone.low / cases,
            "pointwise_high": alone.high / cases,
            "simultaneous_low": together.low / cases,
            "simultaneous_high": together.high / cases,
        }
    )


def checked_pit(u: ArrayLike) -> FloatArray:
    """PIT values as an array [J].

    Raises:
        FaultyInput: none, or values that are no numbers in [0, 1].
    """
    return in_unit_interval("PIT values", "u", u)
