"""What a plan would do before it does it: which runs are to be made, which are there, and about how long it takes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from benchbook.archive.archive import Archive
from benchbook.archive.merged import Overlay, archive_path
from benchbook.errors import BenchbookError
from benchbook.studies.engine import Summary, processes, to_do
from benchbook.studies.plan import Plan

SCHEMA: dict[str, Any] = {
    "method": pl.String,
    "task": pl.String,
    "to_run": pl.Int64,
    "there": pl.Int64,
    "failed_before": pl.Int64,
    "seconds_each": pl.Float64,
}


@dataclass(frozen=True, eq=False)
class Outlook:
    """What would be run.

    Attributes:
        table: a line for each task and method (``SCHEMA``); ``seconds_each`` is the median of the runs that are kept
            anywhere, null when there are none.
        summary: as of a study of which nothing was begun.
        workers: processes that would be used.
    """

    table: pl.DataFrame
    summary: Summary
    workers: int

    @property
    def seconds(self) -> float | None:
        """Processor time of the runs of which it is known, in seconds, on the machines where they were made; None where
        it is known of none of those that are to be made."""
        if self.unknown == self.summary.left > 0:
            return None
        return float((self.table["to_run"] * self.table["seconds_each"]).sum())

    @property
    def unknown(self) -> int:
        """How many runs are to be made of which it is not known how long they take."""
        return int(self.table.filter(pl.col("seconds_each").is_null())["to_run"].sum())

    def as_dict(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "to_run": self.summary.left,
            "there": len(self.summary.kept),
            "failed_before": len(self.summary.kept_failed),
            "seconds": self.seconds,
            "of_unknown_length": self.unknown,
            "workers": self.workers,
            "runs": self.table.to_dicts(),
            "again": dict(self.summary.again),
            "missing": self.summary.missing,
            "not_applicable": [
                {"method": name, "task": task} for name, task in self.summary.not_applicable
            ],
        }


def outlook(
    plan: Plan,
    archive: Archive | str | Path,
    workers: int | None = None,
    retry_failed: bool = False,
    keep_predictions: bool = False,
) -> Outlook:
    """What ``studies.run`` would do with the same arguments. Nothing is run and nothing is written.

    Raises:
        MissingData, BenchbookError: as ``studies.run``, as far as that can be known.
    """
    store = archive if isinstance(archive, Archive) else Archive(archive)
    summary = Summary(plan.name, store.path)
    jobs = to_do(plan, store, retry_failed, summary, keep_predictions)
    counted: dict[tuple[str, str], list[int]] = {}
    for index, keys in enumerate(
        ([job.key for job in jobs], summary.kept, [key for key, _ in summary.kept_failed])
    ):
        for key in keys:
            counted.setdefault((key.method, key.task), [0, 0, 0])[index] += 1
    took = _seconds(store, counted)
    rows = [(*pair, *numbers, took.get(pair)) for pair, numbers in counted.items()]
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return Outlook(table, summary, processes(jobs, workers))


def _seconds(store: Archive, pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """The median seconds of the runs that are kept of methods and tasks, in the store and in the book's archives; what
    cannot be read is not known."""
    book = archive_path()
    methods, tasks = ({pair[side] for pair in pairs} for side in (0, 1))
    try:
        records = Overlay(store, book, book.parent / "today").records(
            tasks=sorted(tasks), methods=sorted(methods)
        )
    except BenchbookError:
        return {}
    each = records.filter(status="ok").group_by("method", "task").agg(pl.col("seconds").median())
    return {(method, task): seconds for method, task, seconds in each.iter_rows()}
