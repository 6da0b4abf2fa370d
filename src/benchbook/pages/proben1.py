"""PROBEN1's runs as one tidy frame, from the user's own runs and the archive, and what they come to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import studies
from benchbook.charts.words import counted, listed
from benchbook.pages.html import Html, admonition, paragraph
from benchbook.tasks.partitions import dataset_of, short

_COUNTS = ("total_epochs", "relevant_epochs", "traversals")
_NUMBERS = ("training_error", "validation_error", "test_error", "validation_wrong", "test_wrong", "overfit")
RUNS_SCHEMA: dict[str, Any] = {
    "dataset": pl.String, "method": pl.String, "run": pl.Int64, "topology": pl.String,
    **dict.fromkeys(_NUMBERS, pl.Float64), **dict.fromkeys(_COUNTS, pl.Int64), "cpu_seconds": pl.Float64,
    "stopped_by": pl.String, "shortcuts": pl.Boolean, "task": pl.String, "cpu": pl.String,
}
"""Columns of ``runs``; ``cpu`` is the processor. Errors are squared error percentages, ``wrong`` percentages of cases,
``overfit`` per cent."""

STAND_INS = tuple(f"sklearn-{problem}{number}" for problem in ("cancer", "wine", "iris", "diabetes")
                  for number in (1, 2, 3))

Names = str | Sequence[str] | None
Source = str | Path | studies.Archive | studies.Overlay | None


def runs(methods: Names = None, tasks: Names = "*/partition/a", source: Source = None) -> pl.DataFrame:
    """Runs on partitions that went well, one line each (``RUNS_SCHEMA``), sorted by dataset, method and run.

    Args:
        methods: patterns of the method, such as ``proben1-search``; None for all.
        tasks: patterns of the task; a dataset such as ``proben1-cancer1`` stands for its six orders.
        source: the folder of an archive, or archives already read as one; by default the user's own runs go before
            those of the book's archive.

    Returns:
        ``dataset`` is the partition's name in the report, ``cancer1`` or ``cancer1c``. What a method does not say is
        null: a forest has no epochs, an approximation no wrong classes.
    """
    if isinstance(source, str | Path):
        source = studies.Archive(source)
    return _tidy((source or studies.overlay()).records(tasks=tasks, methods=methods))


def _tidy(records: pl.DataFrame) -> pl.DataFrame:
    found = records.filter(pl.col("task").str.contains("/partition/"), status="ok")
    lines = []
    for task, method, run, cpu, cost in found.select("task", "method", "instance", "cpu", "cost").iter_rows():
        said = json.loads(cost)
        dataset, _, order = task.partition("/partition/")
        lines.append({"dataset": short(dataset, order), "method": method, "run": run, "task": task, "cpu": cpu,
                      **{name: said.get(name) for name in RUNS_SCHEMA if name in said}})
    return pl.DataFrame(lines, schema=RUNS_SCHEMA).sort("dataset", "method", "run")


def shown(
    methods: Sequence[str], count: int = 10, stand_ins: Sequence[str] = STAND_INS
) -> tuple[pl.DataFrame, Html]:
    """Runs of methods on PROBEN1's datasets for a page; or, when some method has none, runs on stand-ins, made now.

    Args:
        methods: names.
        count: how many runs of each to make on each stand-in.
        stand_ins: partitions, such as ``sklearn-iris1``.

    Returns:
        the table of ``runs``, and the line for the top of the page that says which of the two it is.
    """
    kept = runs(methods).filter(~pl.col("dataset").str.starts_with("sklearn-"))
    if set(kept["method"]) >= set(methods):
        count_of = counted(kept["dataset"].n_unique(), "dataset")
        return kept, paragraph(f"All numbers are of {kept.height:,} archived runs on {count_of} of PROBEN1.")
    wanted = sorted(set(methods) - set(kept["method"]))
    text = (f"There are no runs of {listed(wanted)} on PROBEN1's datasets at hand. Until there are, this page shows "
            f"{counted(count, 'run')} of each method on data that comes with scikit-learn, made while the page was "
            "built; they are encoded and partitioned by PROBEN1's rules, and have no counterpart in the report.")
    commands = ["benchbook run --plan proben1-pivot"]
    return made(methods, stand_ins, count), admonition("Stand-ins", [text], "warning", commands)


def made(methods: Sequence[str], partitions: Sequence[str], count: int, seed: int = 1) -> pl.DataFrame:
    """Runs made now and kept nowhere, in the columns of ``runs``: so many of each method on each partition."""
    records = []
    for name in partitions:
        dataset, order = dataset_of(name)
        task = f"{dataset}/partition/{order}"
        records += [studies.run_one(studies.RunKey(method, task, run), seed, "page").record
                    for method in methods for run in range(count)]
    return _tidy(pl.DataFrame(records, schema=studies.RECORD_SCHEMA))


def on_the_test_cases(table: pl.DataFrame) -> pl.DataFrame:
    """What the runs of each dataset and method come to: dataset, method, runs, and of the test error mean, sd (divisor
    n - 1; null for one run), least, median and largest, the mean percentage of wrong cases and the mean of all epochs.

    Args:
        table: from ``runs``.
    """
    error = pl.col("test_error")
    return table.group_by("dataset", "method", maintain_order=True).agg(
        runs=pl.len(), mean=error.mean(), sd=error.std(), least=error.min(), median=error.median(), largest=error.max(),
        wrong=pl.col("test_wrong").mean(), epochs=pl.col("total_epochs").mean())
