"""Methods compared by a loss of whole test sets: scorers, average precision, and the area under the ROC curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess import remarks
from benchbook.assess.case_losses import CaseLosses, Compared
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.delete_groups import LeftOut, left_out_of
from benchbook.assess.designs import Design
from benchbook.assess.remarks import Note
from benchbook.assess.seeds import LEAST_SHARED
from benchbook.assess.spread import FEW, Spread, spread_of_splits

AREA = "auc"
_ROUNDING, _SAME_AREA = 1e-12, 1e-9
_NAN = float("nan")


def compare_splits(
    loss: str,
    part: pl.DataFrame,
    scores: Mapping[str, Sequence[tuple[Any, Any]]] | None,
    context: CaseLosses,
) -> Compared:
    """Means, pairs and notes of one loss.

    Args:
        loss: its name; "auc" is 1 - AUC.
        part: its rows as ``checked_losses.checked_folds`` gives them.
        scores: targets and scores by method and split, for "auc".
        context: the design, and what else is known.
    """
    frames = part.partition_by("method", maintain_order=True)
    if context.design.kind == "seeds":
        return _by_seed(loss, frames, context)
    methods = [frame["method"][0] for frame in frames]
    splits = frames[0]["split"].to_list()
    # cases are independent, and folds are what DeLong's parts are averaged over
    plain = context.design.kind in ("folds", "holdout") and context.design.groups is None
    if loss == AREA and scores and set(methods) <= set(scores) and plain:
        areas = compare_areas(loss, {name: scores[name] for name in methods}, splits, context)
        if areas is not None and _agree(areas, frames):
            return areas
    return _by_split(loss, frames, context)


def _agree(areas: Compared, frames: Sequence[pl.DataFrame]) -> bool:
    """Whether areas from scores are those by split; of weighted cases they are not, which DeLong's error leaves out."""
    values = [frame["value"].to_numpy() for frame in frames]
    return all(
        np.isnan(each).any() or abs(each.mean() - mean.spread.mean) < _SAME_AREA
        for each, mean in zip(values, areas[0], strict=True)
    )


def _by_split(loss: str, frames: Sequence[pl.DataFrame], context: CaseLosses) -> Compared:
    design = context.design
    values = {frame["method"][0]: frame["value"].to_numpy().astype(float) for frame in frames}
    undefined = np.all([np.isnan(value) for value in values.values()], axis=0)
    notes = []
    if undefined.any():
        text = f"{loss} does not exist on {int(undefined.sum())} of {len(undefined)} splits, which are left out."
        notes.append(Note("folds_without", loss, text))
    values = {name: value[~undefined] for name, value in values.items()}
    usable = {name for name, value in values.items() if len(value) and np.isfinite(value).all()}
    left = left_out_of(loss, usable, context.left_out) if design.kind == "holdout" else None
    means = [_mean(name, value, name in usable, context, left) for name, value in values.items()]
    pairs = [
        _pair(pair, other, values[pair] - values[other], context, left)
        if {pair, other} <= usable
        else PairTest(pair, other, _nothing(), "a split without a finite value", shown=False)
        for pair, other in combinations(values, 2)
    ]
    if any(not pair.reason for pair in pairs):
        text = f"{loss} is a loss of whole test sets: its standard error is from the splits alone (corrected t)."
        if left is not None:
            text = f"{loss} is a loss of the whole test set: its standard error is that of the jackknife."
        if design.kind == "disjoint":
            text = f"{loss} is a loss of whole test sets: its standard error is from the training sets alone (t)."
        notes.append(Note("by_fold", loss, text))
    return means, pairs, notes


def _mean(
    name: str, values: NDArray[np.float64], usable: bool, context: CaseLosses, left: LeftOut | None
) -> MethodMean:
    if not usable:
        mean = float(values.mean()) if len(values) else float("nan")
        note = f"{remarks.NO_INTERVAL}: a split without a finite value"
        return MethodMean(name, _nothing(mean), note=note)
    spread = _spread(values, context.design, left, name)
    if context.design.kind == "time":
        return MethodMean(name, spread, note=remarks.SERIES)
    low, high = spread.interval(context.level)
    if not spread.error > 0.0:
        return MethodMean(name, spread, note=f"{remarks.NO_INTERVAL}: {_missing(spread, left)}")
    return MethodMean(name, spread, low, high)


def _pair(
    one: str, other: str, gaps: ArrayLike, context: CaseLosses, left: LeftOut | None = None
) -> PairTest:
    gaps = np.where(np.abs(gaps) <= _ROUNDING, 0.0, gaps)
    spread = _spread(gaps, context.design, left, one, other)
    if spread.error > 0.0:
        return PairTest(one, other, spread)
    return PairTest(one, other, spread, _missing(spread, left), shown=False)


def _spread(
    values: NDArray[np.float64], design: Design, left: LeftOut | None, *methods: str
) -> Spread:
    """By the splits, or of one test set by leaving out groups of its cases."""
    if left is None:
        return spread_of_splits(values, design)
    error, df = (_NAN, 0.0) if left.refusal else left.error(*methods)
    return Spread(float(values.mean()), error, df, "delete-group jackknife")


def spread_over_seeds(one: Array, other: Array | None, design: Design) -> Spread:
    """The mean of one loss a seed [S], or the difference of two such means: Welch's t, or paired by shared seeds."""
    if other is not None and design.runs == "shared" and len(one) >= LEAST_SHARED:
        one, other = one - other, None
    samples = [one] if other is None else [one, other]
    mean = float(one.mean()) - (0.0 if other is None else float(other.mean()))
    if min(len(sample) for sample in samples) < 2:
        return Spread(mean, float("nan"), 0.0, design.statistic)
    squares = np.array([sample.var(ddof=1) / len(sample) for sample in samples])
    free = np.array([len(sample) - 1 for sample in samples])
    total = float(squares.sum())
    df = total**2 / float((squares**2 / free).sum()) if total > 0.0 else float(free.min())
    return Spread(mean, float(np.sqrt(total)), df, design.statistic)


def _by_seed(loss: str, frames: Sequence[pl.DataFrame], context: CaseLosses) -> Compared:
    """Of fits that differ by their seeds."""
    design = context.design
    values = {frame["method"][0]: frame["value"].to_numpy().astype(float) for frame in frames}
    means = []
    for name, value in values.items():
        spread = spread_over_seeds(value, None, design)
        note = "" if spread.error > 0.0 else f"{remarks.NO_INTERVAL}: {_missing_seed(spread)}"
        means.append(MethodMean(name, spread, *spread.interval(context.level), note))
    pairs = []
    for one, other in combinations(values, 2):
        spread = spread_over_seeds(values[one], values[other], design)
        reason = "" if spread.error > 0.0 else f"{_missing_seed(spread)}: no test"
        pairs.append(PairTest(one, other, spread, reason, shown=not reason))
    text = "Seeds are the sample: other test cases are not covered; give losses by case for that."
    return means, pairs, [Note("one_test_set", loss, text)]


def _missing_seed(spread: Spread) -> str:
    return "the same with every seed" if spread.error == 0.0 else "one seed"


def _missing(spread: Spread, left: LeftOut | None) -> str:
    if left is not None:
        return left.refusal or "the same without any group of cases: no test"
    return remarks.ONE_SET if spread.statistic == "none" else "the same on every split: no test"


def compare_areas(
    loss: str,
    scores: Mapping[str, Sequence[tuple[Any, Any]]],
    splits: Sequence[int],
    context: CaseLosses,
) -> Compared | None:
    """By DeLong's parts within folds; None when a score is no number, or no fold of a repeat has both classes."""
    size = context.design.k if context.design.kind == "folds" else 1
    parts: dict[str, list[AreaParts]] = {}
    for name, folds in scores.items():
        if len(folds) != len(splits) or not all(np.isfinite(fold[1]).all() for fold in folds):
            return None
        repeats = [area_parts(folds[at : at + size]) for at in range(0, len(folds), size)]
        parts[name] = [repeat for repeat in repeats if repeat is not None]
        if not parts[name] or len(parts[name]) < len(repeats):
            return None
    means = [_area(name, part, context) for name, part in parts.items()]
    pairs = [_areas(pair, other, parts, context) for pair, other in combinations(parts, 2)]
    first = next(iter(parts.values()))[0]
    few = min(len(first.positives), len(first.negatives))
    notes = []
    if few < FEW:
        text = f"The rarer class has {few} cases: with fewer than {FEW}, intervals of AUC may cover too rarely."
        notes.append(Note("few_positives", loss, text))
    return means, pairs, notes


def _area(name: str, repeats: Sequence[AreaParts], context: CaseLosses) -> MethodMean:
    area, error, df = area_error(repeats)
    low, high = logit_interval(area, error, df, context.level)
    note = ""
    if low != low:
        note = f"{remarks.NO_INTERVAL}: an AUC of 0 or 1, or too few cases of a class"
    elif not error > 0.0:
        low, high, note = _NAN, _NAN, f"{remarks.NO_INTERVAL}: all cases have the same score"
    return MethodMean(name, Spread(1.0 - area, error, df, "DeLong"), 1.0 - high, 1.0 - low, note)


def _areas(
    one: str, other: str, parts: Mapping[str, Sequence[AreaParts]], context: CaseLosses
) -> PairTest:
    """1 - AUC of one method minus that of the other."""
    both = zip(parts[other], parts[one], strict=True)
    difference, error, df = area_error([second.minus(first) for second, first in both])
    spread = Spread(difference, error, df, "DeLong")
    if error > 0.0 and df >= 1.0:
        return PairTest(one, other, spread)
    reason = "the same order of all cases, or too few of a class: no test"
    return PairTest(one, other, spread, reason, shown=False)


def _nothing(mean: float = float("nan")) -> Spread:
    return Spread(mean, float("nan"), 0.0, "none")


Array = NDArray[np.float64]
Fold = tuple[Any, Any]
"""Targets (1 for the positive class, else 0) and scores of a fold."""


@dataclass(frozen=True)
class AreaParts:
    """One repeat: AUC, and the parts U [n1] and V [n0]; difference of two methods' are those of their difference."""

    area: float
    positives: Array
    negatives: Array

    @property
    def variance(self) -> float:
        """SE²; nan with fewer than two positives or negatives."""
        if min(len(self.positives), len(self.negatives)) < 2:
            return float("nan")
        return float(
            self.positives.var(ddof=1) / len(self.positives)
            + self.negatives.var(ddof=1) / len(self.negatives)
        )

    def minus(self, other: AreaParts) -> AreaParts:
        """The parts of a difference of areas on the same cases."""
        return AreaParts(
            self.area - other.area,
            self.positives - other.positives,
            self.negatives - other.negatives,
        )


def area_parts(folds: Sequence[Fold]) -> AreaParts | None:
    """AUC and its parts from the folds of one repeat; None when no fold has both classes."""
    areas, above, below = [], [], []
    for targets, scores in folds:
        positive = np.asarray(targets) == 1
        if not 0 < positive.sum() < len(positive):
            continue
        first, second = _placements(np.asarray(scores, dtype=float), positive)
        areas.append(first.mean())
        above.append(first)
        below.append(second)
    if not areas:
        return None
    return AreaParts(float(np.mean(areas)), np.concatenate(above), np.concatenate(below))


def _placements(scores: Array, positive: NDArray[np.bool_]) -> tuple[Array, Array]:
    """U of the positives and V of the negatives: for each, the share of the others that it is right of; n log n."""
    if np.isnan(scores).any():
        return np.full(positive.sum(), np.nan), np.full((~positive).sum(), np.nan)
    ups, downs = scores[positive], scores[~positive]
    return _shares_below(ups, downs), 1.0 - _shares_below(downs, ups)


def _shares_below(scores: Array, others: Array) -> Array:
    """The share of the others that lie below each score, ties by halves."""
    ordered = np.sort(others)
    below, up_to = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return (below + up_to) / (2.0 * len(others))


def area_error(repeats: Sequence[AreaParts]) -> tuple[float, float, float]:
    """AUC (or a difference), its standard error, and degrees of freedom, from one or more repeats."""
    area = float(np.mean([part.area for part in repeats]))
    error = float(np.sqrt(np.mean([part.variance for part in repeats])))
    df = min(min(len(part.positives), len(part.negatives)) for part in repeats) - 1
    return area, error, float(df)


def logit_interval(area: float, error: float, df: float, level: float) -> tuple[float, float]:
    """The interval of an AUC on the logit scale; that of an area of 0 or 1, or without an error, is nan."""
    if not 0.0 < area < 1.0 or not error >= 0.0 or df < 1.0:
        return float("nan"), float("nan")
    half = float(scipy.special.stdtrit(df, 0.5 + level / 2.0)) * error / (area * (1.0 - area))
    centre = np.log(area / (1.0 - area))
    low, high = scipy.special.expit(centre - half), scipy.special.expit(centre + half)
    return float(low), float(high)
