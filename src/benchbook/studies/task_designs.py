"""The design of an archived task, as ``assess.by_design`` takes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.assess.designs import Design, folds_design
from benchbook.datasets import at_hand
from benchbook.tasks import ChallengeTask, FoldsTask, PartitionTask, SplitsTask, Task
from benchbook.tasks.folds_task import parsed
from benchbook.tasks.splitting import group_numbers

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
    numbers: Any = group_numbers(cases, task.prototask.group)
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
