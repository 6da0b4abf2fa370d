"""The order in which a user's cases are dealt out: by time, by groups or as they stand, and the folds that suit it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchbook.datasets.ranges import IntegerRange
from benchbook.datasets.types import Attribute
from benchbook.datasets.user.guess import Guess
from benchbook.datasets.user.tables import Table
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import time_blocks
from benchbook.seeds import generator

if TYPE_CHECKING:
    from benchbook.tasks.user.proposal import Wanted

_FOLDS = 10
_GAP = 5


def order_of(
    table: Table, wanted: Wanted, guesses: Mapping[str, Guess], name: str, title: str
) -> tuple[np.ndarray, np.ndarray | None, tuple[Attribute, pl.Series] | None]:
    """The order of the cases, the sizes of their groups, and the attribute that gives it."""
    cases = table.frame.height
    if wanted.time:
        return _by_time(guesses[wanted.time], table)
    if not wanted.group:
        return np.arange(cases), None, None

    words = table.frame[wanted.group].cast(pl.String)
    if words.null_count():
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {wanted.group!r}, {table.place(int(words.is_null().arg_true()[0]))}",
                    "no value",
                    "the group of every case",
                )
            ],
            "Nothing was written.",
        )
    codes = words.rank("dense").cast(pl.Float64) - 1.0
    count = int(codes.n_unique())
    if count < 2 * _FOLDS:
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {wanted.group!r}",
                    f"{count} groups",
                    f"{2 * _FOLDS} at least, to be dealt out to tests and training",
                )
            ],
            "Nothing was written.",
        )
    rng = generator(0, "groups", name)
    index = rng.permutation(count)[codes.cast(pl.Int64).to_numpy()]
    order = np.lexsort(
        (rng.permutation(cases), index)
    )  # at random in a group too, of which a part may be used
    return (
        order,
        run_lengths(index[order]),
        (Attribute(1, title, "integer", IntegerRange(0, count - 1), "number of the group"), codes),
    )


def _by_time(one: Guess, table: Table) -> tuple[np.ndarray, None, tuple[Attribute, pl.Series]]:
    """The newest cases first."""
    if one.attribute is None or not one.attribute.numeric or one.values.null_count():
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {one.name!r}",
                    one.why or "no number or date in some case",
                    "a date such as 2026-11-22 or a number for every case",
                )
            ],
            "Nothing was written.",
        )
    if one.values.n_unique() < 2:
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {one.name!r}",
                    "the same time in every case",
                    "a time that differs: tests are on the newest cases, and there are none",
                )
            ],
            "Nothing was written.",
        )
    return np.argsort(-one.values.to_numpy(), kind="stable"), None, (one.attribute, one.values)


def run_lengths(codes: np.ndarray) -> np.ndarray:
    starts = np.flatnonzero(np.diff(codes, prepend=np.nan))
    return np.diff(np.append(starts, len(codes)))


def scheme(kind: str, times: np.ndarray | None, *, grouped: bool) -> str:
    """The folds that suit the cases: of whole groups, of stretches of time with the widest gap up to five steps, or
    at random."""
    if grouped:
        return f"grouped-{_FOLDS}"
    if times is None:
        return f"{'stratified' if kind == 'class' else 'random'}-{_FOLDS}"
    moments = len(np.unique(times))
    folds = min(_FOLDS, moments)
    for gap in range(min(_GAP, moments // _FOLDS), 0, -1):
        with contextlib.suppress(FaultyInput):
            time_blocks(times, folds, gap)
            return f"blocks-{folds}-{gap}"
    return f"blocks-{folds}-0"
