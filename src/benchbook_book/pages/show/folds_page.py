"""The runs of some methods on the folds of one data set, made where they are missing: what a run page begins with."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchbook import datasets, studies, tasks
from benchbook.archive.merged import Overlay
from benchbook.assess.densities import QUESTIONS
from benchbook.charts.expected_utilities import utility_row
from benchbook.errors import BenchbookError
from benchbook.show.html import Html, paragraph, stack
from benchbook.show.numbers import number
from benchbook.show.origins import missing
from benchbook.show.tables import table
from benchbook.studies import cross_validation
from benchbook.studies.cross_validation import Expected
from benchbook.words import counted, first_place, listed

_SOURCES = ("archive", "fresh")


@dataclass(frozen=True)
class FoldRuns:
    """Runs on a task of folds: the ``methods`` of which all runs are in the ``store``, how many of these were ``made``
    for the page, and task, instance and digest of what is ``shown``, for the provenance block. Where the store is made
    for the page only, its ``folder`` goes with it.
    """

    task: tasks.FoldsTask
    methods: tuple[str, ...]
    store: Overlay
    made: int
    shown: pl.DataFrame
    folder: tempfile.TemporaryDirectory[str] | None = None


def runs(
    name: str, methods: Sequence[str], ask: str = "nlpd", seed: int = 1, source: str = "archive"
) -> FoldRuns:
    """The runs of methods on a task of folds, with those that are missing made now; failed methods are not in.

    Args:
        name: of the task, such as ``concrete/cv/random-10``.
        methods: their names.
        ask: one of ``assess.densities.QUESTIONS``.
        seed: of runs made now.
        source: ``archive`` takes runs from the archive and the user's own store; ``fresh`` makes every run again.

    Raises:
        BenchbookError: no task of folds, no such question, or another source.
    """
    task = tasks.get(name)
    if not isinstance(task, tasks.FoldsTask):
        raise BenchbookError(f"{name} is not taken apart into folds")
    if source not in _SOURCES or ask not in QUESTIONS:
        raise BenchbookError(
            f"source is {' or '.join(_SOURCES)}, ask is one of {listed(list(QUESTIONS))}; "
            f"not {source!r} and {ask!r}"
        )
    fresh = source == "fresh"
    folder = tempfile.TemporaryDirectory(prefix="benchbook-") if fresh else None
    own = Path(folder.name) if folder else studies.runs_path()
    store = Overlay(own) if fresh else studies.overlay()
    made, present = 0, []
    if datasets.at_hand(task.prototask.dataset):
        absent = [method for method in methods if not _complete(name, method, ask, store)]
        made = _make(task, absent, ask, seed, own) if absent else 0
        present = [method for method in methods if _complete(name, method, ask, store)]
    code = QUESTIONS[ask].code
    losses = store.losses(tasks=name, methods=present or ["none"], code=code, role=None)
    return FoldRuns(
        task,
        tuple(present),
        store,
        made,
        losses.select("task", "instance", "digest").unique().sort("instance"),
        folder,
    )


def _complete(name: str, method: str, ask: str, kept: Overlay) -> bool:
    """Whether all runs of a method are there."""
    try:
        cross_validation.fold_losses(name, [method], QUESTIONS[ask].code, kept)
    except BenchbookError:
        return False
    return True


def _make(task: tasks.FoldsTask, methods: Sequence[str], ask: str, seed: int, own: Path) -> int:
    plan = studies.Plan(
        name=f"page {task.name}",
        seed=seed,
        methods=methods,
        tasks=[task.name],
        losses=[QUESTIONS[ask].code],
    )
    return len(studies.run(plan, own, workers=1, progress=False).done)


def about(of: FoldRuns) -> Html:
    """A box when the data is not available, and whence the runs are."""
    text = (
        f"{counted(of.made, 'run')} made while this page was executed; the others are archived."
        if of.made
        else "All runs are archived."
        if of.methods
        else "There are no runs to show."
    )
    return stack(missing(of.task.prototask.dataset), paragraph(text))


def title(dataset: str, ask: str, expected: Expected | None) -> str:
    """The result as a heading."""
    if expected is None:
        return f"{dataset}: no runs"
    found = expected.table()
    return first_place(f"{dataset} by {ask}", found["method"][0], 0, found.height)


def intervals(expected: Expected, panel: str) -> pl.DataFrame:
    """The intervals of all methods, the best first, as cross-validated and corrected, for ``utilities_chart``."""
    rows = [
        utility_row(found, panel=panel, row=method, model=words)
        for method in expected.table()["method"]
        for both in [expected.distributions[method]]
        for words, found in (
            ("as cross-validated", both.cross_validated),
            ("corrected", both.corrected),
        )
    ]
    return pl.DataFrame(rows, schema_overrides={"truth": pl.Float64})


def definition(name: str) -> Html:
    """What a task of folds asks: its target, inputs, scheme and folds."""
    facts = tasks.get(name).describe()
    asked = ("target", "inputs", "scheme", "group", "folds", "cases_of_the_data_set", "note")
    rows = [
        {"fact": fact.replace("_", " "), "value": str(facts[fact])}
        for fact in asked
        if facts.get(fact)
    ]
    return table(rows, f"{name}: what is asked")


def best_in_words(expected: Expected | None) -> str:
    """The best method by the folds as they are, with its interval, and how sure it is to be better than the next."""
    if expected is None:
        return ""
    found = expected.table()
    best = found.row(0, named=True)
    words = (
        f"{best['method']} has the best {expected.question.words}, {number(best['expected'], 3)} "
        f"(90 % interval {number(best['low'], 3)} to {number(best['high'], 3)})"
    )
    if found.height == 1:
        return f"{words}."
    other = found["method"][1]
    sure = expected.verdict(best["method"], other)
    return f"{words}; " + (
        f"it is better than {other} with probability {sure:.2f}."
        if sure is not None
        else f"no verdict against {other}, as chains have not converged."
    )
