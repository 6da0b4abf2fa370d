"""One quantity, a mean loss or a difference of two, with the standard error that its design asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.assess.clusters import Array
from benchbook.assess.designs import Design
from benchbook.assess.overlapping import (
    Entries,
    LossSums,
    corrected_error,
    jackknife_error,
    tails,
)
from benchbook.assess.seeds import error_with_seeds
from benchbook.assess.series import series_error
from benchbook.errors import Fault, FaultyInput

RATIO = 3.0
"""Standard error over the case-wise one above which training sets differ too much for the corrected t test."""
SKEWNESS = 0.25
"""Skewness of the cases over the root of their number above which an interval is called approximate.

Our choice, from 13 distributions with 40 to 1,000 cases (``benchmarks/battery/README.md``): of squared normal errors it
is found in 65 % of datasets with 60 cases, where t covers 93 %, in 22 % with 150 and never with 1,000; of squared t
errors on 3 degrees of freedom, where t covers 65 to 76 %, in 86 % or more. The share of the top 2 % of cases, above .4,
is found in 59 % of datasets with 1,000 squared normal errors.
"""
FEW = 20
"""Cases that differ in a 0-1 loss below which a t test is called approximate; the same for positives of an AUC."""


@dataclass(frozen=True)
class Spread:
    """A quantity with its standard error.

    Attributes:
        mean: the estimate. error: its standard error; nan when there is none. df: degrees of freedom of its t.
        statistic: "corrected t", "jackknife", "paired t over cases", ... ratio: the standard error before it was
            raised to the case-wise one, over that one.
        top: share of the case-wise variance due to the top 2 % of cases (or the top one); nan for a 0-1 loss.
        skew: skewness of the cases over the root of their number; nan for a 0-1 loss.
        few: whether so few cases of a 0-1 loss are not zero that t is a poor approximation.
        shrink: of differences of 0-1 losses; the t is around ``shrink`` times the mean. See ``with_half_a_case``.
        counts: of differences of 0-1 losses, cases above 0, below 0, and all.
        warning: why the interval is approximate, where its own statistic can tell.
    """

    mean: float
    error: float
    df: float
    statistic: str
    ratio: float = float("nan")
    top: float = float("nan")
    skew: float = float("nan")
    few: bool = False
    shrink: float = 1.0
    counts: tuple[int, int, int] | None = None
    warning: str = ""

    def __neg__(self) -> Spread:
        counts = self.counts and (self.counts[1], self.counts[0], self.counts[2])
        return replace(self, mean=-self.mean, counts=counts)

    @property
    def p(self) -> float:
        """Two-sided, of the hypothesis that the quantity is 0; nan without a standard error."""
        if not self.error > 0.0:
            return float("nan")
        return float(2.0 * scipy.special.stdtr(self.df, -abs(self.shrink * self.mean) / self.error))

    def interval(self, level: float) -> tuple[float, float]:
        """The interval that covers with probability ``level``; nan without a standard error."""
        if not self.df >= 1.0:
            return float("nan"), float("nan")
        half = float(scipy.special.stdtrit(self.df, 0.5 + level / 2.0)) * self.error
        return self.shrink * self.mean - half, self.shrink * self.mean + half

    def probabilities(self, rope: float) -> tuple[float, float, float]:
        """P(d > rope), P(|d| <= rope) and P(d < -rope): the same t, read as a distribution of d; of differences of 0-1
        losses Tango's score, for at a margin the t errs up to three times as often as it should.

        Source: Corani and Benavoli (2015), the Bayesian correlated t test; Tango (1998), equation 12.
        """
        if not self.error > 0.0:
            return (float("nan"),) * 3
        if self.counts is not None:
            larger, smaller, cases = self.counts
            above = tango_probability(larger, smaller, cases, rope)
            below = tango_probability(smaller, larger, cases, rope)
            return above, max(0.0, 1.0 - above - below), below
        below = float(scipy.special.stdtr(self.df, (-rope - self.shrink * self.mean) / self.error))
        above = float(scipy.special.stdtr(self.df, (self.shrink * self.mean - rope) / self.error))
        return above, max(0.0, 1.0 - above - below), below


def tango_probability(larger: int, smaller: int, cases: int, margin: float) -> float:
    r"""P(d > margin) of a difference d of two shares in the same cases, by the score: the p-value of d >= margin.

        z = (b - c - nδ) / sqrt(n (2q + δ(1 - δ))),   q = (sqrt(B² + 8n cδ(1 - δ)) - B) / (4n),
        B = (2n - b + c) δ - b - c

    Args:
        larger: b, cases in which the first share has a 1 alone. smaller: c, the second. cases: n.
        margin: δ, from 0.

    Source: Tango (1998), equations 9 to 12, "Equivalence test and confidence interval for the difference in proportions
    for the paired-sample design".
    """
    slope = (2 * cases - larger + smaller) * margin - larger - smaller
    product = margin * (1.0 - margin)
    q = (np.sqrt(slope**2 + 8.0 * cases * smaller * product) - slope) / (4.0 * cases)
    error = np.sqrt(cases * (2.0 * q + product))
    return float(scipy.special.ndtr((larger - smaller - cases * margin) / error))


def with_half_a_case(spread: Spread, sums: LossSums) -> Spread:
    r"""A difference of 0-1 losses with half a case added that differs each way: the t then rejects as McNemar's mid-p.

        p₁ = (b + ½)/(n + 1),   p₂ = (c + ½)/(n + 1),   SE² = (p₁ + p₂ - (p₁ - p₂)²)/(n + 1),   around p₁ - p₂

    Args:
        spread: by the paired t. sums: of n cases that count alike, b above and c below 0.

    Source: ours. By enumeration its size is at most .049 where that of the paired t is .05 to .09 and that of McNemar's
    exact test .03; Agresti and Min (2005) add as much to all four cells.
    """
    assert sums.codes is not None
    cases, larger = len(sums.codes), int((sums.codes > 0).sum())
    smaller = int((sums.codes < 0).sum())
    one, two = (larger + 0.5) / (cases + 1), (smaller + 0.5) / (cases + 1)
    error = float(np.sqrt((one + two - (one - two) ** 2) / (cases + 1)))
    return replace(
        spread,
        error=error,
        statistic=f"{spread.statistic} (+½)",
        shrink=cases / (cases + 1),
        counts=(larger, smaller, cases),
    )


def spread_of(
    sums: LossSums,
    where: Entries,
    design: Design,
    second: ArrayLike | None = None,
) -> Spread:
    """The quantity with these losses, or differences of losses.

    Args:
        sums: of the losses of the entries.
        where: the entries.
        design: how they came about.
        second: [R, k, k], for the jackknife; see ``overlapping.jackknife_error``. Of seeds, ``seeds.of_pair``'s.

    Raises:
        FaultyInput: a design without such a standard error; the jackknife without its second fits.
    """
    if design.kind == "series":
        error, df, warning = series_error(sums.cases)
        return Spread(sums.mean(where), error, df, design.statistic, warning=warning)
    centred = sums.centred(where)
    casewise = float(where.clusters.error(centred))
    statistic, error, df = _of_training_sets(sums, where, design, casewise, second)
    ratio = error / casewise if casewise > 0.0 else float("nan")
    if design.kind == "groups" and statistic == "corrected t":
        error, df = casewise * np.sqrt(1.0 + design.k * design.test_to_train), where.clusters.df
    binary = sums.codes is not None
    plain = binary or design.kind == "datasets"
    top, skew = (float("nan"), float("nan")) if plain else tails(centred)
    return Spread(
        sums.mean(where),
        float(np.fmax(error, casewise)),
        df,
        statistic,
        ratio,
        top,
        skew,
        binary and design.kind != "datasets" and _few_differ(sums, where),
    )


def _few_differ(sums: LossSums, where: Entries) -> bool:
    differ = np.zeros(where.units, dtype=np.bool_)
    differ[where.unit[sums.codes != 0]] = True
    known = where.grouped and where.units < FEW  # all are few, which degrees of freedom say
    return not known and 0 < int(differ.sum()) < FEW


def spread_of_splits(means: Array, design: Design) -> Spread:
    """A quantity of which only one number a split [n] is known: the loss of a whole test set."""
    count = len(means)
    if design.kind in ("holdout", "common") or count < 2:
        return Spread(float(means.mean()), float("nan"), 0.0, "none")
    independent = design.kind == "disjoint"
    error = corrected_error(means, None, 0.0 if independent else design.test_to_train)
    df = float(count - 1) if independent else min(design.df, float(count - 1))
    return Spread(float(means.mean()), float(error), df, "t" if independent else "corrected t")


def _of_training_sets(
    sums: LossSums, where: Entries, design: Design, casewise: float, second: Any
) -> tuple[str, float, float]:
    """The statistic, its standard error that sees training sets differ (that of the cases of one test set), and df."""
    design.require(design.statistic)
    units = float(where.units - 1)
    if design.kind in ("holdout", "datasets"):
        name = "clustered t" if where.grouped else design.statistic
        return name, casewise, where.clusters.df
    if design.kind == "crossed":
        return design.statistic, *error_with_seeds(casewise, where.clusters.df, second)
    if design.statistic == "jackknife":
        if second is None:
            rule = "effort 'cautious' needs the losses of the fits without each pair of folds"
            raise FaultyInput("jackknife", [Fault("second", "nothing", rule)])
        units = where.clusters.df if where.grouped else units
        df = min(units, float(design.repeats * (design.k - 1)))
        return design.statistic, float(jackknife_error(second)), df
    error = corrected_error(sums.splits, where.split_share, design.test_to_train)
    return design.statistic, float(error), min(design.df, units)
