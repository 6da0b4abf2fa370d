"""Means of losses on splits of one data set."""

from __future__ import annotations

import polars as pl

from benchbook.assess.checked_losses import refuse_training_cases

_MEANS = pl.Schema(
    {
        "task": pl.String,
        "loss": pl.String,
        "method": pl.String,
        "split": pl.Int64,
        "mean": pl.Float64,
    }
)


def split_means(losses: pl.DataFrame) -> pl.DataFrame:
    """Mean loss of every method on the test cases of every split.

    Args:
        losses: as an archive gives them: task, loss, method, instance, value (and others).

    Returns:
        task, loss, method, split (from 0), mean; sorted.
    """
    refuse_training_cases(losses, "means of splits")
    grouped = losses.group_by("task", "loss", "method", pl.col("instance").alias("split"))
    return (
        grouped.agg(mean=pl.col("value").mean())
        .sort("task", "loss", "method", "split")
        .cast(_MEANS)
    )
