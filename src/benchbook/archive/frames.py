"""The frames that an archive gives: runs in order, and their case losses in long form."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import tasks
from benchbook.errors import Fault, FaultyInput, MissingData, UnknownName

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

HELD_OUT = "held_out"
ROLES = (HELD_OUT, "training", "full", None)

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


def long_frame(
    blocks: Sequence[Block], role: Names = HELD_OUT, *, enums: bool = False
) -> pl.DataFrame:
    """The case losses of blocks as one frame (``LONG_SCHEMA``), sorted by task, method, instance and loss.

    Args:
        blocks: of runs. role: one or more of ``ROLES``, what the cases have to be; None for all cases.
        enums: whether texts are of type Enum, which takes a fourth of the memory.

    Raises:
        FaultyInput: a role that there is not.
        MissingData: the roles of some cases are known only with published data that is not available.
    """
    blocks, codes = _of_role(blocks, role)
    if not blocks:
        return pl.DataFrame(schema=LONG_SCHEMA)
    ordered = sorted(blocks, key=lambda block: (natural(block.task), *block.key, block.loss))
    counts = [len(block.values) for block in ordered]
    places = pl.Series(np.repeat(np.arange(len(ordered), dtype=np.uint32), counts))
    names = pl.DataFrame(
        [block[:5] for block in ordered],
        orient="row",
        schema={name: LONG_SCHEMA[name] for name in (*KEY, "digest", "loss")},
    ).with_columns(_designs(ordered))
    roles = pl.Series("role", ROLES)
    if enums:
        texts = [name for name in names.columns if names[name].dtype == pl.String]
        names = names.with_columns(_as_enum(names[name]) for name in texts)
        roles = _as_enum(roles)
    frame = names[places].with_columns(
        case=pl.Series(np.concatenate([block.cases for block in ordered]), dtype=pl.Int64),
        value=pl.Series(np.concatenate([block.values for block in ordered]), dtype=pl.Float64),
        role=roles[np.concatenate([codes[id(block)] for block in ordered])],
    )
    return frame.select(list(LONG_SCHEMA))


def _as_enum(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.Enum(texts.drop_nulls().unique(maintain_order=True)))


def _of_role(
    blocks: Sequence[Block], role: Names
) -> tuple[list[Block], dict[int, NDArray[np.int8]]]:
    """The cases of blocks that have one of the roles, and by block the place of each one's role in ``ROLES``."""
    wanted = {role} if isinstance(role, str) else None if role is None else set(role)
    if unknown := (wanted or set()) - set(ROLES[:3]):
        rule = "one of held_out, training, full, or None for all"
        raise FaultyInput("losses", [Fault("role", repr(item), rule) for item in sorted(unknown)])
    folds = {name: _fold_of_case(name) for name in {block.task for block in blocks}}
    lacking = sorted(
        name for name, labels in folds.items() if labels is not None and not labels.size
    )
    if wanted is not None and lacking:
        raise MissingData(
            f"which cases of {', '.join(lacking)} are held out is known only with its data; `benchbook datasets fetch` "
            "gets it, and role=None gives all cases"
        )
    taken, codes = [], {}
    for block in blocks:
        code = _role_codes(block, folds[block.task])
        if wanted is not None:
            chosen = np.isin(code, [place for place, name in enumerate(ROLES) if name in wanted])
            if not chosen.all():
                code = code[chosen]
                block = block._replace(cases=block.cases[chosen], values=block.values[chosen])
        if len(code):
            taken.append(block)
            codes[id(block)] = code
    return taken, codes


def _role_codes(block: Block, labels: NDArray[np.int64] | None) -> NDArray[np.int8]:
    """The places in ``ROLES`` of the cases of a block: training or held out on folds, else held out."""
    if labels is None:
        return np.zeros(len(block.cases), dtype=np.int8)
    if not labels.size:
        return np.full(len(block.cases), 3, dtype=np.int8)
    if block.instance > labels.max():
        return np.full(len(block.cases), 2, dtype=np.int8)
    return (labels[block.cases] != block.instance).astype(np.int8)


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
