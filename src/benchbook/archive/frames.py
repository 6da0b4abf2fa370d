"""The frames that an archive gives: runs in order, and their case losses in long form."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import tasks
from benchbook.errors import MissingData, UnknownName

KEY = ["method", "task", "instance"]
"""What a run is known by."""

LONG_SCHEMA: dict[str, pl.DataType] = {
    "method": pl.String(),
    "task": pl.String(),
    "instance": pl.Int64(),
    "case": pl.Int64(),
    "loss": pl.String(),
    "value": pl.Float64(),
    "digest": pl.String(),
    "role": pl.String(),
    "design": pl.String(),
}
"""Columns of the case losses, one row a case: ``value`` is on the original target scale, smaller is better.

``role`` is ``held_out``; on folds also ``training`` (the case was in the training set of that instance) and ``full``
(the instance was trained on all cases). It is null where the published data that says so is not available. ``design``
is that of the task (``tasks.Task.design``), null for a task that is not known here; it decides which tests are valid.
"""

Names: TypeAlias = "str | Collection[str] | None"
"""A shell pattern, several of them, or None for all."""


class Block(NamedTuple):
    """The losses of one run and one code: ``cases`` [J] positions in the dataset, ``values`` [J]."""

    method: str
    task: str
    instance: int
    digest: str
    loss: str
    cases: NDArray[np.int64]
    values: NDArray[np.float64]

    @property
    def key(self) -> tuple[str, str, int]:
        return self.method, self.task, self.instance


def long_frame(blocks: Sequence[Block]) -> pl.DataFrame:
    """The case losses of blocks as one frame (``LONG_SCHEMA``), sorted by task, method, instance and loss."""
    if not blocks:
        return pl.DataFrame(schema=LONG_SCHEMA)
    ordered = sorted(blocks, key=lambda block: (natural(block.task), *block.key, block.loss))
    places = np.repeat(np.arange(len(ordered)), [len(block.values) for block in ordered])
    names = pl.DataFrame(
        [block[:5] for block in ordered],
        orient="row",
        schema={name: LONG_SCHEMA[name] for name in (*KEY, "digest", "loss")},
    )
    frame = names[places].with_columns(
        case=pl.Series(np.concatenate([block.cases for block in ordered]), dtype=pl.Int64),
        value=pl.Series(np.concatenate([block.values for block in ordered]), dtype=pl.Float64),
        role=_roles(ordered),
        design=_designs(ordered)[places],
    )
    return frame.select(list(LONG_SCHEMA))


def _roles(blocks: Sequence[Block]) -> pl.Series:
    """The role of every case of every block: training or held out on folds, else held out."""
    folds = {name: _fold_of_case(name) for name in {block.task for block in blocks}}
    codes = []
    for block in blocks:
        labels = folds[block.task]
        if labels is None:
            codes.append(np.zeros(len(block.cases), dtype=np.int8))
        elif not labels.size:
            codes.append(np.full(len(block.cases), 3, dtype=np.int8))
        elif block.instance > labels.max():
            codes.append(np.full(len(block.cases), 2, dtype=np.int8))
        else:
            codes.append((labels[block.cases] != block.instance).astype(np.int8))
    return pl.Series(ROLES)[np.concatenate(codes)].alias("role")


ROLES = ("held_out", "training", "full", None)


def _designs(blocks: Sequence[Block]) -> pl.Series:
    """The design of each block's task."""
    names = {block.task for block in blocks}
    known = {name: task.design for name in names if (task := _known_task(name)) is not None}
    return pl.Series("design", [known.get(block.task) for block in blocks], dtype=pl.String)


def _known_task(name: str) -> tasks.Task | None:
    try:
        return tasks.get(name)
    except UnknownName:
        return None


def _fold_of_case(name: str) -> NDArray[np.int64] | None:
    """The fold of each case of a dataset, by its position; None for a task without folds, empty where it is unknown."""
    task = _known_task(name)
    if not isinstance(task, tasks.FoldsTask):
        return None
    try:
        places, labels = task.places, task.labels()
    except MissingData:
        return np.zeros(0, dtype=np.int64)
    folds = np.full(places.max() + 1, -1)
    folds[places] = labels
    return folds


def takes_code(codes: Names, code: str) -> bool:
    """Whether a loss is one of those asked for."""
    return codes is None or code == codes or (not isinstance(codes, str) and code in codes)


def in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Sort runs by task, method and instance, with ``std.64`` before ``std.128``."""
    tasks = sorted(frame["task"].unique(), key=natural)
    rank = pl.col("task").replace_strict(tasks, range(len(tasks)), return_dtype=pl.Int64)
    return frame.sort(rank, "method", "instance", maintain_order=True)


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts the numbers in names as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
