"""What the runs of the study took: seconds and passes, from their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from benchbook.charts.words import listed, training_cases
from benchbook.pages.neal import PROTOTASKS, short
from benchbook.pages.numbers import seconds
from benchbook.pages.observed import cost

ROWS: Mapping[str, tuple[str, ...]] = {
    "mlp-bgd-*": ("mlp-bgd-1", "mlp-bgd-2", "mlp-bgd-3"), "mlp-mc-*": ("mlp-mc-2", "mlp-mc-3", "mlp-mc-4")}
"""The rows of the paper's timing table, each with 8 and with 32 inputs."""


def of_study(records: pl.DataFrame, prototasks: Sequence[str] = PROTOTASKS) -> pl.DataFrame:
    """The records of runs of the study that went well, with inputs and training_cases."""
    prototask = pl.col("task").str.replace(r"/[^/]+$", "")
    chosen = records.filter((pl.col("status") == "ok") & prototask.is_in(list(prototasks)))
    size = chosen["task"].map_elements(training_cases, return_dtype=pl.Int64)
    return chosen.with_columns(inputs=pl.when(pl.col("task").str.contains("-32")).then(32).otherwise(8),
                               training_cases=size)


def timing(records: pl.DataFrame) -> pl.DataFrame:
    """Mean seconds a run in the form of the paper's timing table: methods, inputs, and a column for every size."""
    runs = of_study(records)
    sizes = sorted(set(runs["training_cases"]))
    lines = []
    for name, methods in ROWS.items():
        for inputs in (8, 32):
            here = runs.filter(pl.col("method").is_in(methods) & (pl.col("inputs") == inputs))
            if here.height:
                mean = {size: here.filter(training_cases=size)["seconds"].mean() for size in sizes}
                lines.append({"methods": name, "inputs": inputs, **{str(size): mean[size] for size in sizes}})
    return pl.DataFrame(lines, infer_schema_length=None)


def whole(records: pl.DataFrame, methods: Sequence[str]) -> pl.DataFrame:
    """What each method took on all tasks of the study: method, runs, minutes (of one processor), passes (median)."""
    runs = of_study(records)
    passes = pl.DataFrame([(method, float(value)) for method, _, _, value in cost(runs, "gradient_passes")],
                          schema={"method": pl.String, "passes": pl.Float64}, orient="row")
    sums = runs.group_by("method").agg(runs=pl.len(), minutes=pl.col("seconds").sum() / 60.0)
    joined = sums.join(passes.group_by("method").agg(pl.col("passes").median()), on="method", how="left")
    order = {name: place for place, name in enumerate(methods)}
    kept = joined.filter(pl.col("method").is_in(list(methods)))
    return kept.sort(pl.col("method").replace_strict(order, return_dtype=pl.Int64)).with_columns(
        pl.col("runs").cast(pl.Int64))


def words(records: pl.DataFrame, methods: Sequence[str]) -> str:
    """How long one method takes on the study's task instances: the quickest, the slowest, and on what."""
    table = whole(records, methods)
    if table.is_empty():
        return "The archive has no runs of these methods."
    complete = table.filter(pl.col("runs") == pl.col("runs").max())
    quick, slow = (complete.sort("minutes").row(place, named=True) for place in (0, -1))
    cpu = [name or "a processor that was not recorded" for name in of_study(records)["cpu"].unique().sort()]
    if complete.height == 1:
        return f"`{quick['method']}` took {seconds(60 * quick['minutes'])} for {quick['runs']} runs, on {listed(cpu)}."
    return (f"One method on its {quick['runs']} task instances took between {seconds(60 * quick['minutes'])} "
            f"(`{quick['method']}`) and {seconds(60 * slow['minutes'])} (`{slow['method']}`) of one processor, "
            f"{listed(cpu)}.")


def together(records: pl.DataFrame, methods: Sequence[str]) -> str:
    """How long all runs of some methods took together, of one processor."""
    minutes = whole(records, methods)["minutes"].sum()
    return seconds(60.0 * float(str(minutes))) if minutes else "a time that the archive does not tell"


def failures(records: pl.DataFrame) -> str:
    """Which runs failed, in a sentence; empty when none did."""
    failed = records.filter(pl.col("status") != "ok")
    counts = failed.group_by("method", pl.col("task").map_elements(short, return_dtype=pl.String)).len()
    said = [f"{count} of {method} on {dataset}" for method, dataset, count in counts.sort("method", "task").iter_rows()]
    return f"Runs that failed: {listed(said)}." if said else ""
