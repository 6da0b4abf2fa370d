"""The runs of some methods on the folds of one data set, and the expected utilities they give: a run page."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import datasets, studies, tasks
from benchbook.charts.expected_utilities import utilities_chart
from benchbook.charts.kit.words import counted, listed
from benchbook.errors import BenchbookError
from benchbook.show.html import Html, paragraph, stack
from benchbook.show.origins import missing
from benchbook.show.tables import table
from benchbook.studies import cross_validation
from benchbook.studies.cross_validation import QUESTIONS, Expected
from benchbook.studies.overlay import Overlay

_SOURCES = ("archive", "fresh")


@dataclass(frozen=True)
class FoldsPage:
    """What a page shows: the task, the expected utilities (None without runs), how many runs were made for it, and the
    columns task, instance and digest of its ``losses``, for the provenance block; methods whose runs failed are not in.
    """

    task: tasks.FoldsTask
    expected: Expected | None
    made: int
    losses: pl.DataFrame

    def about(self) -> Html:
        """A box when the data is not at hand, and whence the runs are."""
        said = f"{counted(self.made, 'run')} made while this page was executed; the others are archived." if self.made \
            else "All runs are archived." if self.expected else "There are no runs to show."
        return stack(missing(self.task.prototask.dataset), paragraph(said))

    def definition(self) -> Html:
        """What is asked, and how cases were taken apart."""
        facts = self.task.describe()
        chosen = ("target", "inputs", "scheme", "group", "folds", "cases_of_the_data_set", "note")
        rows = [{"fact": key.replace("_", " "), "value": str(facts[key])} for key in chosen if facts.get(key)]
        return table(rows, f"{self.task.name}: what is asked")

    def figure(self) -> Any:
        """Intervals of the corrected and the uncorrected expected utility, method by method."""
        if self.expected is None:
            return paragraph("Without runs there is no figure.")
        lines = []
        for method in self.expected.table()["method"]:
            both = self.expected.distributions[method]
            for words, each in (("as cross-validated", both.cross_validated), ("corrected", both.corrected)):
                low, high = each.interval()
                lines.append({"panel": self.task.name, "row": method, "model": words, "estimate": each.estimate,
                              "low": low, "high": high, "truth": None})
        drawn = pl.DataFrame(lines, schema_overrides={"truth": pl.Float64})
        return utilities_chart(drawn, self.expected.question.words, f"folds of {self.task.name}", columns=1)

    def utilities(self) -> Html:
        """A line for each method: expected utility with its interval, and the terms it is made of; then a warning where
        a correction is large or turns an order."""
        if self.expected is None:
            return paragraph("Without runs there is no table.")
        found = self.expected.table()
        shown = table(found, f"{self.expected.question.words}: {self.expected.question.orientation}",
                      formats=dict.fromkeys(found.columns[1:], ".4g"), headings={"training": "on training cases"},
                      label="method")
        return stack(shown, *map(paragraph, self.expected.warnings))

    def pairs(self) -> Html:
        """Probability that the method of the line is better than that of the column."""
        if self.expected is None or len(self.expected.distributions) < 2:
            return paragraph("One method alone has nothing to be compared with.")
        found = self.expected.pairs_in_words()
        return table(found, "Probability that the method of the line is better than that of the column, "
                     "not corrected",
                     label="method")


def folds(name: str, methods: Sequence[str], ask: str = "nlpd", seed: int = 1, source: str = "archive") -> FoldsPage:
    """Expected utilities of methods on a task of folds, with the runs that are missing made now.

    Args:
        name: of the task, such as ``concrete/cv/random-10``.
        methods: their names.
        ask: one of ``cross_validation.QUESTIONS``.
        seed: of runs made now.
        source: ``archive`` takes runs from the archive and the user's own store; ``fresh`` makes every run again.

    Raises:
        BenchbookError: no task of folds, no such question, or another source.
    """
    task = tasks.get(name)
    if not isinstance(task, tasks.FoldsTask):
        raise BenchbookError(f"{name} is not taken apart into folds")
    if source not in _SOURCES or ask not in QUESTIONS:
        raise BenchbookError(f"source is {' or '.join(_SOURCES)}, ask is one of {listed(list(QUESTIONS))}; "
                             f"not {source!r} and {ask!r}")
    if not datasets.at_hand(task.prototask.dataset):
        return FoldsPage(task, None, 0, pl.DataFrame(schema={"task": pl.String, "instance": pl.Int64,
                                                             "digest": pl.String}))
    with tempfile.TemporaryDirectory() as folder:
        fresh = source == "fresh"
        own = Path(folder, "runs") if fresh else studies.runs_path()
        absent = [one for one in methods if fresh or not _whole(name, one, ask, studies.overlay())]
        made = _make(task, absent, ask, seed, own) if absent else 0
        kept = Overlay(own, Path(folder, "none")) if fresh else studies.overlay()
        there = [one for one in methods if _whole(name, one, ask, kept)]
        losses = kept.losses(tasks=name, methods=there, code=QUESTIONS[ask].code)
        found = cross_validation.expected(name, ask, there, source=kept) if there else None
    return FoldsPage(task, found, made, losses.select("task", "instance", "digest").unique().sort("instance"))


def _whole(name: str, method: str, ask: str, kept: Overlay) -> bool:
    """Whether all runs of a method are there."""
    try:
        cross_validation.fold_losses(name, [method], QUESTIONS[ask].code, kept)
    except BenchbookError:
        return False
    return True


def _make(task: tasks.FoldsTask, methods: Sequence[str], ask: str, seed: int, own: Path) -> int:
    plan = studies.Plan(name=f"page {task.name}", seed=seed, methods=methods, tasks=[task.name],
                        losses=[QUESTIONS[ask].code])
    return len(studies.run(plan, own, workers=1, progress=False).done)
