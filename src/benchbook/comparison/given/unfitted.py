"""Data and fits of a comparison in which nothing was fitted: the losses are there, and no inputs or predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.fits import Fits
from benchbook.comparison.measure import LossInfo
from benchbook.comparison.plan import SplitPlan

_UNIT = {"method": pl.String, "split": pl.Int32, "row": pl.Int64, "loss": pl.String}


def units(
    count: int, title: str, rows: str = "cases", groups: Any = None, labels: Any = None
) -> ComparisonData:
    """So many units in the place of cases, without inputs and targets."""
    named = {"index": labels, "rows_name": rows}
    return ComparisonData(
        None, np.zeros(count), None, "number", (), None, (), title, "", groups, None, None, **named
    )


def unfitted(
    data: ComparisonData,
    plan: SplitPlan,
    methods: Sequence[str],
    losses: Mapping[str, LossInfo],
    by_unit: pl.DataFrame | None,
    by_split: pl.DataFrame | None,
) -> Fits:
    """The losses where those of fits are.

    Args:
        data, plan, methods: what was compared. losses: what they are called, by code.
        by_unit: method, split, row, loss, value, and weight or sample; without rows, or None, where only whole sets
            have a loss. by_split: method, split, loss, value; made of the others when left out.
    """
    fits = Fits(data, plan, (), tuple(methods), {}, {}, [], {}, {}, {}, 1, 1)
    unit = _of_units(by_unit)
    if by_split is None:
        weighed = pl.col("value").dot("weight") / pl.col("weight").sum()
        keys = ("method", "split", "loss")
        by_split = unit.group_by(*keys, maintain_order=True).agg(
            weighed.alias("value"), cases=pl.len()
        )
    places = [pl.lit(0, pl.Int32).alias("repeat"), pl.col("split").cast(pl.Int32).alias("fold")]
    vars(fits).update(
        losses=unit.with_columns(places),
        fold_losses=by_split.with_columns(places),
        predictions=pl.DataFrame({name: [] for name in ("method", "split", "row", "value")}),
        times=pl.DataFrame(schema={"method": pl.String, "fit_seconds": pl.Float64}),
        orientation=dict(losses),
        hard=(),
        distributions={},
        scores={},
    )
    return fits


def _of_units(losses: pl.DataFrame | None) -> pl.DataFrame:
    """The loss of each method, split and row: the mean over samples."""
    if losses is None or "row" not in losses.columns:
        return pl.DataFrame(schema=_UNIT | {"value": pl.Float64, "weight": pl.Float64})
    if "weight" not in losses.columns:
        losses = losses.with_columns(weight=pl.lit(1.0))
    if "sample" not in losses.columns:
        return losses
    return losses.group_by(*_UNIT, maintain_order=True).agg(
        pl.col("value").mean(), pl.col("weight").first()
    )
