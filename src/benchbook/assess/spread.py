"""One quantity, a mean loss or a difference of two, with the standard error that its design asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.assess.designs import Design
from benchbook.assess.overlapping import (
    Array,
    Entries,
    casewise_error,
    corrected_error,
    estimate,
    jackknife_error,
    neighbour_correlation,
    split_means,
    top_share,
)
from benchbook.errors import Fault, FaultyInput

RATIO = 3.0
"""Standard error over the case-wise one above which training sets differ too much for the corrected t test."""
TOP_SHARE = 0.4
"""Share of the variance that the top 2 % of cases may have before an interval is called approximate."""
FEW = 20
"""Cases that differ in a 0-1 loss below which a t test is called approximate; the same for positives of an AUC."""
_LEAST_NEIGHBOURS = 20
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Spread:
    """A quantity with its standard error.

    Attributes:
        mean: the estimate. error: its standard error; nan when there is none. df: degrees of freedom of its t.
        statistic: "corrected t", "jackknife", "paired t over cases", ... ratio: the standard error before it was
            raised to the case-wise one, over that one.
        top: share of the case-wise variance due to the top 2 % of cases; nan for a 0-1 loss.
        dependent: whether neighbouring rows are more alike than chance allows.
        few: whether so few cases of a 0-1 loss are not zero that t is a poor approximation.
    """

    mean: float
    error: float
    df: float
    statistic: str
    ratio: float = float("nan")
    top: float = float("nan")
    dependent: bool = False
    few: bool = False

    @property
    def p(self) -> float:
        """Two-sided, of the hypothesis that the quantity is 0; nan without a standard error."""
        if not self.error > 0.0:
            return float("nan")
        return float(2.0 * scipy.special.stdtr(self.df, -abs(self.mean) / self.error))

    def interval(self, level: float) -> tuple[float, float]:
        """The interval that covers with probability ``level``; nan without a standard error."""
        if not self.df >= 1.0:
            return float("nan"), float("nan")
        half = float(scipy.special.stdtrit(self.df, 0.5 + level / 2.0)) * self.error
        return self.mean - half, self.mean + half

    def probabilities(self, rope: float) -> tuple[float, float, float]:
        """P(d > rope), P(|d| <= rope) and P(d < -rope): the same t, read as a distribution of d.

        Source: Corani and Benavoli (2015), the Bayesian correlated t test.
        """
        if not self.error > 0.0:
            return (float("nan"),) * 3
        below = float(scipy.special.stdtr(self.df, (-rope - self.mean) / self.error))
        above = float(scipy.special.stdtr(self.df, (self.mean - rope) / self.error))
        return above, max(0.0, 1.0 - above - below), below


def spread_of(
    values: Array,
    where: Entries,
    design: Design,
    second: Array | None = None,
    centre: Array | None = None,
) -> Spread:
    """The quantity with losses ``values`` [E].

    Args:
        values: losses, or differences of losses, of the entries.
        where: the entries.
        design: how they came about; folds, groups, time, splits, partitions or holdout.
        second: [R, k, k], for the jackknife; see ``overlapping.jackknife_error``.
        centre: [N] by row, what the order of the table explains of the losses.

    Raises:
        FaultyInput: a design without such a standard error; the jackknife without its second fits.
    """
    mean, casewise = estimate(values, where), casewise_error(values, where)
    error, df = _of_training_sets(values, where, design, second)
    binary = is_binary(values)
    ratio = error / casewise if casewise > 0.0 else float("nan")
    return Spread(
        mean,
        float(np.fmax(error, casewise)),
        df,
        design.statistic,
        ratio,
        float("nan") if binary else top_share(values, where),
        design.kind in ("folds", "splits", "holdout")
        and not where.grouped
        and _dependent(values, where, centre),
        binary and 0 < len(np.unique(where.unit[values != 0.0])) < FEW,
    )


def spread_of_splits(means: Array, design: Design) -> Spread:
    """A quantity of which only one number a split [n] is known: the loss of a whole test set."""
    count = len(means)
    if design.kind in ("holdout", "common") or count < 2:
        return Spread(float(means.mean()), float("nan"), 0.0, "none")
    independent = design.kind == "disjoint"
    error = corrected_error(means, None, 0.0 if independent else design.test_to_train)
    df = float(count - 1) if independent else min(design.df, float(count - 1))
    return Spread(float(means.mean()), float(error), df, "t" if independent else "corrected t")


def is_binary(values: Array) -> bool:
    """Whether values are those of a 0-1 loss, or differences of two such."""
    size = np.abs(values)
    return bool(((size == 0.0) | (size == 1.0)).all())


def without_rounding(values: Array, scale: float) -> Array:
    """Losses or differences [E] with those at rounding level of ``scale`` set to zero."""
    return np.where(np.abs(values) <= _ROUNDING * scale, 0.0, values)


def _of_training_sets(
    values: Array, where: Entries, design: Design, second: Array | None
) -> tuple[float, float]:
    """The standard error that sees training sets differ (that of the cases for a holdout), with its df."""
    design.require(design.statistic)
    units = float(where.units - 1)
    if design.kind == "holdout":
        return casewise_error(values, where), units
    if design.statistic == "jackknife":
        if second is None:
            rule = "effort 'cautious' needs the losses of the fits without each pair of folds"
            raise FaultyInput("jackknife", [Fault("second", "nothing", rule)])
        return float(jackknife_error(second)), min(units, float(design.repeats * (design.k - 1)))
    means = split_means(values, where)
    error = corrected_error(means, where.split_share, design.test_to_train)
    return float(error), min(design.df, units)


def _dependent(values: Array, where: Entries, centre: Array | None) -> bool:
    correlation, pairs = neighbour_correlation(values, where, centre)
    return pairs >= _LEAST_NEIGHBOURS and correlation > 1.96 / np.sqrt(pairs)
