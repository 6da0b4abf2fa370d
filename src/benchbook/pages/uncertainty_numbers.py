"""Losses of distributions of numbers: what stating another spread costs, properness by simulation, changes of unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook import losses
from benchbook.predictive import Gaussian, Point, Predictive
from benchbook.predictive.checks import FloatArray

ALL = "many, with standard deviation 1"
ONE = "one, at the distance below"
_RANKS = 4000


def spread_costs(codes: Mapping[str, str], sds: ArrayLike, distances: Sequence[float]) -> pl.DataFrame:
    """What stating a standard deviation costs above stating the true one, 1, with a Gaussian whose mean is right.

    Every loss is divided by what stating 2 costs on average, except those to which the spread is nothing. Averages are
    over targets at 4000 evenly spread ranks of the true distribution.

    Args:
        codes: code of a loss by the name to show. sds: stated standard deviations.
        distances: of a single target from the mean, in true standard deviations.

    Returns:
        loss, sd, target (``ALL`` or ``ONE``), distance (0 for ``ALL``), extra.
    """
    from scipy import special

    grid, every = np.asarray(sds, dtype=np.float64), special.ndtri((np.arange(_RANKS) + 0.5) / _RANKS)
    tables = []
    for name, code in codes.items():
        unit = float(_mean_losses(code, np.array([2.0]), every)[0] - _mean_losses(code, np.ones(1), every)[0]) or 1.0
        targets = [(ALL, 0.0, every), *((ONE, float(away), np.array([float(away)])) for away in distances)]
        for target, away, y in targets:
            extra = (_mean_losses(code, grid, y) - _mean_losses(code, np.ones(1), y)) / unit
            tables.append(pl.DataFrame({"loss": name, "sd": grid, "target": target, "distance": away, "extra": extra}))
    return pl.concat(tables)


def _mean_losses(code: str, sds: FloatArray, y: FloatArray) -> FloatArray:
    """The mean loss over targets of Gaussians of mean 0 with each of some standard deviations."""
    pred = Gaussian(np.zeros(sds.size * y.size), np.repeat(sds**2, y.size))
    return losses.get(code).per_case(pred, np.tile(y, sds.size)).reshape(sds.size, y.size).mean(axis=1)


def extra_costs(truth: Predictive, others: Mapping[str, Predictive], codes: Sequence[str], draws: int,
                rng: np.random.Generator) -> pl.DataFrame:
    """What other distributions cost above the true one on targets drawn from it, paired, with standard errors.

    Args:
        truth, others: of one case each. codes: of losses of cases.

    Returns:
        A line for each other distribution: ``stated``, and for each loss its code and ``error_`` with its code.
    """
    y, every = np.asarray(truth.sample(rng, draws))[0], np.zeros(draws, dtype=np.int64)
    right, lines = truth.take(every), []
    for name, other in others.items():
        line: dict[str, str | float] = {"stated": name}
        for code in codes:
            more = losses.get(code).per_case(other.take(every), y) - losses.get(code).per_case(right, y)
            mean, doubt = float(more.mean()), float(more.std(ddof=1) / np.sqrt(draws))
            # Rounding errors are no costs: a loss that does not see the difference shall say 0.
            line |= {code: round(mean, 12), f"error_{code}": round(doubt, 12)}
        lines.append(line)
    return pl.DataFrame(lines)


def nmse_of_guesses(truth: Predictive, shifts: Sequence[float], cases: Sequence[int], sets: int,
                    rng: np.random.Generator) -> pl.DataFrame:
    """How nMSE judges guesses beside the true mean, on sets of few cases that all come from one distribution.

    Returns:
        For each number of cases and shift: ``cases``, ``shift``, the mean ``extra`` nMSE above guessing the mean, and
        its ``error`` over the sets.
    """
    loss, mean, lines = losses.get("nMSE"), float(truth.mean()[0]), []
    for n in cases:
        y = np.asarray(truth.sample(rng, n * sets))[0].reshape(sets, n)
        base = np.array([loss.per_set(Point(np.full(n, mean)), few) for few in y])
        for shift in shifts:
            more = np.array([loss.per_set(Point(np.full(n, mean + shift)), few) for few in y]) - base
            lines.append({"cases": n, "shift": float(shift), "extra": float(more.mean()),
                          "error": float(more.std(ddof=1) / np.sqrt(sets))})
    return pl.DataFrame(lines)


def unit_changes(pred: Predictive, y: ArrayLike, codes: Sequence[str], ratio: float) -> pl.DataFrame:
    """What becomes of a mean loss when predictions and targets are told in another unit, and from another origin.

    Args:
        pred, y: predictions of numbers and their targets. codes: of losses. ratio: old unit in new ones.

    Returns:
        loss, before, after (in the new unit), moved (origin shifted by 100 of the old unit).
    """
    targets, lines = np.asarray(y, dtype=np.float64), []
    for code in codes:
        loss = losses.get(code)

        def mean(p: Predictive, t: FloatArray, loss: losses.Loss = loss) -> float:
            return loss.per_set(p, t) if loss.is_set else float(loss.per_case(p, t).mean())

        lines.append({"loss": code, "before": mean(pred, targets),
                      "after": mean(pred.affine(0.0, ratio), ratio * targets),
                      "moved": mean(pred.affine(100.0, 1.0), targets + 100.0)})
    return pl.DataFrame(lines)
