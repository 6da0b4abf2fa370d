"""From the runs of declared tasks to verdicts: each task's losses of held-out cases, by the design of the task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import assess, datasets, studies, tasks
from benchbook import losses as losses_room
from benchbook.assess import proben1
from benchbook.assess.by_design import Verdicts, by_design
from benchbook.assess.designs import Design, folds_design
from benchbook.assess.independent import SCHEMES
from benchbook.datasets import at_hand
from benchbook.errors import BenchbookError
from benchbook.tasks import ChallengeTask, FoldsTask, PartitionTask, SplitsTask, Task
from benchbook.tasks.folds_task import parsed
from benchbook.tasks.partitions import dataset_of
from benchbook.tasks.splitting import group_numbers

Names = Sequence[str] | None
_PARTITION = re.compile(r"(.+?)\d([a-f]?)")


@dataclass(frozen=True)
class TaskRuns:
    """What the runs of tasks say.

    Attributes:
        verdicts: by task, from ``assess.by_design``; PROBEN1's partitions by problem, such as cancer.
        means: by task, loss, method, split and mean: the mean loss on the test cases of every training set.
        partitions: a row for each partition and method, with the statistics of its runs.
        left_out: which methods are not compared on which task, and why.
    """

    verdicts: dict[str, Verdicts] = field(default_factory=dict)
    means: dict[str, pl.DataFrame] = field(default_factory=dict)
    partitions: list[dict[str, Any]] = field(default_factory=list)
    left_out: tuple[str, ...] = ()


def _split_means(frame: pl.DataFrame, design: Design, common_instances: bool) -> pl.DataFrame:
    if design.kind not in SCHEMES:
        return assess.split_means(frame)
    means = assess.instance_means(frame, SCHEMES[design.kind], on_common_instances=common_instances)
    return means.rename({"instance": "split"}).drop("cases")


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
    kinds = {
        name: task.prototask.kind
        for name in names
        if not isinstance(task := tasks.get(name), PartitionTask)
    }
    if not kinds:
        raise BenchbookError(
            "partitions are compared by their error percentages: leave the loss out"
        )
    if not any(map(loss.suits, kinds.values())):
        name, kind = next(iter(kinds.items()))
        raise BenchbookError(
            f"loss {code} is for {loss.suited} targets, and {name} has a {kind} target; it has "
            f"{', '.join(tasks.default_losses(name))}"
        )


def verdicts_of_runs(
    names: Sequence[str],
    methods: Names = None,
    loss: str | None = None,
    *,
    source: studies.Overlay | None = None,
    reference: str | None = None,
    rope: float | None = None,
    common_instances: bool = False,
) -> TaskRuns:
    """The verdicts of all tasks that have runs.

    Args:
        names: of the tasks. methods: names or patterns; None for all that have runs.
        loss: code of the loss to compare by; that by which each task ranks when left out.
        source: where runs are looked for: by default the user's own and the committed archive.
        reference: the method that differences are to; the best where it has no runs, and when left out.
        rope: the smallest difference that matters, in the unit of the loss.
        common_instances: compare on the disjoint training sets that all methods have, instead of refusing others.

    Raises:
        FaultyInput: methods without the same cases. MissingData: which cases are held out is known only with the data.
    """
    source = source or studies.overlay()
    partitions = [name for name in names if isinstance(tasks.get(name), PartitionTask)]
    found = TaskRuns()
    left_out: list[str] = []
    for task, frame in _by_task(
        [name for name in names if name not in partitions], methods, loss, source
    ):
        design, whole = design_of(task), frame
        if not (common_instances and design.kind in SCHEMES):
            whole = _complete(frame, task, methods, source, left_out)
        if whole.height:
            found.means[task.name] = _split_means(whole, design, common_instances)
            found.verdicts[task.name] = _verdicts(task, whole, reference, rope, common_instances)
    rows = _of_partitions(partitions, methods, source, reference, rope, found)
    return TaskRuns(found.verdicts, found.means, rows, tuple(left_out))


def verdicts_of_losses(losses: pl.DataFrame, instances: int = 0) -> dict[str, Verdicts]:
    """The verdicts of all tasks in a frame of losses of held-out cases.

    Args:
        losses: as ``studies.gather`` gives them. instances: so many of each task were run; 0 for all.

    Raises:
        FaultyInput: methods without the same cases, or cases that were not held out.
    """
    return {
        part["task"][0]: _verdicts(tasks.get(part["task"][0]), part, instances=instances)
        for part in losses.partition_by("task", maintain_order=True)
    }


def _verdicts(
    task: tasks.Task,
    losses: pl.DataFrame,
    reference: str | None = None,
    rope: float | None = None,
    common_instances: bool = False,
    instances: int = 0,
) -> Verdicts:
    design = design_of(task)
    if reference not in set(losses["method"]):
        reference = None
    return by_design(
        losses,
        replace(design, k=min(instances, design.k)) if instances else design,
        rope=rope,
        reference=reference,
        groups=groups_of(task),
        standard=tasks.standard if at_hand(task.prototask.dataset) else None,
        common_instances=common_instances,
    )


def _by_task(
    names: Sequence[str], methods: Names, loss: str | None, source: studies.Overlay
) -> Iterator[tuple[Task, pl.DataFrame]]:
    """The tasks that have runs, and their losses of held-out cases; those of one prototask are read at once."""
    codes = {name: loss or tasks.ranking_loss(name) for name in names}
    together = groupby(names, lambda name: (name.rpartition("/")[0], codes[name]))
    for (_, code), part in together:
        frame = studies.gather(list(part), methods, code, source=source)
        for own in frame.partition_by("task", maintain_order=True):
            yield tasks.get(own["task"][0]), own


def _complete(
    frame: pl.DataFrame,
    task: tasks.Task,
    methods: Names,
    source: studies.Overlay,
    left_out: list[str],
) -> pl.DataFrame:
    """The losses without those of methods that were run on some instances only.

    Where training sets are disjoint only those of the committed archive that nobody asked for are left out; others are
    refused later, with the instances that they lack.
    """
    independent = design_of(task).kind in SCHEMES
    if independent and methods is not None:
        return frame
    counts = dict(frame.group_by("method").agg(pl.col("instance").n_unique()).rows())
    wanted = task.instances - isinstance(task, tasks.FoldsTask)
    some = sorted(name for name, count in counts.items() if count < wanted)
    if independent and some:
        ours = str(studies.archive_path())
        records = source.records(tasks=task.name, methods=some)
        own = set(records.filter(pl.col("archive") != ours)["method"])
        some = [name for name in some if name not in own]
    kind = "splits" if isinstance(task, tasks.SplitsTask) else "instances"
    left_out += [
        f"{name} was run on some {kind} only and is left out: {task.name}" for name in some
    ]
    return frame.filter(~pl.col("method").is_in(some)) if some else frame


def _of_partitions(
    names: Sequence[str],
    methods: Names,
    source: studies.Overlay,
    reference: str | None,
    rope: float | None,
    found: TaskRuns,
) -> list[dict[str, Any]]:
    """The statistics of runs on PROBEN1's partitions; verdicts by problem are put into ``found``."""
    if not names:
        return []
    errors = proben1.mean_test_errors(studies.partition_runs(methods, names, source))
    for part in _problems(errors).partition_by("task", maintain_order=True):
        training, _, test = datasets.card(dataset_of(part["partition"][0])[0]).partition
        design = Design("partitions", part["split"].n_unique(), 1, training, test / training)
        name = part["task"][0]
        own = reference if reference in set(part["method"]) else None
        found.means[name] = part.select("task", "loss", "method", "split", mean="value")
        found.verdicts[name] = by_design(None, design, fold_losses=part, rope=rope, reference=own)
    return errors.to_dicts()


def _problems(errors: pl.DataFrame) -> pl.DataFrame:
    """Mean test errors on the partitions of each problem, such as cancer1 to cancer3, of methods with runs on all.

    The share of test cases is that of the training cases alone; those for validation, which the training sees too,
    would make it smaller, so that the test errs on the careful side.
    """
    problem = {
        name: "".join(match.groups()) if (match := _PARTITION.fullmatch(name)) else name
        for name in errors["dataset"].unique().to_list()
    }
    means = errors.select(
        task=pl.col("dataset").replace_strict(problem, return_dtype=pl.String),
        loss=pl.lit("E"),
        method="method",
        partition="dataset",
        value="mean",
    ).filter(pl.col("value").is_finite())
    count = pl.col("partition").n_unique().over("task")
    return (
        means.filter(count > 1, pl.len().over("task", "method") == count)
        .with_columns(split=pl.col("partition").rank("dense").over("task").cast(pl.Int64) - 1)
        .sort("task", "method", "split")
    )


_PARTITIONS = 3
"""PROBEN1 has three partitions of every problem."""
_BLOCKS = "Folds are neighbours in time; training sets share most of their cases and surround the test set."


def design_of(task: Task) -> Design:
    """The design of a task: which of its losses are independent, and so which tests are valid.

    A folds task also has an instance that is trained on all cases; only the held-out cases of the others are losses of
    its design. The runs of a partition differ by their random numbers alone; the design is that of all partitions of
    its problem. The number of groups is taken from the data, and where that is not available, counted as the folds.
    """
    if isinstance(task, FoldsTask):
        return _of_folds(task)
    if isinstance(task, SplitsTask):
        cases = datasets.card(task.prototask.dataset).shape.cases
        share = task.test_to_train
        return Design("splits", task.instances, 1, cases / (1.0 + share), share)
    if isinstance(task, PartitionTask):
        training, _, test = datasets.card(task.prototask.dataset).partition
        return Design("partitions", _PARTITIONS, 1, training, test / training)
    if isinstance(task, ChallengeTask):
        return Design("holdout", 1, 1, task.size)
    return Design("common" if task.design == "common" else "disjoint", task.instances, 1, task.size)


def groups_of(task: Task) -> NDArray[np.int64] | None:
    """[N] the group of every case of the dataset, when the cases of a group stay together in a task's folds.

    Raises:
        MissingData: it is in data that is not available.
    """
    if not (isinstance(task, FoldsTask) and parsed(task.scheme)[0] == "grouped"):
        return None
    cases = datasets.load(task.prototask.dataset).cases
    numbers: object = group_numbers(cases, task.prototask.group)
    return np.asarray(numbers, dtype=np.int64)


def _of_folds(task: FoldsTask) -> Design:
    word, k, _ = parsed(task.scheme)
    part = task.prototask.part
    cases = part[1] - part[0] if part else datasets.card(task.prototask.dataset).shape.cases
    if word == "alone":
        return folds_design(cases, cases)
    if word == "blocks":
        train = cases * (k - 1) / k
        return Design("time", k, 1, train, 1.0 / (k - 1), overlap=_BLOCKS)
    groups = None
    if word == "grouped":
        numbers = groups_of(task) if at_hand(task.prototask.dataset) else None
        groups = k if numbers is None else len(np.unique(numbers[task.places]))
    return folds_design(cases, k, groups=groups, stratified=word == "stratified")
