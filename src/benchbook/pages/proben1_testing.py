"""What the chapters on honest tests show: runs with outliers in and out, and the cells of the report's table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchbook.assess.proben1 import cochran_cox, removal_order, shapiro
from benchbook.assess.proben1.lognormal import FEWEST, LEVEL
from benchbook.charts.shortcuts import VERDICTS


def taken_out(runs: pl.DataFrame, methods: tuple[str, str], most: int = 6) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every run's place in the order of removal, and p for each number of runs taken out of both methods.

    Args:
        runs: a line a run: dataset, method, test_error.
        methods: the two to compare; datasets without six runs more than ``most`` of each are left out.
        most: up to how many runs are taken out of each.

    Returns:
        (dataset, method, error, place) and (dataset, removed, p, normal), as ``charts.outliers`` draws them.
    """
    points, path = [], []
    for dataset in sorted(set(runs["dataset"])):
        samples = [runs.filter(pl.col("dataset") == dataset, pl.col("method") == name)["test_error"].to_numpy()
                   for name in methods]
        if min(len(sample) for sample in samples) < most + FEWEST:
            continue
        places = [removal_order(sample) for sample in samples]
        for name, sample, place in zip(methods, samples, places, strict=True):
            points.append(pl.DataFrame({"dataset": dataset, "method": name, "error": sample, "place": place}))
        for removed in range(most + 1):
            logs = [np.log(sample[place > removed]) for sample, place in zip(samples, places, strict=True)]
            normal = all(float(shapiro(values).p) >= LEVEL for values in logs)
            path.append({"dataset": dataset, "removed": removed, "p": cochran_cox(*logs).p, "normal": normal})
    frame = pl.concat(points) if points else pl.DataFrame(
        schema={"dataset": pl.String, "method": pl.String, "error": pl.Float64, "place": pl.Int64})
    return frame, pl.DataFrame(path, schema={"dataset": pl.String, "removed": pl.Int64, "p": pl.Float64,
                                             "normal": pl.Boolean})


def most_moved(path: pl.DataFrame, count: int = 10) -> list[str]:
    """The datasets whose p moves most while runs are taken out, on a log scale; the most moved first."""
    moved = path.with_columns(log=pl.col("p").clip(1e-6).log()).group_by("dataset").agg(
        span=pl.col("log").max() - pl.col("log").min()).sort("span", "dataset", descending=[True, False])
    return moved["dataset"].head(count).to_list()


def in_the_reports_form(table: pl.DataFrame, cells: str = "entry") -> pl.DataFrame:
    """A column of ``assess.proben1.comparisons`` as the report prints it: a line a problem, a column a permutation.

    Returns:
        problem, 1, 2, 3; null where there are no runs.
    """
    cut = table.with_columns(problem=pl.col("dataset").str.head(-1), permutation=pl.col("dataset").str.tail(1))
    wide = cut.sort("permutation").pivot("permutation", index="problem", values=cells).sort("problem")
    missing = [pl.lit(None, dtype=pl.String).alias(name) for name in ("1", "2", "3") if name not in wide.columns]
    return wide.with_columns(missing).select("problem", "1", "2", "3")


def by_rule(table: pl.DataFrame, level: float = 0.1) -> pl.DataFrame:
    """The verdict on every dataset by four rules: the report's, with all runs in, after Holm, after Benjamini-Hochberg.

    Returns:
        rule, dataset, problem, permutation, ratio, low, high, verdict (``charts.shortcuts.VERDICTS``), reliable; the
        ratio is that of the geometric means with all runs in, with its bootstrap interval, whatever the rule.
    """
    rules = {"as in the report": "p", "all runs in": "p_all", "after Holm": "holm",
             "after Benjamini-Hochberg": "benjamini_hochberg"}
    base = table.select("dataset", "ratio_all", "ratio_low", "ratio_high", "ratio", "reliable", *set(rules.values()))
    parts = []
    for rule, column in rules.items():
        value = pl.col("ratio_all") if column == "p_all" else pl.col("ratio")
        better = pl.when(value < 1.0).then(pl.lit(VERDICTS[0])).otherwise(pl.lit(VERDICTS[1]))
        verdict = pl.when(pl.col(column) < level).then(better).otherwise(pl.lit(VERDICTS[2]))
        parts.append(base.select(
            pl.lit(rule).alias("rule"), "dataset", problem=pl.col("dataset").str.head(-1),
            permutation=pl.col("dataset").str.tail(1).cast(pl.Int64), ratio=pl.col("ratio_all"),
            low=pl.col("ratio_low"), high=pl.col("ratio_high"), verdict=verdict,
            reliable=pl.col("reliable")).sort("problem", "permutation"))
    return pl.concat(parts)


def parted(table: pl.DataFrame, level: float = 0.1, columns: Sequence[str] = ("p", "p_all", "p_means", "p_ranks"),
           ) -> pl.DataFrame:
    """The datasets on which the tests named do not give the same verdict, with their p values and the ratio."""
    below = [pl.col(name) < level for name in columns]
    return table.filter(pl.any_horizontal(below) & ~pl.all_horizontal(below)).select(
        "dataset", "ratio", "ratio_all", "first_removed", "second_removed", "reliable", *columns)
