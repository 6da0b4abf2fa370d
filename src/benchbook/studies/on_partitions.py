"""Runs on partitions as one tidy table, a line a run with what it came to: the user's own and the archive's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook.archive.archive import Archive
from benchbook.archive.merged import Overlay, overlay
from benchbook.archive.records import RECORD_SCHEMA, RunKey
from benchbook.studies.runs import run_one
from benchbook.tasks.partitions import dataset_of, short

_COUNTS = ("total_epochs", "relevant_epochs", "traversals")
_NUMBERS = (
    "training_error",
    "validation_error",
    "test_error",
    "validation_wrong",
    "test_wrong",
    "overfit",
)
RUN_COLUMNS: dict[str, Any] = {
    "dataset": pl.String,
    "method": pl.String,
    "run": pl.Int64,
    "topology": pl.String,
    **dict.fromkeys(_NUMBERS, pl.Float64),
    **dict.fromkeys(_COUNTS, pl.Int64),
    "cpu_seconds": pl.Float64,
    "stopped_by": pl.String,
    "shortcuts": pl.Boolean,
    "task": pl.String,
    "cpu": pl.String,
}
"""Columns of ``partition_runs``; ``cpu`` is the processor. Errors are squared error percentages, ``wrong`` percentages
of cases, ``overfit`` per cent."""

Names = str | Sequence[str] | None
Source = str | Path | Archive | Overlay | None


def partition_runs(
    methods: Names = None, tasks: Names = "*/partition/a", source: Source = None
) -> pl.DataFrame:
    """Runs on partitions that went well, one line each (``RUN_COLUMNS``), sorted by dataset, method and run.

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
        source = Archive(source)
    return _tidy((source or overlay()).records(tasks=tasks, methods=methods))


def run_partitions(
    methods: Sequence[str], partitions: Sequence[str], count: int, seed: int = 1
) -> pl.DataFrame:
    """Runs made now and kept nowhere, in the columns of ``partition_runs``: so many of each method on each partition.

    Args:
        methods, partitions: their names, such as ``proben1-linear`` and ``cancer1``.
        count: the runs of each method on each partition.
        seed: what their random numbers derive from, with the names.
    """
    records = []
    for name in partitions:
        dataset, order = dataset_of(name)
        task = f"{dataset}/partition/{order}"
        records += [
            run_one(RunKey(method, task, run), seed, "page").record
            for method in methods
            for run in range(count)
        ]
    return _tidy(pl.DataFrame(records, schema=RECORD_SCHEMA))


def _tidy(records: pl.DataFrame) -> pl.DataFrame:
    finished = records.filter(pl.col("task").str.contains("/partition/"), status="ok")
    lines = []
    for task, method, run, cpu, cost in finished.select(
        "task", "method", "instance", "cpu", "cost"
    ).iter_rows():
        results = json.loads(cost)
        dataset, _, order = task.partition("/partition/")
        lines.append(
            {
                "dataset": short(dataset, order),
                "method": method,
                "run": run,
                "task": task,
                "cpu": cpu,
                **{name: results.get(name) for name in RUN_COLUMNS if name in results},
            }
        )
    return pl.DataFrame(lines, schema=RUN_COLUMNS).sort("dataset", "method", "run")
