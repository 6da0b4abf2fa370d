"""Methods on many tasks at once: mean differences with their uncertainty, and tiers in place of ranks.

The tasks are these tasks, chosen by somebody, and no sample of all that there are. So the uncertainty is that of the
training sets and test cases of each task alone, and nothing is said of any other task.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from benchbook.assess.multiplicity import corrected
from benchbook.assess.standings import LEVEL, standings
from benchbook.assess.two_means import mean_over_tasks
from benchbook.errors import Fault, FaultyInput

_EXPECTED = {
    "task": pl.String,
    "loss": pl.String,
    "method": pl.String,
    "tasks": pl.Int64,
    "mean": pl.Float64,
    "standard_error": pl.Float64,
}
_PAIRS = {
    "task": pl.String,
    "loss": pl.String,
    "method": pl.String,
    "other": pl.String,
    "difference": pl.Float64,
    "standard_error": pl.Float64,
    "p": pl.Float64,
    "reason": pl.String,
}


def tiers(
    expected: pl.DataFrame,
    comparisons: pl.DataFrame,
    level: float = LEVEL,
    without_place: Collection[str] = (),
) -> pl.DataFrame:
    """Methods by their mean standardised loss over all tasks of the tables, in tiers.

    Down the list of means, the first tier begins with the best method, and each next one with the first method that
    differs significantly, after Holm's correction over all pairs, from the first of the present tier. A tier is
    our word and rule. Methods within a tier are in no order.

    Args:
        expected: as ``assess.expected_losses`` gives them, standardised.
        comparisons: as ``assess.comparisons`` gives them, standardised, of the same tasks and methods.
        level: of significance, after the correction.
        without_place: methods that get no tier and are compared with none, such as those whose chains have not
            converged; they stand last, with their means.

    Returns:
        A line for every (loss, method), the best first: loss, tier (from 1), method, ties (methods that share a letter
        do not differ significantly), tasks, mean and standard_error (standardised), against (the best of all),
        difference from it with difference_error, p, holm, benjamini_hochberg, why_no_p.

    Raises:
        FaultyInput: a method without a standardised loss on some task, all of them: a mean over other tasks would
            compare tasks.
    """
    _refuse_gaps(expected)
    everything = _expected_over_tasks(expected)
    outside = pl.col("method").is_in(list(without_place))
    compared = comparisons.filter(~outside, ~pl.col("other").is_in(list(without_place)))
    apart, everything = everything.filter(outside), everything.filter(~outside)
    pairs = _pairs_over_tasks(compared)
    ordered = standings(everything, pairs, level=level).drop("task")
    numbered = [
        part.with_columns(
            tier=pl.Series(_tiers(part["method"].to_list(), pairs.filter(loss=loss), level))
        )
        for (loss,), part in ordered.group_by("loss", maintain_order=True)
    ]
    own = ["loss", "tier", "method"]
    if not numbered:
        return ordered
    placed = pl.concat(numbered).select(*own, pl.exclude(own))
    last = apart.drop("task").sort("loss", "mean")
    return pl.concat([placed, last], how="diagonal_relaxed") if apart.height else placed


def _tiers(names: list[str], pairs: pl.DataFrame, level: float) -> list[int]:
    """The number of each method's tier; the methods are in their order, the best first."""
    apart = {
        (row["method"], row["other"])
        for row in corrected(pairs).iter_rows(named=True)
        if row["holm"] is not None and row["holm"] <= level
    }
    numbers: list[int] = []
    first = ""
    for name in names:
        if not numbers or (first, name) in apart:
            first, number = name, (numbers[-1] if numbers else 0) + 1
        numbers.append(number)
    return numbers


def _refuse_gaps(expected: pl.DataFrame) -> None:
    faults = []
    for (loss,), part in expected.group_by("loss", maintain_order=True):
        tasks = set(part["task"])
        for (method,), own in part.group_by("method", maintain_order=True):
            present = set(own.filter(pl.col("standardised_mean").is_finite())["task"])
            if gaps := sorted(tasks - present):
                more = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
                faults.append(
                    Fault(
                        f"loss {loss}, method {method}",
                        f"none on {', '.join(gaps[:3])}{more}",
                        "a finite standardised loss on every task, or leave the method or the tasks out",
                    )
                )
    if faults:
        raise FaultyInput("methods over tasks", faults)


def _expected_over_tasks(expected: pl.DataFrame) -> pl.DataFrame:
    error = pl.col("standardised_standard_error")
    grouped = expected.group_by("loss", "method", maintain_order=True).agg(
        task=pl.lit("all"),
        tasks=pl.len().cast(pl.Int64),
        mean=pl.col("standardised_mean").mean(),
        standard_error=(error**2).sum().sqrt() / pl.len(),
    )
    return grouped.select(*_EXPECTED)


def _pairs_over_tasks(comparisons: pl.DataFrame) -> pl.DataFrame:
    rows = []
    for (loss, method, other), part in comparisons.group_by(
        "loss", "method", "other", maintain_order=True
    ):
        errors = part["standardised_standard_error"].to_numpy()
        df = part.select(pl.coalesce("df_2", "df_1").fill_null(1.0)).to_series().to_numpy()
        mean, error, _, p = mean_over_tasks(part["standardised_difference"].to_numpy(), errors, df)
        known = np.isfinite(p)
        reason = "" if known else "no standard error on some task, or differences that do not vary"
        rows.append(
            (
                "all",
                loss,
                method,
                other,
                float(mean),
                float(error),
                float(p) if known else None,
                reason,
            )
        )
    return pl.DataFrame(rows, schema=_PAIRS, orient="row")
