"""The archive's long frame, seen as blocks: one block is the losses of one method on one task instance.

An archive keeps the losses of a run together, so block borders are found by comparing each line with the one before,
and the losses themselves are never copied or grouped. A frame in any other order is sorted first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess.anova.squares import Array
from benchbook.errors import Fault, FaultyInput

KEY = ("task", "loss", "method", "instance")
_NEEDED = (*KEY, "case", "value")


class RunLines(NamedTuple):
    """Where the losses of one method on one instance stand: lines start to stop of the frame."""

    task: str
    loss: str
    method: str
    instance: int
    digest: str | None
    start: int
    stop: int

    @property
    def name(self) -> str:
        """The block in words, for messages."""
        return f"{self.task}#{self.instance}, method {self.method}, loss {self.loss}"


@dataclass(frozen=True)
class Blocks:
    """Blocks in the order they were found, and the columns they point into: case ids and losses, one entry a line."""

    blocks: tuple[RunLines, ...]
    case: NDArray[np.int64]
    value: Array


def read_blocks(frame: pl.DataFrame) -> Blocks:
    """Find the blocks of a long frame.

    Args:
        frame: columns task, loss, method (text), instance, case (whole numbers), value, and digest of the task
            instance (may be left out).

    Raises:
        FaultyInput: a column is missing or of the wrong type, a loss is null or nan, a run occurs twice.
    """
    _check_columns(frame)
    key = [*KEY, "digest"] if "digest" in frame.columns else list(KEY)
    keys, case, value = (
        frame.select(key),
        frame["case"].cast(pl.Int64),
        frame["value"].cast(pl.Float64),
    )
    changes = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in key)
    starts = (
        keys.select(pl.arg_where(changes)).to_series()
        if frame.height
        else pl.Series([], dtype=pl.UInt32)
    )
    heads = keys.select(pl.all().gather(starts))
    if 8 * heads.height > frame.height or heads.select(KEY).is_duplicated().any():
        order, starts = _gather_runs(keys)
        case, value, heads = (
            case.gather(order),
            value.gather(order),
            keys.select(pl.all().gather(order.gather(starts))),
        )
    blocks = Blocks(
        _blocks(heads, starts.to_list(), frame.height), case.to_numpy(), value.to_numpy()
    )
    _check_values(blocks)
    _check_twice(blocks)
    return blocks


def _gather_runs(keys: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """An order of the lines that brings every run together, and where the runs then start."""
    code = pl.Series("code", [0], dtype=pl.UInt64).new_from_index(0, keys.height)
    for column in keys:
        codes, count = _numbered(column)
        code = code * count + codes
    codes = code.alias("code")
    order = codes.arg_sort()
    codes = codes.gather(order)
    return order, codes.to_frame().select(
        pl.arg_where(pl.col("code").ne_missing(pl.col("code").shift()))
    ).to_series()


def _check_columns(frame: pl.DataFrame) -> None:
    text = (pl.String, pl.Categorical, pl.Enum)
    wanted = {"task": text, "loss": text, "method": text}
    faults = [
        Fault("columns", ", ".join(frame.columns), f"a column {name!r} is needed")
        for name in _NEEDED
        if name not in frame.columns
    ]
    for name, kind in frame.schema.items():
        right = (
            kind.is_integer()
            if name in ("instance", "case")
            else kind.is_numeric()
            if name == "value"
            else isinstance(kind, wanted.get(name, pl.DataType))
        )
        if not right:
            needs = "text" if name in wanted else "numbers" if name == "value" else "whole numbers"
            faults.append(Fault(f"column {name!r}", f"type {kind}", f"it must hold {needs}"))
    faults += [
        Fault(
            f"column {name!r}",
            f"{frame[name].null_count()} nulls",
            "every loss has a value and a place",
        )
        for name in _NEEDED
        if name in frame.columns and frame[name].null_count()
    ]
    if faults:
        raise FaultyInput(
            "table of losses", faults, "Columns: method, task, instance, case, loss, value, digest."
        )


def _numbered(column: pl.Series) -> tuple[pl.Series, int]:
    """Codes 0 to count - 1 of a column's values, and the count; null is the last."""
    if column.dtype.is_integer():
        numbers = column.cast(pl.Int64).to_numpy()
        low = int(numbers.min())
        codes, count = column.cast(pl.Int64) - low, int(numbers.max()) - low + 1
    else:
        values = column.drop_nulls().unique(maintain_order=True).cast(pl.String)
        codes, count = column.cast(pl.Enum(values)).to_physical(), len(values)
    return codes.cast(pl.UInt64).fill_null(count), count + 1


def _blocks(heads: pl.DataFrame, starts: list[int], height: int) -> tuple[RunLines, ...]:
    heads = heads.with_columns(pl.col(*KEY[:3]).cast(pl.String))
    digests = (
        heads["digest"].cast(pl.String).to_list()
        if "digest" in heads.columns
        else [None] * heads.height
    )
    columns = [heads[name].to_list() for name in KEY]
    return tuple(
        map(RunLines._make, zip(*columns, digests, starts, [*starts, height][1:], strict=True))
    )


def _check_values(blocks: Blocks) -> None:
    bad = np.flatnonzero(np.isnan(blocks.value))
    if not bad.size:
        return
    starts = np.array([block.start for block in blocks.blocks])
    faults = []
    for which, first, count in _runs(np.searchsorted(starts, bad, side="right") - 1):
        case = blocks.case[bad[first]]
        where = f"nan in {count} cases, first case {case}" if count > 1 else f"nan in case {case}"
        faults.append(Fault(blocks.blocks[which].name, where, "losses are numbers"))
    raise FaultyInput(
        "table of losses", faults, "Run the method again: a loss that is nan is a fault of the run."
    )


def _runs(which: NDArray[np.intp]) -> Iterator[tuple[int, int, int]]:
    values, first, count = np.unique(which, return_index=True, return_counts=True)
    yield from zip(values.tolist(), first.tolist(), count.tolist(), strict=True)


def _check_twice(blocks: Blocks) -> None:
    seen: dict[tuple[str, str, str, int], RunLines] = {}
    faults = []
    for block in blocks.blocks:
        other = seen.setdefault(block[:4], block)
        if other is not block:
            faults.append(
                Fault(
                    block.name,
                    f"digests {other.digest} and {block.digest}",
                    "one run has the losses of one task instance",
                )
            )
    if faults:
        raise FaultyInput(
            "table of losses", faults, "Take the runs of one version of the task only."
        )
