"""Work that is over before a worker process could begin it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from benchbook.errors import BenchbookError
from benchbook.studies.archive import Archive
from benchbook.studies.places import archive_path
from benchbook.studies.runs import Job

SECONDS = 2.0
"""Two workers take about so much processor time to start."""


def is_brief(jobs: Sequence[Job]) -> bool:
    """Whether jobs are better done in this process: one at most, or several that took no time when they were archived.

    Only methods of the package are done so. A newcomer's own may end the process that runs it, and of runs that nobody
    has archived it is not known how long they take.
    """
    keys = [key for key, *_ in jobs]
    if any(key.spec for key in keys):
        return False
    if len(keys) <= 1:
        return True
    took = _archived_seconds(
        sorted({key.method for key in keys}), sorted({key.task for key in keys})
    )
    return sum(took.get((key.method, key.task), SECONDS) for key in keys) < SECONDS


def _archived_seconds(methods: list[str], tasks: list[str]) -> dict[tuple[str, str], float]:
    """The longest run of each method on each task in the book's archive; empty when that cannot be read, which is for
    those to say who need it."""
    try:
        records = Archive(archive_path()).records(tasks=tasks, methods=methods)
    except BenchbookError:
        return {}
    longest = records.group_by("method", "task").agg(pl.col("seconds").max())
    return {(method, task): seconds for method, task, seconds in longest.iter_rows()}
