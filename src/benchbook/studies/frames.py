"""The frames that an archive gives: which runs are meant, in what order, and their case losses in long form."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

import polars as pl

KEY = ["method", "task", "instance"]
"""What a run is known by."""

LONG_SCHEMA: dict[str, pl.DataType] = {
    "method": pl.String(), "task": pl.String(), "instance": pl.Int64(), "case": pl.Int64(), "loss": pl.String(),
    "value": pl.Float64(), "digest": pl.String(),
}
"""Columns of the case losses, one row a case: ``value`` is on the original target scale, smaller is better."""

Names: TypeAlias = "str | Collection[str] | None"
"""A shell pattern, several of them, or None for all."""


@dataclass(frozen=True)
class Choice:
    """Which runs are meant. Each field is a shell pattern, several of them, or None for all.

    ``tasks`` are matched by the name of the task, of its prototask or of its dataset.
    """

    prototask: Names = None
    tasks: Names = None
    methods: Names = None

    def takes(self, method: str, task: str) -> bool:
        """Whether the runs of that method on that task are meant."""
        return self.may_take(task.rsplit("/", 1)[0], method) and _fits(self.tasks, *_names_of(task))

    def may_take(self, prototask: str, method: str) -> bool:
        """Whether some runs of that method on that prototask may be meant."""
        return _fits(self.prototask, prototask) and _fits(self.methods, method)

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The runs of a frame that are meant."""
        return frame.filter([self.takes(*pair) for pair in frame.select("method", "task").iter_rows()])


def long_frame(runs: pl.DataFrame, code: Names = None) -> pl.DataFrame:
    """The case losses of runs (``store.RUNS_SCHEMA``) that went well, one row a case, run and loss."""
    losses = (
        runs.filter(pl.col("status") == "ok")
        .select(*KEY, "digest", "cases", loss="codes", value="losses")
        .explode("loss", "value")
        .filter(pl.col("loss").is_not_null())
    )
    if code is not None:
        losses = losses.filter(pl.col("loss").is_in([code] if isinstance(code, str) else list(code)))
    return losses.explode("cases", "value").rename({"cases": "case"}).select(list(LONG_SCHEMA))


def in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Sort runs by task, method and instance, with ``std.64`` before ``std.128``."""
    tasks = sorted(frame["task"].unique(), key=natural)
    rank = pl.col("task").replace_strict(tasks, range(len(tasks)), return_dtype=pl.Int64)
    return frame.sort(rank, "method", "instance", maintain_order=True)


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts the numbers in names as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _fits(patterns: Names, *names: str) -> bool:
    several = (patterns,) if isinstance(patterns, str) else patterns
    return several is None or any(fnmatchcase(name, pattern) for name in names for pattern in several)


def _names_of(task: str) -> tuple[str, str, str]:
    return task, task.rsplit("/", 1)[0], task.split("/", 1)[0]
