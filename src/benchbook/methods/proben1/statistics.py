"""Statistics of many runs: what the report asks to be given, and how far a mean is from a printed one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    import polars as pl

    from benchbook.methods.proben1.training import Run

QUANTITIES = {
    "training_error": "squared error percentage", "validation_error": "squared error percentage",
    "test_error": "squared error percentage", "validation_wrong": "% of cases", "test_wrong": "% of cases",
    "overfit": "%", "total_epochs": "epochs", "relevant_epochs": "epochs", "traversals": "connection traversals",
    "cpu_seconds": "s",
}


def summarise(runs: Sequence[Run]) -> pl.DataFrame:
    """One line for each quantity of some runs: quantity, unit, runs, mean, sd, least, lower quartile, median, upper
    quartile, largest.

    The standard deviation has the divisor n - 1 and is null for one run. Quantities that no run has are left out.

    Raises:
        BenchbookError: there is no run.
    """
    import polars as pl

    if not runs:
        raise BenchbookError("there are no runs to summarise; train some first")
    lines = []
    for quantity, unit in QUANTITIES.items():
        values = np.array([getattr(run, quantity) for run in runs], dtype=float)
        if np.isnan(values).all():
            continue
        least, lower, median, upper, largest = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0))
        lines.append({"quantity": quantity, "unit": unit, "runs": len(values), "mean": values.mean(),
                      "sd": values.std(ddof=1) if len(values) > 1 else None, "least": least, "lower_quartile": lower,
                      "median": median, "upper_quartile": upper, "largest": largest})
    return pl.DataFrame(lines, schema_overrides={"sd": pl.Float64})


def correlation(runs: Sequence[Run]) -> float:
    """Pearson's correlation of least validation error and test error over the runs; NaN for fewer than three runs or
    when one of them never changes."""
    validation, test = (np.array([getattr(run, name) for run in runs]) for name in ("validation_error", "test_error"))
    if len(runs) < 3 or not np.ptp(validation) or not np.ptp(test):
        return math.nan
    return float(np.corrcoef(validation, test)[0, 1])


def standard_errors_apart(
    mean: float, sd: float, runs: int, other_mean: float, other_sd: float, other_runs: int, rounding: float = 0.0
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
