"""Losses of stated probabilities of two classes: curves, properness by simulation, and forecasters judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook import losses
from benchbook.losses.base import Loss
from benchbook.predictive import Categorical
from benchbook.predictive.checks import FloatArray

Judge = Callable[[FloatArray, FloatArray], FloatArray]
_INFINITE = 60.0  # stands for an infinite loss in a chart, whose arithmetic must give 0 when it cannot happen


def two_classes(probability: ArrayLike) -> Categorical:
    """Predictions of two classes from the probability of class 1, shape [J]."""
    p = np.asarray(probability, dtype=np.float64)
    return Categorical(np.column_stack([1 - p, p]))


def judge(loss: str | Loss) -> Judge:
    """A loss of the registry, or one at hand, as a function of probabilities [J] and outcomes 0 or 1 [J]."""
    found = losses.get(loss) if isinstance(loss, str) else loss
    return lambda p, y: found.per_case(two_classes(p), y.astype(np.int64))


def absolute_error(p: FloatArray, y: FloatArray) -> FloatArray:
    """|p - y|, a loss that is not proper: whoever believes in more than 1/2 does best by saying 1."""
    return np.abs(p - y)


def stated_losses(judges: Mapping[str, Judge], grid: ArrayLike) -> pl.DataFrame:
    """What stating a probability costs when the event happens and when not, for each loss.

    Every loss is divided by what saying 1/2 costs when both outcomes are equally likely, so that all can stand in one
    picture; a loss above 60 of these is shown as 60.

    Returns:
        loss, stated, plus (if it happens), minus (if not).
    """
    p = np.asarray(grid, dtype=np.float64)
    tables = []
    for name, of in judges.items():
        half = np.array([0.5, 0.5])
        unit = float(of(half, np.array([0.0, 1.0])).mean())
        plus, minus = (np.minimum(of(p, np.full(p.size, y)) / unit, _INFINITE) for y in (1.0, 0.0))
        tables.append(pl.DataFrame({"loss": name, "stated": p, "plus": plus, "minus": minus}))
    return pl.concat(tables)


def extra_costs(judges: Mapping[str, Judge], chance: float, stated: Sequence[float], draws: int,
                rng: np.random.Generator) -> pl.DataFrame:
    """What other probabilities cost above the true one on drawn outcomes, paired, with standard errors.

    Returns:
        A line a stated probability: ``stated``, and for each loss its name and ``error_`` with its name.
    """
    y = (rng.random(draws) < chance).astype(np.float64)
    lines = []
    for p in stated:
        line = {"stated": float(p)}
        for name, of in judges.items():
            more = of(np.full(draws, float(p)), y) - of(np.full(draws, chance), y)
            line |= {name: float(more.mean()), f"error_{name}": float(more.std(ddof=1) / np.sqrt(draws))}
        lines.append(line)
    return pl.DataFrame(lines)


def judged(forecasters: Mapping[str, ArrayLike], y: ArrayLike, judges: Mapping[str, Judge]) -> pl.DataFrame:
    """The mean loss of every forecaster under every loss, with standard errors over the cases.

    Returns:
        A line a forecaster: ``forecaster``, and for each loss its name and ``error_`` with its name (NaN for an
        infinite mean).
    """
    outcomes = np.asarray(y, dtype=np.float64)
    lines = []
    for who, p in forecasters.items():
        line: dict[str, str | float] = {"forecaster": who}
        for name, of in judges.items():
            each = of(np.asarray(p, dtype=np.float64), outcomes)
            spread = float(each.std(ddof=1) / np.sqrt(each.size)) if np.isfinite(each).all() else float("nan")
            line |= {name: float(each.mean()), f"error_{name}": spread}
        lines.append(line)
    return pl.DataFrame(lines)
