"""One problem of PROBEN1, or a stand-in, and the runs of some methods on its three permutations: a run page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchbook import datasets, studies, tasks
from benchbook.charts.kit.words import counted, listed
from benchbook.charts.run_strips import run_strips
from benchbook.datasets import printed
from benchbook.errors import BenchbookError, UnknownName
from benchbook.show import proben1_form
from benchbook.show.html import Html, fold, paragraph, stack
from benchbook.show.origins import missing
from benchbook.show.tables import table
from benchbook.studies import report
from benchbook.tasks.partitions import dataset_of, partition_names

_TABLES = {"proben1-linear": (3, 4), "proben1-pivot": (8, 9)}
_SOURCES = ("archive", "fresh")


@dataclass(frozen=True)
class ProblemPage:
    """The runs that a page shows, and what there is to say of them.

    ``made`` counts the runs that were not to be had and were made now; ``absent`` is empty when the data is at hand
    or archived runs stand in for it.
    """

    names: tuple[str, ...]
    methods: tuple[str, ...]
    runs: pl.DataFrame
    made: int

    def about(self) -> Html:
        """Where the runs are from; and a box when the data is not at hand."""
        box = missing(*(dataset_of(name)[0] for name in self.names))
        kept = self.runs.height - self.made
        told = [f"{counted(kept, 'run')} from the archive or your own store"] if kept else []
        told += [f"{counted(self.made, 'run')} made while this page was executed"] if self.made else []
        return stack(box, paragraph(f"This page shows {listed(told)}." if told else "There are no runs to show."))

    def partitions(self) -> Html:
        """The permutations: cases of each part, inputs and outputs, and classes that nobody trains on."""
        lines = []
        for name in self.names:
            card = datasets.card(dataset_of(name)[0])
            training, validation, test = card.partition
            lines.append({"partition": name, "training": training, "validation": validation, "test": test,
                          "inputs": len(card.attributes) - len(card.targets), "outputs": len(card.targets),
                          "order of the cases": card.row_order})
        said = [paragraph(text) for name in self.names for text in _absent(name)]
        return stack(table(lines, "The partitions: cases of each part, inputs and outputs"), *said)

    def figure(self) -> Any:
        """A mark for each run; nothing when there are none."""
        if self.runs.is_empty():
            return paragraph("Without runs there is no figure.")
        return run_strips(self.runs, self.printed())

    def printed(self) -> pl.DataFrame:
        """The printed mean test errors of what is shown: dataset, method, mean."""
        lines = [{"dataset": line["dataset"], "method": method, "mean": line["test_error_mean"]}
                 for method in self.methods for number in _TABLES.get(method, ())
                 for line in printed.table(number).iter_rows(named=True) if line["dataset"] in self.names]
        return pl.DataFrame(lines, schema={"dataset": pl.String, "method": pl.String, "mean": pl.Float64})

    def statistics(self) -> Html:
        """What the report asks to be given of many runs, a line for each partition and method."""
        error = pl.col("test_error")
        lines = self.runs.group_by("dataset", "method", maintain_order=True).agg(
            runs=pl.len(), training=pl.col("training_error").mean(), validation=pl.col("validation_error").mean(),
            test=error.mean(), sd=error.std(), least=error.min(), median=error.median(), largest=error.max(),
            wrong=pl.col("test_wrong").mean(), epochs=pl.col("total_epochs").mean(),
            relevant=pl.col("relevant_epochs").mean())
        lines = lines.join(self.printed().rename({"mean": "printed"}), on=["dataset", "method"], how="left")
        if lines.is_empty():
            return paragraph("Without runs there are no statistics.")
        headings = {"dataset": "partition", "wrong": "wrong, %", "relevant": "relevant epochs",
                    "printed": "test, printed"}
        empty = [name for name in ("wrong", "printed") if lines[name].null_count() == lines.height]
        formats = {name: _dashed for name in ("training", "validation", "test", "sd", "least", "median", "largest",
                                              "wrong", "printed")} | {"epochs": _whole, "relevant": _whole}
        kept = lines.drop(empty)
        return table(kept, "Means over the runs; sd, least, median and largest are of the test error",
                     headings={name: words for name, words in headings.items() if name in kept.columns},
                     formats={name: how for name, how in formats.items() if name in kept.columns}, label="dataset")

    def forms(self) -> Html:
        """The passed form of each method on the first partition, folded, with the sentence for a paper."""
        shown = []
        for method in self.methods:
            try:
                passed = report.from_runs(self.runs, method, self.names[0])
            except BenchbookError as error:
                shown.append(fold(f"{method} on {self.names[0]}: no form", paragraph(str(error).splitlines()[0])))
                continue
            shown.append(stack(paragraph(f"`{method}` on `{self.names[0]}`:"), proben1_form.shown(passed)))
        return stack(*shown)

    @property
    def losses(self) -> pl.DataFrame:
        """Task, instance and digest of what is shown, for the provenance block."""
        from benchbook import tasks

        found = self.runs.select("task", instance="run").unique().sort("task", "instance")
        at_hand = {task: tasks.instance(task, 0).digest for task in found["task"].unique()
                   if datasets.at_hand(task.split("/")[0])}
        return found.filter(pl.col("task").is_in(list(at_hand))).with_columns(
            digest=pl.col("task").replace_strict(at_hand, default="", return_dtype=pl.String))


def problem(
    name: str, methods: Sequence[str], runs: int = 10, seed: int = 1, source: str = "archive"
) -> ProblemPage:
    """The runs of methods on the three permutations of a problem.

    Args:
        name: ``cancer``, or ``sklearn-iris`` for a stand-in.
        methods: their names.
        runs: so many of each, the first ones; 0 for all sixty.
        seed: of runs that are made now.
        source: ``archive`` takes runs from the archive and the user's own store and makes what is missing; ``fresh``
            makes every run.

    Raises:
        UnknownName: there is no such problem.
        BenchbookError: another source.
    """
    names = tuple(one for one in partition_names() if one.rstrip("0123456789") == name)
    if not names:
        raise UnknownName("task", name, {one.rstrip("0123456789") for one in partition_names()})
    if source not in _SOURCES:
        raise BenchbookError(f"source is {source!r}; it is {' or '.join(_SOURCES)}")
    count = runs or 60
    wanted = [f"{dataset_of(one)[0]}/partition/a" for one in names]
    kept = studies.partition_runs(list(methods), wanted).filter(pl.col("run") < count)
    parts, made = [kept] if source == "archive" else [], 0
    for one in names:
        for method in methods:
            have = source == "archive" and kept.filter(dataset=one, method=method).height
            if not have and datasets.at_hand(dataset_of(one)[0]):
                parts.append(studies.run_partitions([method], [one], count, seed))
                made += parts[-1].height
    order = {method: place for place, method in enumerate(methods)}
    found = pl.concat([kept.clear(), *parts]).sort(
        "dataset", pl.col("method").replace_strict(order, default=len(order), return_dtype=pl.Int64), "run")
    return ProblemPage(names, tuple(methods), found, made)


def _absent(name: str) -> list[str]:
    """A sentence when some class has no training case, as far as the cases are at hand."""
    dataset = dataset_of(name)[0]
    if not datasets.at_hand(dataset):
        return []
    found = tasks.partition(name).absent_classes
    classes = [datasets.card(dataset).targets[place] for place in found]
    return [f"No training case of {name} is of {listed(classes)}: a network can only learn never to answer so."
            ] if found else []


def _dashed(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _whole(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"
