"""Values of the target in earlier rows as inputs of a time series, and what a row may be predicted from.

A lag of k is the target k rows before in the same series, in the order of time. It was observed before the row that is
predicted, also within a test block, so that a forecast looks as many rows ahead as the smallest lag is large: the
*horizon*. A model is trained on rows that are at least as far before the first row it is tested on.

Source: Hyndman and Athanasopoulos, Forecasting: Principles and Practice (2021), sections 5.2 and 5.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook.comparison import tables
from benchbook.comparison.role_columns import RoleColumns
from benchbook.comparison.tables import Values
from benchbook.errors import Fault, shortened
from benchbook.words import counted, listed

FEWEST = 20
_UNEVEN = 1.5
"""The largest step of time over the median one above which times are not evenly spaced: months are 28 to 31 days."""
_MOST = 1000


@dataclass(frozen=True)
class Lags:
    """The lags of a comparison.

    Attributes:
        steps: rows before, in increasing order. columns: the inputs that hold them. target: whose values they are.
        rows: of the table. left_out: those without the values of all lags, or without a target.
        series: how many there are. even: whether times are evenly spaced in each.
    """

    steps: tuple[int, ...]
    columns: tuple[str, ...]
    target: str
    rows: int
    left_out: int
    series: int
    even: bool

    @property
    def horizon(self) -> int:
        """Rows that a forecast looks ahead."""
        return self.steps[0]

    @property
    def ahead(self) -> str:
        """How far ahead each forecast is, as the line of the design says it."""
        return f"each forecast {counted(self.horizon, 'row')} ahead"

    @property
    def words(self) -> str:
        """What stands below the table."""
        rows = (
            f"{listed(list(map(str, self.steps)))} {'row' if self.steps == (1,) else 'rows'} before"
        )
        series = f" in the same series (of {self.series:,})" if self.series > 1 else ""
        text = (
            f"observed values of {self.target} {rows}{series}, also within a test block: every forecast is "
            f"{counted(self.horizon, 'row')} ahead."
        )
        if self.left_out:
            are, lack = ("is", "lacks") if self.left_out == 1 else ("are", "lack")
            text += (
                f" {counted(self.left_out, 'row')} of {self.rows:,} {are} left out, which {lack} one of these values "
                "or the target."
            )
        if not self.even:
            text += " Times are not evenly spaced: a lag counts rows, not time."
        return text


@dataclass(frozen=True, eq=False)
class History:
    """The rows that have all their lags: ``rows`` [n] of the table, their lags ``values`` [n, L], the codes of their
    ``series`` [n] and their ``position`` [n] in it, counted from its first row; and whether times are evenly spaced.
    """

    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    series: NDArray[np.int64]
    position: NDArray[np.int64]
    even: bool


def lagged(
    y: NDArray[np.float64], when: NDArray[Any], series: NDArray[np.int64], steps: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The values of each series some rows before, [N, L], NaN where there are none, and the position [N] in it.

    Args:
        y: [N] the target. when: [N] times, in any order. series: [N] codes.
        steps: [L] rows before.
    """
    order = np.lexsort((when, series))
    codes, ordered = series[order], y[order]
    made = np.full((len(y), len(steps)), np.nan)
    for at, step in enumerate(steps):
        same = codes[step:] == codes[:-step]
        made[order[step:][same], at] = ordered[:-step][same]
    starts = np.searchsorted(codes, codes)
    position = np.empty(len(y), dtype=np.int64)
    position[order] = np.arange(len(y)) - starts
    return made, position


def checked_steps(lags: Any, faults: list[Fault]) -> tuple[int, ...]:
    """Lags in increasing order; () with a fault when they are none."""
    rule = "whole numbers of rows before, such as [1, 2, 12]"
    try:
        given = [lags] if isinstance(lags, int | np.integer) else list(lags)
    except TypeError:
        given = [lags]
    if isinstance(lags, str) or not given:
        faults.append(Fault("lags", repr(lags), rule))
        return ()
    wrong = [
        item
        for item in given
        if not isinstance(item, int | np.integer) or isinstance(item, bool) or item < 1
    ]
    if wrong or len(given) > _MOST:
        found = shortened(repr(wrong[0]), 60) if wrong else f"{len(given)} lags"
        faults.append(Fault("lags", found, f"{rule}; up to {_MOST} of at least 1"))
        return ()
    return tuple(sorted({int(item) for item in given}))


def history(
    lags: int | Sequence[int] | None,
    target: Values | None,
    when: NDArray[Any] | None,
    series: NDArray[np.int64] | None,
    kind: str | None,
    parts: RoleColumns,
) -> tuple[tuple[int, ...], History | None]:
    """The lags and the rows that have them all; None, with a fault, when there are none.

    Args:
        lags: as the user gave them. target: its values. when, series: [N], None where there are none.
        kind: of the target. parts: where faults go.
    """
    faults = parts.faults
    steps = checked_steps(lags, faults)
    if when is None:
        if not any(fault.where == "time" for fault in faults):
            rule = "a column or an array that says when, for lags (--time in a shell)"
            rule += "; range(len(y)) when rows stand in their order"
            faults.append(Fault("time", "none", rule))
        return steps, None
    if target is None or not steps:
        return steps, None
    if target.kind != "number" or kind == "class":
        faults.append(Fault("lags", "a target of classes", "lags are of a target of numbers"))
        return steps, None
    numbers = np.where(target.missing, np.nan, target.array.astype(np.float64))
    codes = np.zeros(len(numbers), dtype=np.int64) if series is None else series
    again = _same_time(when, codes)
    rule = "times that differ"
    rule += (
        ": groups=, the column of the series (--group in a shell)"
        if series is None
        else " within each of the series that groups are"
    )
    if parts.rows_fault("time", again, "with the time of another row of its series", rule):
        return steps, None
    values, position = lagged(numbers, when, codes, steps)
    rows = np.flatnonzero(np.isfinite(numbers) & np.isfinite(values).all(axis=1))
    if len(rows) < FEWEST:
        found = f"{len(rows)} rows that have the values {listed(list(map(str, steps)))} rows before"
        rule = f"at least {FEWEST}; the longest series has {int(position.max()) + 1} rows: smaller lags"
        faults.append(Fault("lags", found, rule))
        return steps, None
    return steps, History(rows, values[rows], codes[rows], position[rows], _even(when, codes))


def _same_time(when: NDArray[Any], series: NDArray[np.int64]) -> NDArray[np.bool_]:
    """[N] whether a row has the time of one before it in its series."""
    order = np.lexsort((when, series))
    same = (np.diff(series[order]) == 0) & (when[order][1:] == when[order][:-1])
    made = np.zeros(len(when), dtype=bool)
    made[order[1:]] = same
    return made


def _even(when: NDArray[Any], series: NDArray[np.int64]) -> bool:
    order = np.lexsort((when, series))
    times = when[order]
    times = times.astype("datetime64[us]") if times.dtype.kind == "M" else times
    numbers = times.astype(np.int64 if times.dtype.kind in "mM" else np.float64)
    steps = np.diff(numbers)[np.diff(series[order]) == 0]
    return not len(steps) or bool(steps.max() <= _UNEVEN * np.median(steps))


def with_lags(
    inputs: Any, labels: Any, found: History, target: str, steps: Sequence[int]
) -> tuple[Any, tuple[str, ...]]:
    """The rows that have them all with lags as further columns, of the user's own type, and the names of these.

    Args:
        inputs: [N, d], or None when lags are all that there is. labels: [N] the target, whose type is then taken.
        found: the rows and their lags. target: its name.
    """
    names = tuple(f"{target}_lag_{step}" for step in steps)
    where = tables.library(labels if inputs is None else inputs)
    if where == "polars":
        made = pl.DataFrame(dict(zip(names, found.values.T, strict=True)))
        return made if inputs is None else inputs[found.rows].hstack(made), names
    if where == "pandas":
        part = (
            labels.to_frame("y").iloc[found.rows][[]] if inputs is None else inputs.iloc[found.rows]
        )
        made = part.assign(**dict(zip(names, found.values.T, strict=True)))
        if not all(isinstance(name, str) for name in part.columns):  # scikit-learn takes no mixture
            made.columns = [*part.columns, *range(10**6, 10**6 + len(names))]
        return made, names
    if inputs is None:
        return found.values, names
    if where == "sparse":
        return scipy.sparse.hstack([inputs[found.rows], found.values]).tocsr(), names
    return np.column_stack([inputs[found.rows], found.values]), names


def known_rows(
    time: NDArray[Any],
    series: NDArray[np.int64],
    position: NDArray[np.int64],
    horizon: int,
    train: NDArray[Any],
    test: NDArray[Any],
) -> NDArray[Any]:
    """The training rows whose targets are known when the first test row is predicted, a horizon of h rows before it:
    none of the last h - 1 times before the test rows, nor of the last h - 1 positions of a series before them.

    Args:
        time, series, position: [n] of all rows. horizon: h. train, test: rows.
    """
    if horizon == 1 or not len(train):
        return train
    before = np.unique(time[time < time[test].min()])
    origin = before[-horizon] if len(before) >= horizon else None
    first = np.full(int(series.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, series[test], position[test])
    known = position[train] <= first[series[train]] - horizon
    known &= (time[train] <= origin) if origin is not None else False
    return train[known]
