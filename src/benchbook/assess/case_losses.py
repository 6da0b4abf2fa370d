"""Methods compared by a loss of single cases, where training sets overlap or there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import scipy

from benchbook.assess import remarks
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.designs import Design
from benchbook.assess.overlapping import Array, Entries, entries
from benchbook.assess.remarks import Note
from benchbook.assess.spread import Spread, is_binary, spread_of, without_rounding
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import group_labels

_NAN = float("nan")
_MANY = 200


@dataclass(frozen=True)
class CaseLosses:
    """What a comparison has besides its losses; see ``by_design``."""

    design: Design
    second: pl.DataFrame | None = None
    level: float = 0.95
    groups: Any = None
    labels: Any = None
    targets: Any = None
    baseline: str = "constant guess"

    @cached_property
    def rarest(self) -> float:
        """The share of the rarest class, when targets are classes (whole numbers, text); 1 for numbers, and when that
        class has ``_MANY`` cases or more."""
        if self.targets is None or np.asarray(self.targets).dtype.kind == "f":
            return 1.0
        counts = np.unique(np.asarray(self.targets), return_counts=True)[1]
        return float(counts.min() / counts.sum()) if counts.min() < _MANY else 1.0


Compared = tuple[list[MethodMean], list[PairTest], list[Note]]


def compare_cases(loss: str, part: pl.DataFrame, context: CaseLosses) -> Compared:
    """Means, pairs and notes of one loss.

    Args:
        loss: its name.
        part: its rows as ``checked_losses.checked`` gives them.
        context: the design, and what else is known.
    """
    values, where = _aligned(part, context)
    second = _second(loss, list(values), context)
    infinite = {name: value for name, value in values.items() if not np.isfinite(value).all()}
    finite = {name: value for name, value in values.items() if name not in infinite}
    scale = _scale(finite, context.baseline)
    centre = _explained(finite, where, context)
    means = [
        mean_loss(name, item, where, scale, context, second.get(name), centre.get(name))
        for name, item in finite.items()
    ]
    means += [_infinite(name, item, where, context) for name, item in infinite.items()]
    pairs = []
    for pair, other in combinations(values, 2):
        bad = [name for name in (pair, other) if name in infinite]
        if bad:
            reason = f"{' and '.join(bad)}: infinite losses"
            pairs.append(PairTest(pair, other, _nothing(context.design), reason, shown=False))
            continue
        twice = second[pair] - second[other] if second else None
        middle = centre[pair] - centre[other] if centre else None
        gaps = without_rounding(
            finite[pair] - finite[other], _pair_scale(pair, other, finite, scale)
        )
        pairs.append(difference(pair, other, gaps, where, context, twice, middle))
    means, pairs = _without_dependent(means, pairs)
    return means, pairs, remarks.of_cases(loss, means, pairs, where, context.design, context.rarest)


def _without_dependent(
    means: list[MethodMean], pairs: list[PairTest]
) -> tuple[list[MethodMean], list[PairTest]]:
    """No interval and no test for any method when most pairs have neighbours that are alike: the rows depend."""
    flagged = sum(pair.reason == remarks.DEPENDENT for pair in pairs)
    if 2 * flagged <= len(pairs):
        return means, pairs
    return (
        [
            mean
            if mean.low != mean.low
            else replace(mean, low=_NAN, high=_NAN, note=remarks.DEPENDENT_MEAN)
            for mean in means
        ],
        [
            pair if pair.reason else replace(pair, reason=remarks.DEPENDENT, shown=False)
            for pair in pairs
        ],
    )


def _aligned(part: pl.DataFrame, context: CaseLosses) -> tuple[dict[str, Array], Entries]:
    """Losses [E] by method, and the entries."""
    frames = part.partition_by("method", maintain_order=True)
    first = frames[0]
    row = first["row"].to_numpy()
    group = None
    if context.groups is not None:
        given = np.asarray(context.groups)
        group = group_labels(given, len(given))[1][row]
    weight = first["weight"].to_numpy() if "weight" in first.columns else None
    where = entries(first["split"].to_numpy(), row, weight, group)
    return {frame["method"][0]: frame["value"].to_numpy() for frame in frames}, where


def _second(loss: str, methods: Sequence[str], context: CaseLosses) -> dict[str, Array]:
    """[R, k, k] by method: the mean loss on fold f without folds g and f at [g, f]."""
    design, frame = context.design, context.second
    if design.statistic != "jackknife" or frame is None:
        return {}
    k, result, faults = design.k, {}, []
    part = frame.filter(pl.col("loss") == loss)
    for name in methods:
        own = part.filter(pl.col("method") == name)
        table = np.full((design.repeats, k, k), np.nan)
        repeat = own["repeat"].to_numpy() if "repeat" in own.columns else np.zeros(len(own), int)
        table[repeat, own["left"].to_numpy(), own["tested"].to_numpy()] = own["value"].to_numpy()
        missing = int(np.isnan(table[:, ~np.eye(k, dtype=bool)]).sum())
        if missing:
            where = f"second fits, loss {loss}, method {name}"
            faults.append(Fault(where, f"{missing} missing", f"all {k * (k - 1)} pairs of folds"))
        result[name] = table
    if faults:
        raise FaultyInput("jackknife", faults)
    return result


def _scale(values: dict[str, Array], baseline: str) -> float:
    """The mean loss of the baseline: what a loss or difference has to be small against to be rounding alone."""
    return float(np.abs(values[baseline]).mean()) if baseline in values else 0.0


def _pair_scale(one: str, other: str, values: dict[str, Array], scale: float) -> float:
    own = max(float(np.abs(values[name]).mean()) for name in (one, other))
    return max(own, scale * 1e-3) if scale else own


def _explained(values: dict[str, Array], where: Entries, context: CaseLosses) -> dict[str, Array]:
    """[N] by method: what the order of the table explains of losses when it is sorted by the target.

    In a table sorted by class or by a number, neighbours have similar losses although independent. Then the mean
    loss of the cases with about the same target is taken off before neighbours are compared.
    """
    if context.targets is None:
        return {}
    targets = np.asarray(context.targets)
    blocks = _blocks_of_sorted(targets)
    if blocks is None:
        return {}
    own = blocks[where.row]
    counts = np.maximum(np.bincount(own, minlength=blocks.max() + 1), 1)
    return {
        name: (np.bincount(own, value, minlength=len(counts)) / counts)[blocks]
        for name, value in values.items()
    }


def _blocks_of_sorted(targets: Any, size: int = 10) -> Any:
    """[N] number of the block of alike targets, when a table is sorted by them; else None."""
    codes = np.unique(targets, return_inverse=True)[1]
    steps = np.diff(codes)
    runs = 1 + np.count_nonzero(steps)
    if runs == len(np.unique(codes)) and runs <= len(codes) // size:
        return codes
    if len(codes) > 2 * size and (np.all(steps >= 0) or np.all(steps <= 0)):
        return np.arange(len(codes)) // size
    return None


def mean_loss(
    name: str,
    values: Array,
    where: Entries,
    scale: float,
    context: CaseLosses,
    second: Array | None = None,
    centre: Array | None = None,
) -> MethodMean:
    """The mean loss of a method from its losses [E], with the interval that its design allows, or why there is none."""
    values = without_rounding(values, scale * 1e-3)
    spread = spread_of(values, where, context.design, second, centre)
    if not values.any():
        return MethodMean(name, spread, note=remarks.ALL_ZERO, bound=_bound(where, context.level))
    low, high = spread.interval(context.level)
    note = remarks.of_mean(spread, where, context.design, context.rarest)
    if note.startswith(remarks.NO_INTERVAL):
        return MethodMean(name, spread, note=note)
    if is_binary(values) and values.min() >= 0.0:
        low, high = _with_wilson(low, high, spread, where, context.level)
    return MethodMean(name, spread, low, high, note)


def _with_wilson(
    low: float, high: float, spread: Spread, where: Entries, level: float
) -> tuple[float, float]:
    """The wider of the interval of a mean 0-1 loss and Wilson's (1927), each end on its own, within 0 and 1."""
    count, mean = where.units, spread.mean
    z = float(scipy.special.ndtri(0.5 + level / 2.0))
    middle = (mean + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(mean * (1 - mean) / count + (z / (2 * count)) ** 2)
    return max(0.0, min(low, middle - half)), min(1.0, max(high, middle + half))


def difference(
    one: str,
    other: str,
    gaps: Array,
    where: Entries,
    context: CaseLosses,
    second: Array | None = None,
    centre: Array | None = None,
) -> PairTest:
    """The test of two methods from the differences of their losses [E] that the design allows, or why there is none."""
    spread = spread_of(gaps, where, context.design, second, centre)
    if not gaps.any():
        bound = _bound(where, context.level)
        return PairTest(one, other, spread, remarks.ALIKE, shown=False, bound=bound)
    if spread.dependent:
        return PairTest(one, other, spread, remarks.DEPENDENT, shown=False)
    if remarks.unstable(spread, context.design):
        note = remarks.of_difference(spread, where, context.design, context.rarest)
        return PairTest(one, other, spread, remarks.UNSTABLE, note=note)
    if not spread.error > 0.0:
        return PairTest(one, other, spread, remarks.NO_VARIATION, shown=False)
    note = remarks.of_difference(spread, where, context.design, context.rarest)
    return PairTest(one, other, spread, note=note)


def _infinite(name: str, values: Array, where: Entries, context: CaseLosses) -> MethodMean:
    rows = np.unique(where.row[~np.isfinite(values)])
    shown = [str(row if context.labels is None else context.labels[row]) for row in rows[:5]]
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    note = f"{remarks.NO_INTERVAL}: infinite in rows {', '.join(shown)}{more}"
    return MethodMean(name, _nothing(context.design, float("inf")), note=note)


def _nothing(design: Design, mean: float = float("nan")) -> Spread:
    return Spread(mean, float("nan"), 0.0, design.statistic)


def _bound(where: Entries, level: float) -> float:
    """The rule of three: the upper bound of a share that was 0 among the independent cases (or groups)."""
    return float(1.0 - (1.0 - level) ** (1.0 / where.units))
