"""Statistics of many runs: what the report asks to be given, and how far a mean is from a printed one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from benchbook.assess.proben1.comparison import need
from benchbook.errors import BenchbookError

QUANTITIES = {
    "training_error": "squared error percentage",
    "validation_error": "squared error percentage",
    "test_error": "squared error percentage",
    "validation_wrong": "% of cases",
    "test_wrong": "% of cases",
    "overfit": "%",
    "total_epochs": "epochs",
    "relevant_epochs": "epochs",
    "traversals": "connection traversals",
    "cpu_seconds": "s",
}


def summarise(runs: Sequence[Any]) -> pl.DataFrame:
    """One line for each quantity of some runs (``methods.proben1.Run``): quantity, unit, runs, mean, sd, least, lower
    quartile, median, upper quartile, largest.

    The standard deviation has the divisor n - 1 and is null for one run. Quantities that no run has are left out.

    Raises:
        BenchbookError: there is no run.
    """
    if not runs:
        raise BenchbookError("there are no runs to summarise; train some first")
    lines = []
    for quantity, unit in QUANTITIES.items():
        values = np.array([getattr(run, quantity) for run in runs], dtype=float)
        if np.isnan(values).all():
            continue
        least, lower, median, upper, largest = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0))
        lines.append(
            {
                "quantity": quantity,
                "unit": unit,
                "runs": len(values),
                "mean": values.mean(),
                "sd": values.std(ddof=1) if len(values) > 1 else None,
                "least": least,
                "lower_quartile": lower,
                "median": median,
                "upper_quartile": upper,
                "largest": largest,
            }
        )
    return pl.DataFrame(lines, schema_overrides={"sd": pl.Float64})


def summaries(runs: pl.DataFrame) -> pl.DataFrame:
    """What the report asks to be given about the runs of every method on every dataset.

    Args:
        runs: a line a run: dataset, method, and as many of ``QUANTITIES`` as there are.

    Returns:
        A line for each dataset, method and quantity: dataset, method, quantity, unit, runs, mean, sd (divisor n - 1,
        null for one run), least, median, largest. Null and NaN count as not given; a quantity that no run of a method
        has is left out.
    """
    need(runs, ("dataset", "method"))
    present = [name for name in QUANTITIES if name in runs.columns]
    long = (
        runs.select("dataset", "method", pl.col(present).cast(pl.Float64))
        .unpivot(present, index=["dataset", "method"], variable_name="quantity", value_name="value")
        .filter(pl.col("value").is_not_nan())
    )
    value, order = pl.col("value"), {name: index for index, name in enumerate(QUANTITIES)}
    frame = long.group_by("dataset", "method", "quantity").agg(
        runs=pl.len(),
        mean=value.mean(),
        sd=value.std(),
        least=value.min(),
        median=value.median(),
        largest=value.max(),
    )
    return frame.sort(
        "dataset", "method", pl.col("quantity").replace_strict(order, return_dtype=pl.Int64)
    ).select(
        "dataset",
        "method",
        "quantity",
        pl.col("quantity").replace_strict(QUANTITIES, return_dtype=pl.String).alias("unit"),
        "runs",
        "mean",
        "sd",
        "least",
        "median",
        "largest",
    )


def correlations(runs: pl.DataFrame) -> pl.DataFrame:
    """Pearson's correlation of validation and test error over the runs of every method on every dataset: dataset,
    method, runs, correlation; NaN for fewer than three runs or where one of the two never changes."""
    need(runs, ("dataset", "method", "validation_error", "test_error"))
    frame = runs.group_by("dataset", "method").agg(
        runs=pl.len(), correlation=pl.corr("validation_error", "test_error")
    )
    fewer = pl.when(pl.col("runs") < 3).then(math.nan).otherwise(pl.col("correlation"))
    return frame.with_columns(correlation=fewer).sort("dataset", "method")


def correlation(runs: Sequence[Any]) -> float:
    """Pearson's correlation of least validation error and test error over the runs; NaN for fewer than three runs or
    when one of them never changes."""
    validation, test = (
        np.array([getattr(run, name) for run in runs])
        for name in ("validation_error", "test_error")
    )
    if len(runs) < 3 or not np.ptp(validation) or not np.ptp(test):
        return math.nan
    return float(np.corrcoef(validation, test)[0, 1])


def standard_errors_apart(
    mean: float,
    sd: float,
    runs: int,
    other_mean: float,
    other_sd: float,
    other_runs: int,
    rounding: float = 0.0,
) -> float:
    """How many standard errors of their difference two means of independent runs are apart.

        (m - m') / sqrt(s^2 / n + s'^2 / n' + u^2 / 12 + u^2 / (12 n'))

    A printed mean is only known to a unit u of its last digit, and so is a printed standard deviation: the rounding
    error of the mean counts with the variance of a uniform law, u^2 / 12, and so that a printed 0.00 is not taken for
    certainty, the same is added to the printed variance. With u = 0 it is the usual quotient; it is NaN when nothing
    varies.
    """
    spread = rounding**2 / 12.0
    error = math.sqrt(sd**2 / runs + (other_sd**2 + spread) / other_runs + spread)
    return (mean - other_mean) / error if error else math.nan


def mean_test_errors(runs: pl.DataFrame) -> pl.DataFrame:
    """What the runs of each dataset and method come to: dataset, method, runs, and of the test error mean, sd (divisor
    n - 1; null for one run), least, median and largest, the mean percentage of wrong cases and the mean of all epochs.

    Args:
        runs: a line a run: dataset, method, test_error, test_wrong, total_epochs.
    """
    error = pl.col("test_error")
    return runs.group_by("dataset", "method", maintain_order=True).agg(
        runs=pl.len(),
        mean=error.mean(),
        sd=error.std(),
        least=error.min(),
        median=error.median(),
        largest=error.max(),
        wrong=pl.col("test_wrong").mean(),
        epochs=pl.col("total_epochs").mean(),
    )


def ratios(runs: pl.DataFrame, reference: str) -> pl.DataFrame:
    """Mean test errors as multiples of those of a reference method: dataset, method, runs, error, ratio.

    Datasets that the reference has no runs of are left out, and so is the reference.

    Args:
        runs: a line a run: dataset, method, test_error.
        reference: a method.
    """
    means = runs.group_by("dataset", "method").agg(runs=pl.len(), error=pl.col("test_error").mean())
    base = means.filter(method=reference).select("dataset", base="error")
    both = means.filter(pl.col("method") != reference).join(base, on="dataset")
    return both.select(
        "dataset", "method", "runs", "error", ratio=pl.col("error") / pl.col("base")
    ).sort("dataset", "method")
