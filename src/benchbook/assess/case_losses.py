"""Methods compared by a loss of single cases, where training sets overlap or there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import ArrayLike

from benchbook.assess import remarks
from benchbook.assess.checked_losses import by_name
from benchbook.assess.clusters import Array
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.designs import Design
from benchbook.assess.overlapping import Entries, LossSums, entries, loss_sums
from benchbook.assess.picking import optimism
from benchbook.assess.remarks import Note
from benchbook.assess.seeds import SeedLosses, of_pair
from benchbook.assess.spread import Spread, spread_of, with_half_a_case
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import group_labels

_NAN = float("nan")
_MANY = 200
_PICKED = ("folds", "groups", "splits", "time", "holdout")


@dataclass(frozen=True)
class CaseLosses:
    """What a comparison has besides its losses; see ``by_design``."""

    design: Design
    second: pl.DataFrame | None = None
    level: float = 0.95
    groups: ArrayLike | None = None
    labels: Any = None
    targets: ArrayLike | None = None
    baseline: str = "constant guess"
    left_out: pl.DataFrame | None = None

    @cached_property
    def rarest(self) -> float:
        """The share of the rarest class, when targets are classes (whole numbers, text); 1 for numbers, and when that
        class is not rare: with ``_MANY`` cases or more, or of K classes a fifth of 1/K (of two, a tenth)."""
        if self.targets is None or np.asarray(self.targets).dtype.kind == "f":
            return 1.0
        counts = np.unique(np.asarray(self.targets), return_counts=True)[1]
        share = float(counts.min() / counts.sum())
        return share if counts.min() < _MANY and share < 2.0 * remarks.RARE / len(counts) else 1.0


Compared = tuple[list[MethodMean], list[PairTest], list[Note]]


@dataclass(frozen=True)
class Aligned:
    """The losses of all methods on the same entries.

    Attributes:
        values: [E] by method; of crossed seeds [n], the means over seeds. where: the entries.
        seeds: of crossed seeds, by method.
    """

    values: dict[str, Array]
    where: Entries
    seeds: dict[str, SeedLosses] = field(default_factory=dict)


def compare_cases(loss: str, losses: Aligned, context: CaseLosses) -> Compared:
    """Means, pairs and notes of one loss.

    Args:
        loss: its name. losses: of all methods.
        context: the design, and what else is known.
    """
    values, where, seeds = losses.values, losses.where, losses.seeds
    second = _second(loss, list(values), context)
    infinite = {name: value for name, value in values.items() if not np.isfinite(value).all()}
    finite = {name: value for name, value in values.items() if name not in infinite}
    scale = _scale(finite, context.baseline)
    sums = {name: loss_sums(value, where) for name, value in finite.items()}
    sizes = {name: float(np.abs(value).mean()) for name, value in finite.items()}
    means = [
        mean_loss(
            name,
            item,
            where,
            scale,
            context,
            (seeds[name],) if seeds else second.get(name),
        )
        for name, item in sums.items()
    ]
    means += [_infinite(name, item, where, context) for name, item in infinite.items()]
    pairs = []
    for pair, other in combinations(values, 2):
        bad = [name for name in (pair, other) if name in infinite]
        if bad:
            reason = f"{' and '.join(bad)}: infinite losses"
            pairs.append(PairTest(pair, other, _nothing(context.design), reason, shown=False))
            continue
        twice: Any = second[pair] - second[other] if second else None
        if seeds:
            twice = of_pair(seeds[pair], seeds[other], context.design)
        own = max(sizes[pair], sizes[other], scale * 1e-3)
        gaps = sums[pair].minus(sums[other]).without_rounding(own, where)
        pairs.append(difference(pair, other, gaps, where, context, twice))
    notes = remarks.of_cases(loss, means, pairs, where, context.design, context.rarest)
    if sums and context.design.kind in _PICKED:
        parts = np.stack([item.units for item in sums.values()], axis=1)
        notes += remarks.of_picking(loss, means, optimism(parts, where.clusters.share))
    counts = {name: item.count for name, item in seeds.items()}
    return means, pairs, notes + remarks.of_seeds(loss, counts, context.design)


def without_tests(compared: Compared, loss: str) -> Compared:
    """What is left of one loss when rows depend on their neighbours: estimates, and why there is no interval."""
    means, pairs, notes = compared
    return (
        [
            mean
            if mean.note == remarks.ALL_ZERO
            else replace(mean, low=_NAN, high=_NAN, note=remarks.DEPENDENT_MEAN)
            for mean in means
        ],
        [
            pair
            if pair.reason == remarks.ALIKE
            else replace(pair, reason=remarks.DEPENDENT, shown=False, note="")
            for pair in pairs
        ],
        [remarks.dependent_rows(loss), *(note for note in notes if note.code in remarks.FACTS)],
    )


def aligned(part: pl.DataFrame, context: CaseLosses) -> Aligned:
    """The rows of one loss, as ``checked_losses.checked`` gives them, by method."""
    frames = by_name(part, "method")
    first = next(iter(frames.values()))
    if context.design.kind != "crossed":
        where = _entries_of(first, context)
        return Aligned({name: frame["value"].to_numpy() for name, frame in frames.items()}, where)
    where = _entries_of(first.filter(pl.col("split") == first["split"][0]), context)
    seeds = {
        name: SeedLosses(frame["value"].to_numpy().reshape(-1, len(where.row)), where.share)
        for name, frame in frames.items()
    }
    return Aligned({name: each.losses.mean(axis=0) for name, each in seeds.items()}, where, seeds)


def _entries_of(frame: pl.DataFrame, context: CaseLosses) -> Entries:
    row = frame["row"].to_numpy()
    group = None
    if context.groups is not None:
        given = np.asarray(context.groups)
        group = group_labels(given, len(given))[1][row]
    weight = frame["weight"].to_numpy() if "weight" in frame.columns else None
    return entries(frame["split"].to_numpy(), row, weight, group)


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


def _scale(values: Mapping[str, Array], baseline: str) -> float:
    """The mean loss of the baseline: what a loss or difference has to be small against to be rounding alone."""
    return float(np.abs(values[baseline]).mean()) if baseline in values else 0.0


def mean_loss(
    name: str,
    sums: LossSums,
    where: Entries,
    scale: float,
    context: CaseLosses,
    second: Any = None,
) -> MethodMean:
    """The mean loss of a method, with the interval that its design allows, or why there is none."""
    sums = sums.without_rounding(scale * 1e-3, where)
    spread = spread_of(sums, where, context.design, second)
    if not sums.any():
        return MethodMean(name, spread, note=remarks.ALL_ZERO, bound=_bound(where, context.level))
    low, high = spread.interval(context.level)
    note = remarks.of_mean(spread, where, context.design, context.rarest)
    if note.startswith(remarks.NO_INTERVAL):
        return MethodMean(name, spread, note=note)
    if sums.codes is not None and sums.codes.min() >= 0:
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
    gaps: LossSums,
    where: Entries,
    context: CaseLosses,
    second: Any = None,
) -> PairTest:
    """The test of two methods from the difference of their losses that the design allows, or why there is none."""
    spread = spread_of(gaps, where, context.design, second)
    if gaps.codes is not None and where.alike and context.design.kind == "holdout":
        spread = with_half_a_case(spread, gaps)
    if not gaps.any():
        bound = _bound(where, context.level)
        return PairTest(one, other, spread, remarks.ALIKE, shown=False, bound=bound)
    if refusal := remarks.refusal(where, context.design):
        return PairTest(one, other, spread, refusal, shown=False)
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
