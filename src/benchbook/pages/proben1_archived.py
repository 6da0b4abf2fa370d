"""PROBEN1's runs as the archive has them: a line a run, with what the report prints about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import studies
from benchbook.tasks.partitions import short

_NUMBERS = ("training_error", "validation_error", "test_error", "validation_wrong", "test_wrong", "overfit",
            "total_epochs", "relevant_epochs", "traversals", "cpu_seconds")
SCHEMA: dict[str, Any] = {
    "dataset": pl.String, "method": pl.String, "run": pl.Int64, "topology": pl.String,
    **dict.fromkeys(_NUMBERS, pl.Float64), "stopped_by": pl.String,
}


def runs(methods: Sequence[str], archive: str | Path | None = None) -> pl.DataFrame:
    """The archived runs of methods on partitions in order a that went well.

    Args:
        methods: patterns of their names, such as ``proben1-search-*``.
        archive: its folder; by default the one that comes with the book.

    Returns:
        dataset (``cancer1``), method, run, topology, the errors (squared error percentages), percentages of wrong
        cases, overfit, epochs, traversals, CPU seconds and stopped_by; null where a method does not say. No lines
        where the archive has no such runs.
    """
    kept = studies.Archive(archive or studies.archive_path())
    found = kept.records(tasks="*/partition/a", methods=list(methods)).filter(pl.col("status") == "ok")
    lines = []
    for record in found.select("task", "method", "instance", "cost").iter_rows(named=True):
        cost = json.loads(record["cost"] or "{}")
        lines.append({"dataset": short(record["task"].split("/")[0]), "method": record["method"],
                      "run": record["instance"], **{name: cost.get(name) for name in tuple(SCHEMA)[3:]}})
    return pl.DataFrame(lines, schema=SCHEMA).sort("dataset", "method", "run")


def published(table: pl.DataFrame) -> pl.DataFrame:
    """The lines of PROBEN1's own datasets, without those of the stand-ins."""
    return table.filter(~pl.col("dataset").str.starts_with("sklearn-"))
