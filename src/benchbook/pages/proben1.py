"""PROBEN1's runs as one tidy frame, from the user's own runs and the archive, and what they come to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import studies
from benchbook.tasks.partitions import short

_COUNTS = ("total_epochs", "relevant_epochs", "traversals")
_NUMBERS = ("training_error", "validation_error", "test_error", "validation_wrong", "test_wrong", "overfit")
RUNS_SCHEMA: dict[str, Any] = {
    "dataset": pl.String, "method": pl.String, "run": pl.Int64, "topology": pl.String,
    **dict.fromkeys(_NUMBERS, pl.Float64), **dict.fromkeys(_COUNTS, pl.Int64), "cpu_seconds": pl.Float64,
    "stopped_by": pl.String, "task": pl.String,
}
"""Columns of ``runs``. Errors are squared error percentages, ``wrong`` percentages of cases, ``overfit`` per cent."""

Names = str | Sequence[str] | None
Source = str | Path | studies.Archive | studies.Overlay | None


def runs(methods: Names = None, tasks: Names = "*/partition/a", source: Source = None) -> pl.DataFrame:
    """Runs on partitions that went well, one line each (``RUNS_SCHEMA``), sorted by dataset, method and run.

    Args:
        methods: patterns of the method, such as ``proben1-search-*``; None for all.
        tasks: patterns of the task; a dataset such as ``proben1-cancer1`` stands for its six orders.
        source: the folder of an archive, or archives already read as one; by default the user's own runs go before
            those of the book's archive.

    Returns:
        ``dataset`` is the partition's name in the report, ``cancer1`` or ``cancer1c``. What a method does not say is
        null: a forest has no epochs, an approximation no wrong classes.
    """
    if isinstance(source, str | Path):
        source = studies.Archive(source)
    found = (source or studies.overlay()).records(tasks=tasks, methods=methods).filter(
        pl.col("task").str.contains("/partition/"), status="ok").select("task", "method", "instance", "cost")
    lines = []
    for task, method, run, cost in found.iter_rows():
        said = json.loads(cost)
        dataset, _, order = task.partition("/partition/")
        lines.append({"dataset": short(dataset, order), "method": method, "run": run, "task": task,
                      **{name: said.get(name) for name in RUNS_SCHEMA if name in said}})
    return pl.DataFrame(lines, schema=RUNS_SCHEMA).sort("dataset", "method", "run")


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
