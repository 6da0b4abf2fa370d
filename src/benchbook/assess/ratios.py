"""Two methods side by side on many tasks: the ratio of their expected losses on each, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy

LEVEL = 0.05
_LINES = {
    "task": pl.String,
    "dataset": pl.String,
    "training_cases": pl.Int64,
    "ratio": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
}


@dataclass(frozen=True)
class Ratios:
    """Two methods side by side on a set of tasks.

    Attributes:
        method, other: the two; ratios are of the first one's expected loss to the second one's.
        lines: a line a task: task, dataset, training_cases, ratio, low and high (95 % interval), p.
    """

    method: str
    other: str
    lines: pl.DataFrame

    @property
    def lower(self) -> pl.DataFrame:
        """Tasks on which the loss of ``method`` is the lower one, significantly or not."""
        return self.lines.filter(pl.col("ratio") < 1.0)

    @property
    def better(self) -> pl.DataFrame:
        """Tasks on which ``method`` is significantly better, the largest gain first."""
        return self.lower.filter(pl.col("p") <= LEVEL).sort("ratio")

    @property
    def worse(self) -> pl.DataFrame:
        """Tasks on which it is significantly worse, the largest loss first."""
        return self.lines.filter((pl.col("p") <= LEVEL) & (pl.col("ratio") > 1.0)).sort(
            "ratio", descending=True
        )

    @property
    def mean_ratio(self) -> float:
        """The geometric mean of the ratios over the tasks; NaN without tasks."""
        return (
            float(np.exp(np.log(self.lines["ratio"].to_numpy()).mean()))
            if self.lines.height
            else math.nan
        )

    def on(self, start: str) -> Ratios:
        """Only the tasks of datasets whose name begins so: ``"kin"``, or ``"kin-8nm-sim"``."""
        return Ratios(
            self.method, self.other, self.lines.filter(pl.col("dataset").str.starts_with(start))
        )

    def by_dataset(self) -> pl.DataFrame:
        """For each dataset: tasks, on how many ``method`` is lower, better and worse, geometric mean of the ratios.

        Better and worse are meant significantly, at the 5 % level.
        """
        ratio, clear = pl.col("ratio"), pl.col("p") <= LEVEL
        return self.lines.group_by("dataset", maintain_order=True).agg(
            tasks=pl.len(),
            lower=(ratio < 1.0).sum(),
            better=(clear & (ratio < 1.0)).sum(),
            worse=(clear & (ratio > 1.0)).sum(),
            ratio=ratio.log().mean().exp(),
        )


def ratios(
    compared: pl.DataFrame, method: str, other: str, prototasks: Sequence[str] | None = None
) -> Ratios:
    r"""Set two methods side by side on all tasks of some prototasks.

    The ratio is ȳ_A/ȳ_B, and its interval (ȳ_B + x̄ ± c |x̄/t|)/ȳ_B, where c is the upper 2.5 % point of the t
    distribution: ȳ_B is taken as known, so that the interval excludes 1 exactly when p ≤ 0.05.

    Args:
        compared: what ``comparisons`` gives, hierarchical scheme, one loss.
        method, other: A and B.
        prototasks: of whose tasks, in this order; by default of all. Those without losses of both are left out.
    """
    both = compared.filter(method=method, other=other)
    chosen = (
        both
        if prototasks is None
        else pl.concat(
            [both.filter(pl.col("task").str.starts_with(f"{name}/")) for name in prototasks]
        )
    )
    lines = []
    for line in chosen.iter_rows(named=True):
        if not line["other_mean"]:
            continue
        half = math.nan
        if line["statistic"]:
            error = abs(line["difference"] / line["statistic"])
            half = (
                float(scipy.special.stdtrit(line["df_1"], 1.0 - LEVEL / 2.0))
                * error
                / line["other_mean"]
            )
        ratio = line["mean"] / line["other_mean"]
        lines.append(
            {
                "task": line["task"],
                "dataset": line["task"].partition("/")[0],
                "ratio": ratio,
                "low": ratio - half,
                "high": ratio + half,
                "p": line["p"],
            }
        )
    size = pl.col("task").str.extract(r"\.(\d+)$").cast(pl.Int64)
    schema = {name: kind for name, kind in _LINES.items() if name != "training_cases"}
    table = pl.DataFrame(lines, schema=schema, nan_to_null=True).with_columns(training_cases=size)
    return Ratios(method, other, table.select(*_LINES))
