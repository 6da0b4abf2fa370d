"""What there is to say of the runs of tasks: gathered once, for ``benchbook run`` and ``benchbook compare``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import polars as pl

from benchbook import assess, datasets, studies
from benchbook import losses as losses_room
from benchbook import tasks as tasks_room
from benchbook.assess import proben1
from benchbook.cli.output import loss_code, sentence, table
from benchbook.errors import BenchbookError
from benchbook.studies import cross_validation
from benchbook.tasks.partitions import dataset_of

if TYPE_CHECKING:
    from benchbook.studies.cross_validation import Expected
    from benchbook.studies.overlay import Overlay

tasks_option = click.option(
    "--tasks",
    "-t",
    multiple=True,
    metavar="PATTERN",
    help="Names or patterns of tasks, for example 'kin-8nm-sim/dist/std.*'. May be repeated.",
)
loss_option = click.option(
    "--loss",
    default=None,
    metavar="CODE",
    callback=loss_code,
    help="The loss to compare by. Default: S (squared error) for numbers, Z (0-1) for classes; "
    "in challenges NLPD and NLP10.",
)
common_option = click.option(
    "--common-instances",
    is_flag=True,
    help="Compare on the instances that all the methods have, instead of refusing.",
)

_NOTHING = "there are no runs of these tasks yet; make some with `benchbook run`"
_PARTITION = re.compile(r"(.+?)\d([a-f]?)")
_FOLDS = ("random", "stratified", "grouped")
_TESTS = {"hierarchical": "paired t", "common": "quasi-F"}
CORRECTED_T = "corrected resampled t"


@dataclass(frozen=True)
class Overlapping:
    """Mean losses on training sets that overlap, for the corrected resampled t test.

    Attributes:
        kind: splits, folds or partitions, which the training sets come from.
        means: as ``assess.split_means`` gives them. shares: n_test / n_train by task.
    """

    kind: str
    means: pl.DataFrame
    shares: dict[str, float]


@dataclass(frozen=True)
class Compared:
    """Expected losses and comparisons of DELVE's tasks, means on training sets that overlap, the statistics of runs on
    PROBEN1's partitions, and expected utilities by the folds of one data set.

    Attributes:
        frames: expected losses and comparisons of tasks with disjoint training sets; None without such tasks.
        means: their mean losses by training set, with the columns of ``assess.split_means``.
        runs: a row for each partition and method.
    """

    frames: tuple[pl.DataFrame, pl.DataFrame] | None
    means: pl.DataFrame | None = None
    overlapping: tuple[Overlapping, ...] = ()
    runs: list[dict[str, Any]] = field(default_factory=list)
    folds: tuple[Expected, ...] = ()

    @property
    def methods(self) -> set[str]:
        """All that have runs."""
        expected = [] if self.frames is None else self.frames[0]["method"].to_list()
        split = (name for item in self.overlapping for name in item.means["method"])
        taken_apart = (name for estimate in self.folds for name in estimate.distributions)
        return {*expected, *split, *(row["method"] for row in self.runs), *taken_apart}

    def as_data(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        data: dict[str, Any] = {"standings": self.standings().to_dicts()}
        if self.frames is not None:
            data |= {
                "expected_losses": self.frames[0].to_dicts(),
                "comparisons": self.frames[1].to_dicts(),
            }
        if self.runs:
            data["runs_on_partitions"] = self.runs
        if self.folds:
            data["folds"] = {fold.task: fold.table().to_dicts() for fold in self.folds}
        return data

    def standings(self, against: str | None = None) -> pl.DataFrame:
        """Every method on every task, best first: ``assess.standings`` with the ``test`` that p is by.

        Where training sets overlap, standard_error is that of the means as if these were independent.

        Args:
            against: the method that p values are against; the best where it is not, and when left out.
        """
        parts = []
        if self.frames is not None:
            expected = assess.parts_of_doubt(self.frames[0])
            known = against if against in set(expected["method"]) else None
            parts.append(
                assess.standings(expected, self.frames[1], known)
                .rename({"scheme": "test"})
                .with_columns(pl.col("test").replace(_TESTS))
                .drop("sd_instances", "sd_cases", "sd_residual")
            )
        for item in self.overlapping:
            known = against if against in set(item.means["method"]) else None
            parts.append(
                assess.compare_on_splits(item.means, item.shares, known)
                .rename(
                    {
                        "standard_error": "difference_error",
                        "usual_standard_error": "standard_error",
                        "splits": "instances",
                        "reason": "why_no_p",
                    }
                )
                .with_columns(test=pl.lit(CORRECTED_T), training_sets=pl.lit(item.kind))
            )
        return pl.concat(parts, how="diagonal") if parts else pl.DataFrame()

    def ranks(self, against: str | None = None) -> list[tuple[str, str, pl.DataFrame]]:
        """Rank tests: for each set of blocks where they are from, the key of ``assess.ASSUMES``, and the table."""
        tables = []
        for kind, means in self._blocks():
            for (task, loss), part in means.group_by("task", "loss", maintain_order=True):
                part = part.rename({"split": "block"})
                if part["block"].n_unique() > 1 and part["method"].n_unique() > 1:
                    tables.append((f"{task}, loss {loss}", kind, assess.rank_table(part, against)))
        every = [means for _, means in self._blocks()]
        if every:
            tables += _over_data_sets(pl.concat(every), against)
        return tables

    def _blocks(self) -> list[tuple[str, pl.DataFrame]]:
        blocks = []
        if self.frames is not None and self.means is not None:
            for (scheme,), part in self.frames[0].group_by("scheme", maintain_order=True):
                kind = (
                    "training sets" if scheme == "hierarchical" else "training sets, common tests"
                )
                blocks.append(
                    (kind, self.means.filter(pl.col("task").is_in(part["task"].unique().to_list())))
                )
        return [*blocks, *(("splits", item.means) for item in self.overlapping)]

    @cached_property
    def all_means(self) -> pl.DataFrame:
        """Mean losses by training set of all tasks, in the columns of ``assess.instance_means``."""
        return pl.concat([part for _, part in self._blocks()]).rename({"split": "instance"})


def _over_data_sets(
    means: pl.DataFrame, against: str | None
) -> list[tuple[str, str, pl.DataFrame]]:
    """Rank tests over data sets, of which each gives one block: its task with most training cases, as two are not
    independent."""
    sizes = {
        name: tasks_room.get(name).size if "/" in name else 0
        for name in means["task"].unique().to_list()
    }
    largest: dict[str, str] = {}
    for name in sorted(sizes, key=lambda name: (sizes[name], name)):
        largest[name.partition("/")[0]] = name
    tables = []
    chosen = means.filter(pl.col("task").is_in(list(largest.values())))
    for (loss,), part in chosen.group_by("loss", maintain_order=True):
        blocks = (
            part.group_by("method", "task", maintain_order=True)
            .agg(pl.col("mean").mean())
            .rename({"task": "block"})
        )
        whole = pl.len().over("method") == pl.col("block").n_unique()
        blocks = blocks.filter(whole)
        if blocks["block"].n_unique() > 1 and blocks["method"].n_unique() > 1:
            tables.append(
                (
                    f"{', '.join(sorted(set(blocks['block'])))}, loss {loss}",
                    "data sets",
                    assess.rank_table(blocks, against),
                )
            )
    return tables


def check_loss(code: str | None, names: Sequence[str]) -> None:
    """Refuse a loss by which none of the tasks can be compared.

    Raises:
        UnknownName: there is no such loss. BenchbookError: it is no loss of single cases, or not for these targets.
    """
    if code is None:
        return
    loss = losses_room.get(code)
    if loss.is_set:
        raise BenchbookError(
            f"loss {code} is one number for a whole test set; runs are compared by losses of single "
            "cases. `benchbook losses list` shows them."
        )
    prototasks = {name: tasks_room.get(name).prototask for name in names}
    kinds = {
        name: prototask.kind
        for name, prototask in prototasks.items()
        if not prototask.folds and prototask.kind != "outputs"
    }
    if not kinds:
        raise BenchbookError(
            "--loss is not for partitions, which are compared by their error percentages, nor for "
            "folds, of which `benchbook assess cv` answers other questions; leave it out"
        )
    if not any(map(loss.suits, kinds.values())):
        name, kind = next(iter(kinds.items()))
        raise BenchbookError(
            f"loss {code} is for {loss.suited} targets, and {name} has a {kind} target; it has "
            f"{', '.join(tasks_room.default_losses(name))}"
        )


def compared(
    names: tuple[str, ...],
    methods: tuple[str, ...] | None,
    loss: str | None,
    common: bool,
    folder: Path | None,
) -> Compared:
    """What there is to say of the runs of tasks.

    Args:
        names: the tasks. methods: patterns; None for all that have runs. loss: to compare by.
        common: on the instances that all methods have. folder: of runs besides the archive; one's own when left out.

    Raises:
        BenchbookError: there are no runs, or they cannot be compared.
    """
    both = studies.overlay(runs=folder)
    prototasks = {name: tasks_room.get(name).prototask for name in names}
    apart = tuple(name for name in names if prototasks[name].folds)
    split = tuple(name for name in names if prototasks[name].splits)
    parts = tuple(name for name in names if prototasks[name].kind == "outputs")
    others = tuple(name for name in names if name not in (*apart, *split, *parts))
    folds = _by_folds(apart, methods, both)
    overlapping = [*_by_splits(split, methods, loss, both), *_fold_means(folds, both)]
    frames, means = _disjoint(others, methods, loss, common, both) if others else (None, None)
    runs: list[dict[str, Any]] = []
    if parts:
        archived = studies.partition_runs(methods, parts, both)
        if archived.is_empty() and frames is None and not overlapping and not folds:
            raise BenchbookError(_NOTHING)
        errors = proben1.mean_test_errors(archived)
        runs, overlapping = errors.to_dicts(), [*overlapping, *_by_partitions(errors)]
    return Compared(frames, means, tuple(overlapping), runs, folds)


def _by_folds(
    names: tuple[str, ...], methods: tuple[str, ...] | None, both: Overlay
) -> tuple[Expected, ...]:
    """The expected utilities on tasks that take one data set apart into folds."""
    if not names:
        return ()
    kinds = {name: tasks_room.get(name).prototask.kind for name in names}
    return tuple(
        cross_validation.expected(name, "nlpd" if kind == "real" else "nlp", methods, source=both)
        for name, kind in kinds.items()
    )


def _fold_means(folds: tuple[Expected, ...], both: Overlay) -> list[Overlapping]:
    """The mean losses of the folds of each task, of which every two have most of their training cases in common."""
    frames = []
    for fold in folds:
        if not fold.task.rpartition("/")[2].startswith(_FOLDS):
            continue
        losses = cross_validation.fold_losses(
            fold.task, list(fold.distributions), fold.question.code, both
        )
        rows = [
            (
                fold.task,
                fold.question.code,
                name,
                number,
                float(each.left_out[each.fold == number].mean()),
            )
            for name, each in losses.items()
            if np.isfinite(each.left_out).all()
            for number in range(len(each.by_fold))
        ]
        if rows:
            means = pl.DataFrame(
                rows, schema=["task", "loss", "method", "split", "mean"], orient="row"
            )
            frames.append(
                Overlapping("folds", means, {fold.task: 1.0 / (means["split"].n_unique() - 1)})
            )
    return frames


def _by_splits(
    names: tuple[str, ...], methods: tuple[str, ...] | None, loss: str | None, both: Overlay
) -> list[Overlapping]:
    """Mean losses on tasks that split one data set at random.

    Methods that were run on some of the splits only are named and left out.
    """
    if not names:
        return []
    frame = pl.concat(
        [
            both.losses(tasks=name, methods=methods, code=loss or tasks_room.ranking_loss(name))
            for name in names
        ]
    )
    if frame.is_empty():
        raise BenchbookError(_NOTHING)
    means = assess.split_means(frame)
    counts = {name: tasks_room.get(name).instances for name in names}
    whole = pl.len().over("task", "loss", "method") == pl.col("task").replace_strict(
        counts, return_dtype=pl.Int64
    )
    for task, method in (
        means.filter(~whole).select("task", "method").unique(maintain_order=True).rows()
    ):
        click.echo(f"note: {method} was run on some splits only and is left out: {task}", err=True)
    requested = [tasks_room.get(name) for name in names]
    shares = {
        task.name: task.test_to_train
        for task in requested
        if isinstance(task, tasks_room.SplitsTask)
    }
    return [Overlapping("splits", means.filter(whole), shares)]


def _by_partitions(table: pl.DataFrame) -> list[Overlapping]:
    """Mean test errors on the partitions of one problem, such as cancer1 to cancer3, of methods that have runs on all.

    The share of test cases is that of the training cases alone; those for validation, which the training sees too,
    would make it smaller, so that the test errs on the careful side.
    """
    problem = {
        name: "".join(match.groups()) if (match := _PARTITION.fullmatch(name)) else name
        for name in table["dataset"].unique().to_list()
    }
    means = table.select(
        task=pl.col("dataset").replace_strict(problem, return_dtype=pl.String),
        loss=pl.lit("E"),
        method="method",
        partition="dataset",
        mean="mean",
    ).filter(pl.col("mean").is_finite())
    count = pl.col("partition").n_unique().over("task")
    means = means.filter(count > 1, pl.len().over("task", "method") == count).with_columns(
        split=pl.col("partition").rank("dense").over("task").cast(pl.Int64) - 1
    )
    shares = {}
    for task, partition in means.select("task", "partition").rows():
        training, _, test = datasets.card(dataset_of(partition)[0]).partition
        shares[task] = test / training
    chosen = means.select("task", "loss", "method", "split", "mean").sort("task", "method", "split")
    return [] if chosen.is_empty() else [Overlapping("partitions", chosen, shares)]


def _disjoint(
    names: tuple[str, ...],
    methods: tuple[str, ...] | None,
    loss: str | None,
    common: bool,
    both: Overlay,
) -> tuple[tuple[pl.DataFrame, pl.DataFrame], pl.DataFrame]:
    """The assessment of every task of which there are runs, and the mean losses of its training sets."""
    codes = {name: loss or tasks_room.ranking_loss(name) for name in names}
    for note in both.notes(tasks=names, methods=methods):
        click.echo(f"note: {note}", err=True)
    frame = pl.concat(
        [
            both.losses(
                tasks=[name for name in names if codes[name] == code], methods=methods, code=code
            )
            for code in sorted(set(codes.values()))
        ]
    )
    if not common and methods is None:
        frame = _complete(frame, both)
    if frame.is_empty():
        raise BenchbookError(_NOTHING)
    schemes = {name: tasks_room.get(name).prototask.test_set_selection for name in names}
    counts = (
        None if common else {name: tasks_room.get(name).instances for name in set(frame["task"])}
    )
    frames = assess.assessment(
        frame, schemes, tasks_room.standard, on_common_instances=common, instances=counts
    )
    means = assess.instance_means(frame, schemes, on_common_instances=common, instances=counts)
    return frames, means.rename({"instance": "split"}).select(
        "task", "loss", "method", "split", "mean"
    )


def _complete(frame: pl.DataFrame, both: Overlay) -> pl.DataFrame:
    """The losses without those of methods that the book's archive has on some of a task's instances only.

    Nobody asked for these by name, and they must not keep the others from being compared.
    """
    ours = str(studies.archive_path())
    for task, method, count in sorted(
        frame.group_by("task", "method").agg(pl.col("instance").n_unique()).rows()
    ):
        whole = count == tasks_room.get(task).instances
        if not whole and set(both.records(tasks=task, methods=method)["archive"]) == {ours}:
            click.echo(
                f"note: {method} was run on some instances only and is left out: {task}", err=True
            )
            frame = frame.filter((pl.col("task") != task) | (pl.col("method") != method))
    return frame


def tell_folds(estimate: Expected) -> None:
    """Print expected utilities by folds, and who is better."""
    rows = estimate.table().to_dicts()
    click.echo(
        f"{estimate.task}, {estimate.cases} cases: {estimate.question.words}, {estimate.question.orientation}\n"
    )
    table(
        [{**row, "interval": f"{row['low']:.4g} to {row['high']:.4g}"} for row in rows],
        {
            "method": "method",
            "expected": "expected",
            "interval": "90 % interval",
            "corrected": "corrected",
            "training": "on training cases",
        },
    )
    click.echo(f"\nBayesian bootstrap: {estimate.weighting}")
    if pairs := estimate.verdicts().to_dicts():
        click.echo("\nprobability that the first method is better than the second, not corrected\n")
        table(
            [{**pair, "shown": f"{pair['probability']:.2f}"} for pair in pairs],
            {"method": "method", "than": "than", "shown": "probability"},
        )
    for warning in estimate.warnings:
        click.echo("\n" + sentence(warning))
