"""What the values of a table's columns say of their roles: counters, moments, and whom or what rows belong to.

A name alone is no evidence: ``driver_age`` is no driver. What is looked for are runs of equal values, a count that
starts again where the run ends, other columns that do not vary within a value, and means of residuals that vary more
between values than chance allows and do not follow the values' order. The limits are ours, tuned on 70 public tables
(``benchmarks/roles/README.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook.datasets.user import roles

_STEADY, _FEWEST_MOMENTS, _FEWEST_OF_RUNS, _FEWEST_OF_MEANS, _MANY = 0.7, 5, 10, 30, 20
_DENSE, _NESTED, _CHANCE, _SHARE = 0.8, 0.95, 1e-6, 0.02
_MOST_ROWS, _MOST_INPUTS = 20_000, 100
_FIRST_YEAR, _LAST_YEAR = 1500, 2200

DATE, FORWARD, COUNTS = "date", "forward", "counts"
"""What is seen of columns of times, and of counters whose runs are groups."""
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Structure:
    """Columns that are more than inputs, with what was seen of each in words, the most telling first."""

    times: Mapping[str, str]
    groups: Mapping[str, str]


@dataclass(frozen=True)
class _Column:
    """A column without a missing value: ``codes`` [N] in the order of its ``values`` [K], which are None for words.

    ``names`` says whether it may name what rows belong to: words, or whole numbers.
    """

    name: str
    codes: Codes
    values: NDArray[np.float64] | None
    count: int
    runs: int
    names: bool

    @property
    def rows_each(self) -> float:
        return len(self.codes) / self.count

    @property
    def in_runs(self) -> bool:
        """Whether rows of one value stand together."""
        return self.runs <= 1.05 * self.count and self.rows_each >= 1.5

    @property
    def sorted(self) -> bool:
        steps = np.diff(self.codes)
        return bool((steps >= 0).all() or (steps <= 0).all())

    @property
    def dense(self) -> bool:
        if self.values is None:
            return False
        return self.count >= _DENSE * (self.values[-1] - self.values[0] + 1)


def structure(columns: Mapping[str, pl.Series], y: NDArray[np.float64]) -> Structure:
    """The columns that may say when cases were measured, and which belong together.

    Args:
        columns: the inputs, [N] each, in the order of the table's rows. y: [N] the target, classes as 0 and on.
    """
    if len(y) > _MOST_ROWS:
        columns = {name: column.head(_MOST_ROWS) for name, column in columns.items()}
        y = y[:_MOST_ROWS]
    times = _times(columns)
    coded = [
        column for name, item in columns.items() if (column := _coded(name, item, y)) is not None
    ]
    counters = {item.name: resets for item in coded if (resets := _resets(item)) is not None}
    groups: dict[str, str] = {}
    residuals = None
    for item in coded:
        if item.name in times or not item.names or not 3 <= item.count <= len(y) / 1.5:
            continue
        others = {name: resets for name, resets in counters.items() if name != item.name}
        if residuals is None and _may_be_group(item):
            residuals = _residuals(columns, y)
        if text := _why_group(item, others, coded, residuals, times):
            groups[item.name] = text
    for name in counters:
        if times.get(name) == FORWARD and len(counters[name]):
            times[name] = COUNTS
        elif name not in groups and name not in times and len(counters[name]):
            cycles = len(counters[name]) + 1
            count = next(item.count for item in coded if item.name == name)
            if cycles < count / 2:
                groups[name] = COUNTS
            else:
                times[name] = COUNTS
    return Structure(times, groups)


def go_with_order(columns: Mapping[str, pl.Series]) -> list[str]:
    """The columns whose equal values stand together in the table, or that rise or fall from its first row to its last.

    Args:
        columns: the inputs, [N] each, in the order of the table's rows.
    """
    some = {name: column.head(_MOST_ROWS) for name, column in columns.items()}
    found = []
    for name, column in some.items():
        item = _coded(name, column, np.zeros(len(column)))
        if item is not None and item.count > 1:
            runs = item.names and item.in_runs and item.count <= len(column) / 1.5
            found += [name] if runs or (item.sorted and item.count > 2) else []
    return found


def _coded(name: str, column: pl.Series, y: NDArray[np.float64]) -> _Column | None:
    if column.null_count() > 0.02 * len(column) or len(column) != len(y) or len(y) < 10:
        return None
    values = None
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).fill_null(strategy="forward").to_numpy()
        if not np.isfinite(numbers).all():
            return None
        values, codes = np.unique(numbers, return_inverse=True)
        different = values
    elif column.dtype == pl.String:
        different, codes = np.unique(column.fill_null("").to_numpy(), return_inverse=True)
    else:
        return None
    runs = 1 + int((np.diff(codes) != 0).sum())
    names = values is None or bool((values == np.round(values)).all())
    return _Column(name, codes, values, len(different), runs, names)


def _times(columns: Mapping[str, pl.Series]) -> dict[str, str]:
    """Moments: dates; numbers named as times, years among them, that go forward with the rows."""
    found = {}
    for name, column in columns.items():
        if roles.time_of(column, name) is not None:
            found[name] = DATE
        elif column.dtype.is_numeric() and column.null_count() == 0 and _goes_on(name, column):
            found[name] = FORWARD
    return found


def _goes_on(name: str, column: pl.Series) -> bool:
    numbers = column.cast(pl.Float64).to_numpy()
    different = np.unique(numbers)
    if len(different) < _FEWEST_MOMENTS:
        return False
    steps = np.diff(numbers)
    steps = steps[steps != 0]
    share = max((steps > 0).mean(), (steps < 0).mean()) if len(steps) else 0.0
    whole = bool((different == np.round(different)).all())
    years = bool(different[0] >= _FIRST_YEAR and different[-1] <= _LAST_YEAR)
    even = len(np.unique(np.round(np.diff(different), 6))) <= 3
    if roles.is_named_as_time(name):
        return bool(share >= _STEADY) or (years and whole)
    return years and even and share >= _STEADY and bool(share == 1.0 or whole)


def _resets(item: _Column) -> Codes | None:
    """Rows at which a counter starts again: it goes up by one value from row to row; None when it is no counter."""
    if item.count < _FEWEST_MOMENTS or item.values is None or not item.names:
        return None
    steps = np.diff(item.codes)
    resets = np.flatnonzero(steps < 0) + 1
    on = (steps == 1).mean()
    if not on >= _STEADY or on + len(resets) / len(steps) < 0.9:
        return None
    starts = item.codes[resets]
    return resets if len(resets) and (starts <= 0.2 * item.count).mean() >= _STEADY else None


def _may_be_group(item: _Column) -> bool:
    return item.count >= _FEWEST_OF_RUNS and item.rows_each >= 1.5


def _why_group(
    item: _Column,
    counters: Mapping[str, Codes],
    coded: list[_Column],
    residuals: NDArray[np.float64] | None,
    times: Mapping[str, str],
) -> str:
    """What shows that rows of one value belong together; empty when nothing does."""
    changes = np.flatnonzero(np.diff(item.codes)) + 1
    rows = f"{item.count:,} values"
    for name, resets in counters.items():
        together = np.isin(changes, resets).mean() if len(changes) else 0.0
        if item.in_runs and together >= 0.9 and len(changes) >= 0.4 * len(resets):
            return f"{rows} in runs, and `{name}` starts again in each"
    if (
        roles.is_named_as_group(item.name)
        and item.rows_each >= 1.5
        and (item.count >= roles.FEWEST_GROUPS or (item.in_runs and item.count >= _FEWEST_MOMENTS))
    ):
        return f"{rows}, by its name"
    if not _may_be_group(item):
        return ""
    apart = residuals is not None and _means_differ(item, residuals)
    many = item.values is None and item.count >= _MANY
    if item.in_runs and (
        many or not item.sorted or apart or _same_length(item) or _nested(item, coded)
    ):
        return f"{rows} in runs"
    if item.count >= _FEWEST_OF_MEANS and apart and (item.values is None or item.dense):
        return f"{rows} whose means differ beyond chance"
    return ""


def _same_length(item: _Column) -> bool:
    lengths = np.bincount(item.codes)
    return bool((lengths == np.median(lengths)).mean() >= 0.9 and np.median(lengths) >= 2)


def _nested(item: _Column, coded: list[_Column]) -> bool:
    """Whether another column, of fewer values, does not vary within the values of this one."""
    several = np.bincount(item.codes) >= 2
    for other in coded:
        if other.name == item.name or not 2 <= other.count < item.count:
            continue
        low = np.full(item.count, other.count)
        high = np.zeros(item.count, dtype=np.int64)
        np.minimum.at(low, item.codes, other.codes)
        np.maximum.at(high, item.codes, other.codes)
        if (low == high)[several].mean() >= _NESTED:
            return True
    return False


def _residuals(columns: Mapping[str, pl.Series], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a least-squares fit on the columns of numbers leaves of the target, [N]."""
    parts = [np.ones(len(y))]
    for column in list(columns.values())[:_MOST_INPUTS]:
        if column.dtype.is_numeric():
            numbers = column.cast(pl.Float64).to_numpy()
            known = np.isfinite(numbers)
            if known.any() and np.ptp(numbers[known]) > 0:
                numbers = np.where(known, numbers, numbers[known].mean())
                parts.append((numbers - numbers.mean()) / numbers.std())
    inputs = np.column_stack(parts)
    if inputs.shape[1] > len(y) / 3:
        return y - y.mean()
    weights = np.linalg.lstsq(inputs, y, rcond=None)[0]
    return y - inputs @ weights


def _means_differ(item: _Column, residuals: NDArray[np.float64]) -> bool:
    """Whether the means of residuals within the values differ beyond chance; those of numbers, from their neighbours'.

    Of numbers each mean is compared with the cubic through those of the four next values: it differs where they are
    names, and does not where the target follows the number, in whatever way.
    """
    sizes = np.bincount(item.codes).astype(np.float64)
    means = np.bincount(item.codes, residuals) / sizes
    within = float(((residuals - means[item.codes]) ** 2).sum())
    freedom = len(residuals) - item.count
    if freedom < 10 or not within > 0:
        return False
    noise = within / freedom
    if item.values is None:
        total = float((sizes * (means - residuals.mean()) ** 2).sum()) / (item.count - 1)
    else:
        weights = (
            np.array([-1.0, 4.0, 0.0, 4.0, -1.0]) / 6.0
        )  # exact where the target is a cubic of the number
        inner = slice(2, -2)
        differences = means[inner] - np.convolve(means, weights, mode="valid")
        variances = 1 / sizes[inner] + np.convolve(1 / sizes, weights**2, mode="valid")
        total = float((differences**2 / variances).mean())
    share = max(0.0, total / noise - 1) * item.count / len(residuals)
    return share > _SHARE and bool(
        scipy.stats.f.sf(total / noise, item.count - 1, freedom) < _CHANCE
    )
