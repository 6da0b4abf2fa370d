r"""Standard errors of mean losses from training sets that overlap, for one method or for the difference of two.

A quantity is one loss (or difference of losses) for each *entry*: a test case of a split. Entry e of split f has the
share a_e = v_f w_e / W_f of the estimate θ̂ = Σ_e a_e l_e, with w_e its weight, W_f the weight of its split, and v_f the
share of the split, Σ_f v_f = 1. Without weights θ̂ is the mean over splits of the mean losses of their test cases, as
scikit-learn's ``cross_validate`` gives them.

    case-wise     SE² = C/(C-1) Σ_c (Σ_{e in c} a_e (l_e - θ̂))²      c: a case, with all its entries, or a group
    corrected     SE² = (Σ_f v_f² + ρ) s²,   s² = n/(n-1) Σ_f v_f² (m_f - θ̂)² / Σ_f v_f²     m_f: mean of split f of n
    jackknife     SE² = (k-1)/k Σ_g (θ̂_(g) - θ̂_(.))²,   θ̂_(g): the estimate from all cases but those of fold g

ρ is n_test/n_train. With equal shares the corrected one is (1/n + ρ) s² of Nadeau and Bengio (2003), section 3, and the
case-wise one the usual standard error of the losses, each averaged over the repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Entries:
    """The entries of a comparison, the same for all its methods.

    Attributes:
        split: [E] number of the split, 0 to n - 1.
        unit: [E] number of the independent unit, 0 to C - 1: the case, or its group.
        share: [E] a_e; sums to 1.
        split_share: [n] v_f.
        row: [E] number of the case in the table, for the correlation of neighbours.
        grouped: whether units are groups of cases.
    """

    split: Codes
    unit: Codes
    share: Array
    split_share: Array
    row: Codes
    grouped: bool = False

    @cached_property
    def cases(self) -> tuple[Codes, Codes]:
        """The rows that occur, increasing, and for each entry [E] which of them it is of."""
        rows, at = np.unique(self.row, return_inverse=True)
        return rows, at.astype(np.int64)

    @cached_property
    def units(self) -> int:
        """Independent units: cases, or groups."""
        return int(self.unit.max()) + 1


def entries(split: Any, row: Any, weight: Any = None, group: Any = None) -> Entries:
    """The entries of test cases ``row`` [E] of the splits ``split`` [E], with their weights and groups [E], if any."""
    numbers = np.unique(np.asarray(split), return_inverse=True)[1].astype(np.int64)
    units = np.unique(np.asarray(row if group is None else group), return_inverse=True)[1]
    weights = np.ones(len(numbers)) if weight is None else np.asarray(weight, dtype=float)
    by_split = np.bincount(numbers, weights)
    equal = weight is None or np.ptp(weights) == 0.0
    share = np.full(len(by_split), 1.0 / len(by_split)) if equal else by_split / by_split.sum()
    return Entries(
        numbers,
        units.astype(np.int64),
        (share / by_split)[numbers] * weights,
        share,
        np.asarray(row, dtype=np.int64),
        group is not None,
    )


def estimate(values: Array, where: Entries) -> float:
    """θ̂ of losses [E]."""
    return float(where.share @ values)


def split_means(values: Array, where: Entries) -> Array:
    """[n], m_f."""
    return np.bincount(where.split, where.share * values) / where.split_share


def casewise_error(values: Array, where: Entries) -> float:
    """The standard error that takes the fitted models for given; nan for a single unit."""
    count = where.units
    if count < 2:
        return float("nan")
    sums = np.bincount(where.unit, where.share * (values - estimate(values, where)))
    return float(np.sqrt(count / (count - 1) * (sums @ sums)))


def corrected_error(means: Array, share: Array | None, test_to_train: float) -> Array:
    """The corrected standard error of means [..., n] of splits with the shares [n] (equal for None)."""
    means = np.asarray(means, dtype=float)
    count = means.shape[-1]
    shares = np.full(count, 1.0 / count) if share is None else share
    gaps = means - (means @ shares)[..., None]
    sizes = float(shares @ shares)
    variance = count / (count - 1) * (gaps**2 @ shares**2) / sizes
    return np.asarray(np.sqrt((sizes + test_to_train) * variance))


def jackknife_error(second: Array, share: Array | None = None) -> Array:
    """The delete-one-fold jackknife, averaged over repeats.

    Args:
        second: [..., R, k, k], the mean loss on fold f of the fit without folds g and f, at [g, f]; the diagonal is
            not read.
        share: [k] v_f of the folds of a repeat; equal for None.
    """
    second = np.asarray(second, dtype=float)
    count = second.shape[-1]
    shares = np.full(count, 1.0 / count) if share is None else share / share.sum()
    others = shares * ~np.eye(count, dtype=bool)
    others /= others.sum(axis=1, keepdims=True)
    without = (np.where(np.eye(count, dtype=bool), 0.0, second) * others).sum(axis=-1)
    gaps = without - without.mean(axis=-1, keepdims=True)
    variance = (count - 1) / count * (gaps**2).sum(axis=-1)
    return np.asarray(np.sqrt(variance.mean(axis=-1)))


def top_share(values: Array, where: Entries, fraction: float = 0.02) -> float:
    """The share of the case-wise variance that is due to the ``fraction`` of units with most of it; nan without any."""
    sums = np.bincount(where.unit, where.share * (values - estimate(values, where))) ** 2
    total, count = float(sums.sum()), max(1, int(fraction * len(sums)))
    if total == 0.0:
        return float("nan")
    largest = np.partition(sums, len(sums) - count)[len(sums) - count :]
    return float(largest.sum() / total)


def neighbour_correlation(
    values: Array, where: Entries, centre: Array | None = None
) -> tuple[float, int]:
    """Correlation of the losses of cases that follow one another in the table, and how many such pairs there are.

    Args:
        values: [E] losses; a case that was tested several times has their mean.
        where: the entries.
        centre: [N] by row, taken from the losses first: what the order of the table is known to explain.
    """
    rows, at = where.cases
    means = np.bincount(at, values) / np.bincount(at)
    means = means - (means.mean() if centre is None else centre[rows])
    adjacent = np.flatnonzero(np.diff(rows) == 1)
    spread = float(means @ means) / len(means)
    if len(adjacent) < 2 or spread == 0.0:
        return 0.0, len(adjacent)
    return float((means[adjacent] * means[adjacent + 1]).mean() / spread), len(adjacent)
