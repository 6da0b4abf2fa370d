"""Many comparisons at once: how many are significant by chance, and which methods come out first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbook.charts.words import listed
from benchbook.pages.neal import PROTOTASKS, of

LEVEL = 0.05


@dataclass(frozen=True)
class Many:
    """How many of many comparisons are significant, and how many chance alone would make so.

    Attributes:
        comparisons: unordered pairs of methods, over all tasks, that have a p value.
        found, by_chance: with p ≤ 0.05, and 0.05 times the comparisons.
        digits, digits_by_chance: with p ≤ 0.09, which get a digit in the grids, and 0.09 times the comparisons.
        held: that stay significant under Holm's procedure, which keeps the chance of even one false find at 5 %.
    """

    comparisons: int
    found: int
    by_chance: float
    digits: int
    digits_by_chance: float
    held: int


def many(compared: pl.DataFrame) -> Many:
    """Count the comparisons of a table in which every pair of methods stands in both orders."""
    p = compared.filter(pl.col("method") < pl.col("other"))["p"].drop_nulls().to_numpy()
    return Many(len(p), int((p <= LEVEL).sum()), LEVEL * len(p), int((p <= 0.09).sum()), 0.09 * len(p),
                int(holm(p).sum()))


def holm(p: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Which hypotheses Holm's step-down procedure rejects: the k-th smallest p is held to level/(n - k + 1).

    Source: S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6 (1979), 65-70.
    """
    order = np.argsort(p)
    passes = p[order] <= level / (len(p) - np.arange(len(p)))
    rejected = np.zeros(len(p), dtype=bool)
    rejected[order[: len(p) if passes.all() else int(np.argmin(passes))]] = True
    return rejected


def crowned(best: pl.DataFrame) -> str:
    """On how many tasks each method has the least loss, in a sentence; from ``champions``."""
    if best.is_empty():
        return ""
    shown = [f"`{method}` on {tasks}" for method, tasks in best.iter_rows()]
    return f"Of {best['tasks'].sum()} tasks, the least expected loss is had by {listed(shown)}."


def champions(expected: pl.DataFrame, methods: Sequence[str], prototasks: Sequence[str] = PROTOTASKS) -> pl.DataFrame:
    """On how many tasks each method has the least expected loss: method, tasks; the most successful first."""
    chosen = pl.concat([of(expected, name) for name in prototasks]).filter(
        pl.col("method").is_in(list(methods)) & pl.col("mean").is_not_null())
    best = chosen.sort("mean").group_by("task", maintain_order=True).first()
    counts = best.group_by("method").len("tasks").sort(["tasks", "method"], descending=[True, False])
    return counts.with_columns(pl.col("tasks").cast(pl.Int64))
