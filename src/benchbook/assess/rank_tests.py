"""Tests on ranks, which papers ask for: Friedman's with Nemenyi's, and Wilcoxon's of every pair, with what they assume.

They answer another question than an expected loss does. A method that is a little better in most blocks and far worse
in a few has the better ranks and the larger expected loss, and both statements can be significant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import polars as pl
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.anova.squares import Array
from benchbook.assess.multiplicity import holm
from benchbook.errors import Fault, FaultyInput
from benchbook.statistics import difference, level

_EXACT = 50

ASSUMES = {
    "data sets": "The blocks are data sets, one mean loss of each: they are taken as independent draws of the data "
    "sets that one cares about. That is so at best when they were chosen before any method was run; two "
    "tasks of one data set are not independent. Nothing is said about any one data set.",
    "training sets": "The blocks are disjoint training sets, each with test cases of its own: they are independent, as "
    "far as the table is a random sample. Wilcoxon's test takes the differences as symmetric.",
    "training sets, common tests": "The blocks are disjoint training sets that were all tested on the same cases, so "
    "the luck of these cases is the same in all of them and is not counted: these p "
    "values hold for these test cases alone, and are too small for new ones.",
    "splits": "The blocks are splits of one table whose training sets overlap, so they are not independent: these p "
    "values are too small, the more so the more splits. The corrected resampled t test allows for that.",
}
"""What each kind of block is taken for, in words."""


@dataclass(frozen=True, eq=False)
class RankTests:
    """Rank tests of M methods on B blocks; smaller losses have smaller ranks, equal ones share their mean rank.

    Attributes:
        blocks: B.
        mean_rank: [M].
        chi_square, statistic: Friedman's, and Iman and Davenport's F of it on M-1 and (M-1)(B-1) degrees of freedom;
            None when all methods are equal in all blocks, or where the ranks are the same in every block (F).
        p: of F; of the chi square where there is no F; None without both.
        critical_difference: of mean ranks, by Nemenyi's test at level 0.05.
        nemenyi, wilcoxon: [M, M], two-sided p values of the pairs; nan where undefined. Nemenyi's allow for the number
            of pairs, Wilcoxon's do not.
    """

    blocks: int
    mean_rank: Array
    chi_square: float | None
    statistic: float | None
    p: float | None
    critical_difference: float
    nemenyi: Array
    wilcoxon: Array


def rank_tests(losses: ArrayLike) -> RankTests:
    """Friedman's test, Nemenyi's after it, and Wilcoxon's signed ranks of every pair.

    Example:
        >>> from benchbook import assess
        >>> rng = np.random.default_rng(1)
        >>> losses = rng.normal([1.0, 1.2, 1.3], 0.2, (20, 3))  # 20 data sets, 3 methods
        >>> tests = assess.rank_tests(losses)
        >>> tests.mean_rank, tests.p < 0.01
        (array([1.35, 1.85, 2.8 ]), True)

    Args:
        losses: [B, M], the mean loss of every method in every block; an infinite one is the worst.

    Raises:
        FaultyInput: fewer than two blocks or methods, or a loss that is not a number.

    Losses of a block that differ by rounding alone are equal.

    Source: Demsar (2006), sections 3.1.3, 3.2.2 and 3.2.3; Iman and Davenport (1980); Wilcoxon (1945).
    """
    values = np.asarray(losses, dtype=float)
    if values.ndim != 2 or min(values.shape) < 2 or np.isnan(values).any():
        actual = f"shape {values.shape}" + (
            ", with losses that are not numbers" if np.isnan(values).any() else ""
        )
        raise FaultyInput(
            "rank tests",
            [Fault("losses", actual, "[blocks, methods], two of each at least, no nan")],
        )
    values = level(values)
    blocks, methods = values.shape
    ranks = scipy.stats.rankdata(values, axis=1)
    mean = ranks.mean(axis=0)
    chi, statistic, p = _friedman(ranks)
    unit = np.sqrt(methods * (methods + 1) / (6.0 * blocks))
    gaps = np.abs(mean[:, None] - mean[None, :]) / unit
    return RankTests(
        blocks,
        mean,
        chi,
        statistic,
        p,
        float(_critical_range(methods) * unit),
        range_survival(gaps, methods),
        _wilcoxon(values),
    )


def range_survival(gaps: ArrayLike, count: int) -> Array:
    r"""Chance that ``count`` standard Normal numbers differ by more than √2 times a gap, for gaps of any shape.

        P(range <= q) = k ∫ φ(z) (Φ(z) - Φ(z - q))^(k-1) dz,   z the largest of k

    The integrand and its derivatives vanish at both ends, so that equal steps are exact to about 1e-13.
    """
    q = np.sqrt(2.0) * np.asarray(gaps, dtype=float)[..., None]
    z = np.linspace(-9.0, 9.0, 721)
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    below = (density * (scipy.special.ndtr(z) - scipy.special.ndtr(z - q)) ** (count - 1)).sum(
        axis=-1
    ) * (z[1] - z[0])
    return np.clip(1.0 - count * below, 0.0, 1.0)


@lru_cache(maxsize=64)
def _critical_range(count: int, level: float = 0.05) -> float:
    """The gap that ``range_survival`` gives the level."""
    return float(
        scipy.optimize.brentq(
            lambda gap: float(range_survival(gap, count)) - level, 0.0, 20.0, xtol=1e-10
        )
    )


def rank_table(means: pl.DataFrame, against: str | None = None) -> pl.DataFrame:
    """Rank tests of the methods of a long table, every method against one.

    Args:
        means: method, block, mean; every method has every block once.
        against: a method; the best by mean rank when left out.

    Returns:
        A line for each method, the best mean rank first: method, mean_rank, blocks, against, nemenyi, wilcoxon, holm
        (of Wilcoxon's p over all pairs), friedman (p of all methods together), critical_difference.

    Raises:
        FaultyInput: as ``rank_tests``, and for a method that lacks a block.
    """
    wide = means.pivot("method", index="block", values="mean").sort("block")
    names = [name for name in wide.columns if name != "block"]
    if lacking := [name for name in names if wide[name].null_count()]:
        raise FaultyInput(
            "rank tests",
            [
                Fault(f"method {name}", "no loss in some blocks", "one in every block")
                for name in lacking
            ],
        )
    result = rank_tests(wide.select(names).to_numpy())
    order = sorted(range(len(names)), key=lambda place: (result.mean_rank[place], names[place]))
    reference = names.index(against) if against in names else order[0]
    adjusted = _over_pairs(result.wilcoxon)
    rows = [
        {
            "method": names[index],
            "mean_rank": float(result.mean_rank[index]),
            "blocks": result.blocks,
            "against": names[reference],
            **{
                name: None if index == reference else float(table[index, reference])
                for name, table in (
                    ("nemenyi", result.nemenyi),
                    ("wilcoxon", result.wilcoxon),
                    ("holm", adjusted),
                )
            },
            "friedman": result.p,
            "critical_difference": result.critical_difference,
        }
        for index in order
    ]
    numbers = ("mean_rank", "nemenyi", "wilcoxon", "holm", "friedman", "critical_difference")
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(numbers, pl.Float64)).with_columns(
        pl.col(numbers).fill_nan(None)
    )


def _friedman(ranks: NDArray[np.float64]) -> tuple[float | None, float | None, float | None]:
    """Chi square, corrected for ties, F and p of ranks [B, M]."""
    blocks, methods = ranks.shape
    spread = np.square(ranks - (methods + 1) / 2).sum()
    if spread == 0.0:
        return None, None, None
    effect = blocks * np.square(ranks.mean(axis=0) - (methods + 1) / 2).sum()
    chi = float(blocks * (methods - 1) * effect / spread)
    rest = blocks * (methods - 1) - chi
    if rest <= 1e-9:
        return chi, None, float(scipy.stats.chi2.sf(chi, methods - 1))
    statistic = (blocks - 1) * chi / rest
    return (
        chi,
        statistic,
        float(scipy.stats.f.sf(statistic, methods - 1, (methods - 1) * (blocks - 1))),
    )


def signed_ranks(differences: ArrayLike) -> float | None:
    """p of Wilcoxon's signed-rank test, two-sided; None when no difference is left.

    Differences of zero are left out, equal ones share their mean rank. Up to 50 differences the p value is that of all
    2^n signs; beyond, the Normal distribution's with the variance of the ranks as they are.

    Args:
        differences: [n]; an infinite one is the largest.

    Source: Wilcoxon (1945).
    """
    values = np.asarray(differences, dtype=float)
    values = values[values != 0.0]
    if not values.size:
        return None
    ranks = scipy.stats.rankdata(level(np.abs(values)))
    positive = float(ranks[values > 0.0].sum())
    if values.size > _EXACT:
        spread = np.sqrt(np.square(ranks).sum()) / 2.0
        return float(2.0 * scipy.special.ndtr(-abs(positive - ranks.sum() / 2.0) / spread))
    chance = np.ones(1)
    for twice in np.rint(2.0 * ranks).astype(
        int
    ):  # the distribution of twice the sum of the positive ranks
        chance = 0.5 * (np.pad(chance, (0, twice)) + np.pad(chance, (twice, 0)))
    index = round(2.0 * positive)
    return float(min(1.0, 2.0 * min(chance[: index + 1].sum(), chance[index:].sum())))


def _wilcoxon(values: Array) -> Array:
    methods = values.shape[1]
    p = np.full((methods, methods), np.nan)
    for pair, other in combinations(range(methods), 2):
        result = signed_ranks(difference(values[:, pair], values[:, other]))
        p[pair, other] = p[other, pair] = np.nan if result is None else result
    return p


def _over_pairs(p: Array) -> Array:
    """Holm's correction over the pairs of a symmetric table; a pair without p is none."""
    first, second = np.triu_indices(len(p), k=1)
    defined = np.isfinite(p[first, second])
    first, second = first[defined], second[defined]
    adjusted = np.full_like(p, np.nan)
    adjusted[first, second] = adjusted[second, first] = holm(p[first, second])
    return adjusted
