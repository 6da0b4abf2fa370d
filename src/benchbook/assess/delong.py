r"""The area under the ROC curve with a standard error: DeLong's, within folds.

For the positives i and the negatives j of one fold, ψ_ij = 1 when the score of i is above that of j, 1/2 for a tie.
U_i is the mean of ψ_ij over the negatives of the fold of i, V_j that over the positives of the fold of j. With n1
positives and n0 negatives in folds that have both,

    AUC = mean over folds of the mean ψ,      SE² = s²(U)/n1 + s²(V)/n0.

Scores of different fits are never compared with one another. Of several repeats, AUC and SE² are averaged: no repeat
makes the test cases more. Intervals are on the logit scale with t(min(n1, n0) - 1).

Source: DeLong, DeLong and Clarke-Pearson (1988), equations 5 and 6; within folds, the scale and the degrees of freedom
are from our simulations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

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
    """U of the positives and V of the negatives, by ranks: n log n."""
    ranks = scipy.stats.rankdata(scores)
    ups, downs = scores[positive], scores[~positive]
    first = (ranks[positive] - scipy.stats.rankdata(ups)) / len(downs)
    second = 1.0 - (ranks[~positive] - scipy.stats.rankdata(downs)) / len(ups)
    return first, second


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
