"""Forecasters whose calibration is known, widened and narrowed: PIT, coverage, width; and coverage of methods."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook import losses, methods, tasks
from benchbook.assess import calibration
from benchbook.predictive import Gaussian, Predictive, Quantiles
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator


class World(NamedTuple):
    """Inputs and targets of a world whose noise grows with the input, and forecasters of the targets, by name."""

    x: FloatArray
    y: FloatArray
    forecasters: dict[str, Predictive]


def world(cases: int, rng: np.random.Generator) -> World:
    """Targets N(3 sin(2 pi x), s(x)^2), s from 0.3 to 1.5, and four forecasters.

    The oracle knows mean and spread of each case. The second knows the mean, and states one spread. The third does not
    look at x and states quantiles of what came before. The fourth knows the spread, and has all means 0.5 too high.
    """
    x = rng.random(cases)
    mean, sd = 3 * np.sin(2 * np.pi * x), 0.3 + 1.2 * x
    y = mean + sd * rng.normal(size=cases)
    before = rng.random(20_000)
    seen = 3 * np.sin(2 * np.pi * before) + (0.3 + 1.2 * before) * rng.normal(size=20_000)
    level = np.arange(1, 40) / 40
    return World(
        x,
        y,
        {
            "oracle": Gaussian(mean, sd**2),
            "constant variance": Gaussian(mean, np.full(cases, float((sd**2).mean()))),
            "no inputs": Quantiles(level, np.tile(np.quantile(seen, level), (cases, 1))),
            "biased": Gaussian(mean + 0.5, sd**2),
        },
    )


def widened(pred: Predictive, factor: float) -> Predictive:
    """The same predictions with all distances from the median multiplied by a factor; Gaussians and quantiles."""
    if isinstance(pred, Gaussian):
        return Gaussian(pred.mean(), factor**2 * pred.variance())
    if isinstance(pred, Quantiles):
        middle = pred.median()[:, None]
        return Quantiles(pred.level, middle + factor * (pred.value - middle))
    raise TypeError(f"a {pred.kind} prediction is not widened here")


class Frames(NamedTuple):
    """What a chart needs: bars of PIT histograms, and the numbers that belong to each panel and factor."""

    bars: pl.DataFrame
    facts: pl.DataFrame


def frames(found: World, factors: Sequence[float], bins: int, seed: int) -> Frames:
    """PIT histograms of all forecasters at every factor, with simultaneous bands, and coverage, width and losses.

    Returns:
        bars: forecaster, factor, and the columns of ``calibration.pit_histogram``.
        facts: forecaster, factor, coverage and width of the central 90 % intervals, NLPD, CRPS.
    """
    bars, facts = [], []
    for name, pred in found.forecasters.items():
        for factor in factors:
            now = widened(pred, factor)
            table = calibration.pit_histogram(
                calibration.pit(now, found.y), generator(seed, "band"), bins, simulations=500
            )
            key = {"forecaster": pl.lit(name), "factor": pl.lit(float(factor))}
            bars.append(table.with_columns(**key))
            low, high = now.interval(0.9)
            facts.append(
                {
                    "forecaster": name,
                    "factor": float(factor),
                    "coverage": float(((found.y >= low) & (found.y <= high)).mean()),
                    "width": float((high - low).mean()),
                }
                | {
                    code: float(losses.get(code).per_case(now, found.y).mean())
                    for code in ("NLPD", "CRPS")
                }
            )
    return Frames(pl.concat(bars), pl.DataFrame(facts))


def coverage_by(pred: Predictive, y: ArrayLike, group: ArrayLike, coverage: float) -> pl.DataFrame:
    """The share of targets within central intervals, group by group: group, cases, share, width."""
    targets = np.asarray(y, dtype=np.float64)
    low, high = pred.interval(coverage)
    within = (targets >= low) & (targets <= high)
    table = pl.DataFrame({"group": np.asarray(group), "_in": within, "_width": high - low})
    return table.group_by("group", maintain_order=True).agg(
        cases=pl.len(), share=pl.col("_in").mean(), width=pl.col("_width").mean()
    )


def methods_coverage(
    task: str, names: Sequence[str], seed: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Coverage curves of methods on the first instance of a task, and their sharpness and losses.

    Returns:
        The columns of ``calibration.coverage_curve`` with ``method``; and a line a method: method, coverage and mean
        width of the central 90 % interval, CRPS, NLPD.
    """
    instance, y = tasks.get(task).instance(0), tasks.Scorer(task, 0).targets
    curves, lines = [], []
    for name in names:
        answer, _ = methods.answer(
            methods.get(name), instance, generator(seed, name, instance.name)
        )
        pred = instance.decode(answer)
        u = calibration.pit(pred, y, generator(seed, "pit", name))
        curves.append(
            calibration.coverage_curve(u, generator(seed, "band")).with_columns(method=pl.lit(name))
        )
        low, high = pred.interval(0.9)
        lines.append(
            {
                "method": name,
                "coverage": float(((y >= low) & (y <= high)).mean()),
                "width": float((high - low).mean()),
            }
            | {code: float(losses.get(code).per_case(pred, y).mean()) for code in ("CRPS", "NLPD")}
        )
    return pl.concat(curves), pl.DataFrame(lines)


def reliabilities(forecasters: Mapping[str, ArrayLike], y: ArrayLike, seed: int) -> pl.DataFrame:
    """CORP reliability diagrams with bands: the columns of ``calibration.reliability`` with ``forecaster``.

    Of more than 150 different probabilities about 150 are kept, the first and the last among them.
    """
    tables = []
    for name, p in forecasters.items():
        table = calibration.reliability(p, y, generator(seed, name, "band"), simulations=400)
        kept = np.unique(np.linspace(0, table.height - 1, 150).round().astype(int))
        tables.append(table[kept].with_columns(forecaster=pl.lit(name)))
    return pl.concat(tables)
