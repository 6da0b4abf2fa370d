"""Comparisons from runs that exist: declared tasks, their archive, and one's own runs, by the same statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchbook import tasks
from benchbook.assess.by_design import Verdicts
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.show.html import Html
from benchbook.show.tables import table as shown_table
from benchbook.studies.task_verdicts import verdicts_of_runs


@dataclass(frozen=True, repr=False)
class TaskComparison:
    """Methods compared on declared tasks, by the runs that exist.

    Attributes:
        verdicts: by task, what ``assess.by_design`` found.
        left_out: which methods are not compared on which task, and why, a sentence each.
    """

    verdicts: Mapping[str, Verdicts]
    left_out: tuple[str, ...] = ()

    @property
    def table(self) -> pl.DataFrame:
        """A row for each task, loss and method, the best first."""
        return _stacked(self.verdicts, "table")

    @property
    def pairs(self) -> pl.DataFrame:
        """A row for each task, loss and pair of methods."""
        return _stacked(self.verdicts, "pairs")

    @property
    def notes(self) -> list[str]:
        """What a reader has to know of each task."""
        found = [
            f"{name}: {note.text}"
            for name, verdict in self.verdicts.items()
            for note in verdict.notes
        ]
        return [*found, *self.left_out]

    def _shown(self) -> Html:
        columns = [
            "task",
            "loss",
            "method",
            "mean",
            "difference",
            "diff_low",
            "diff_high",
            "p_holm",
            "verdict",
        ]
        return shown_table(self.table.select(columns), "Methods by task", label="method")

    def _repr_html_(self) -> str:
        return self._shown().html

    def __repr__(self) -> str:
        return "\n".join([self._shown().text, *self.notes])


def _stacked(verdicts: Mapping[str, Verdicts], part: str) -> pl.DataFrame:
    frames = [
        getattr(verdict, part).select(pl.lit(name).alias("task"), pl.all())
        for name, verdict in verdicts.items()
    ]
    return pl.concat(frames)


def compare_tasks(
    methods: Any,
    names: Any,
    losses: Any = None,
    *,
    X: Any = None,
    y: Any = None,
    reference: str | None = None,
) -> TaskComparison:
    """Compare methods on tasks by the runs of the archive and one's own.

    Args:
        methods: names or patterns of methods; None for all that have runs. names: names or patterns of tasks.
        losses: the code of one loss; that by which each task ranks when left out.
        X, y: must be left out. reference: the method that the others are compared with.

    Raises:
        FaultyInput: data beside tasks, or methods that are no names.
        UnknownName: no such task or method. BenchbookError: there are no runs.
    """
    wanted = (methods,) if isinstance(methods, str) else methods
    faults = [
        Fault(name, type(value).__name__, "nothing: the data of tasks are their own")
        for name, value in (("X", X), ("y", y))
        if value is not None
    ]
    if wanted is not None and not all(isinstance(item, str) for item in wanted):
        faults.append(
            Fault("methods", "objects", "names of methods with runs; `benchbook run` makes runs")
        )
    if losses is not None and not isinstance(losses, str):
        faults.append(Fault("losses", repr(losses), "the code of one loss, such as 'S'"))
    if faults:
        raise FaultyInput("compare", faults)
    patterns = (names,) if isinstance(names, str) else tuple(names)
    chosen = dict.fromkeys(name for pattern in patterns for name in tasks.available(pattern))
    runs = verdicts_of_runs(list(chosen), wanted, losses, reference=reference)
    if not runs.verdicts:
        raise BenchbookError("there are no runs of these tasks yet; make some with `benchbook run`")
    return TaskComparison(runs.verdicts, runs.left_out)
