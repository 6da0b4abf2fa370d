r"""Standard errors of mean losses from training sets that overlap, for one method or for the difference of two.

A quantity is one loss (or difference of losses) for each *entry*: a test case of a split. Entry e of split f has the
share a_e = v_f w_e / W_f of the estimate θ̂ = Σ_e a_e l_e, with w_e its weight, W_f the weight of its split, and v_f the
share of the split, Σ_f v_f = 1. Without weights θ̂ is the mean over splits of the mean losses of their test cases, as
scikit-learn's ``cross_validate`` gives them.

    case-wise     SE² = Σ_c (Σ_{e in c} a_e (l_e - θ̂))² / (1 - h_c)   c: a case, with all its entries, or a group of
                                                                      the share h_c of all a_e (``clusters``)
    corrected     SE² = (Σ_f v_f² + ρ) s²,   s² = n/(n-1) Σ_f v_f² (m_f - θ̂)² / Σ_f v_f²     m_f: mean of split f of n
    jackknife     SE² = (k-1)/k Σ_g (θ̂_(g) - θ̂_(.))²,   θ̂_(g): the estimate from all cases but those of fold g

ρ is n_test/n_train. Folds of whole groups have (1 + k ρ) times the case-wise SE² in place of the corrected one, which
of equal shares and one repeat is (1 + k ρ) s²/k: the variance of the mean is estimated from the groups, not from folds,
with the degrees of freedom of ``clusters``. Equal nearest neighbours in 20 to 100 groups of 6 or 15 differ by it in 3.7
to 5.8 % of datasets, by the corrected one in 6.0 to 8.7 %, and a mean is covered in 88 to 92 %, not in 86 to 87 %
(``benchmarks/battery/README.md``).

With equal shares the corrected one is (1/n + ρ) s² of Nadeau and Bengio (2003), section 3, and the
case-wise one the usual standard error of the losses, each averaged over the repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.clusters import Array, Clusters

Codes = NDArray[np.int64]
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Entries:
    """The entries of a comparison, the same for all its methods.

    Attributes:
        split: [E] number of the split, 0 to n - 1.
        unit: [E] number of the independent unit, 0 to C - 1: the case, or its group.
        share: [E] a_e; sums to 1.
        split_share: [n] v_f.
        row: [E] number of the case in the table.
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
        return _numbered(self.row)

    @cached_property
    def entries_of_case(self) -> Codes:
        """[R] how many entries each case has."""
        return np.bincount(self.cases[1])

    @cached_property
    def alike(self) -> bool:
        """Whether every unit is one case with one share: no groups, and no weights."""
        return not self.grouped and bool(np.ptp(self.clusters.share) <= 1e-12)

    @cached_property
    def units(self) -> int:
        """Independent units: cases, or groups."""
        return int(self.unit.max()) + 1

    @cached_property
    def clusters(self) -> Clusters:
        """The units by their weight; a case of several splits counts once."""
        at = self.cases[1]
        share = _sums(at, self.share)
        unit = np.empty(len(share), dtype=np.int64)
        unit[at] = self.unit
        return Clusters(_sums(unit, share), _sums(unit, share**2))


def entries(split: object, row: object, weight: object = None, group: object = None) -> Entries:
    """The entries of test cases ``row`` [E] of the splits ``split`` [E], with their weights and groups [E], if any."""
    numbers = _numbered(np.asarray(split))[1]
    units = _numbered(np.asarray(row if group is None else group))[1]
    weights = np.ones(len(numbers)) if weight is None else np.asarray(weight, dtype=float)
    by_split = np.bincount(numbers, weights)
    equal = weight is None or np.ptp(weights) == 0.0
    share = np.full(len(by_split), 1.0 / len(by_split)) if equal else by_split / by_split.sum()
    return Entries(
        numbers,
        units,
        (share / by_split)[numbers] * weights,
        share,
        np.asarray(row, dtype=np.int64),
        group is not None,
    )


def _numbered(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """The different labels, increasing, and which of them each is; numbers of rows and splits are counted, not sorted,
    and where none is missing they are their own places."""
    counted = labels.dtype.kind == "i" and len(labels) and labels.min() >= 0
    if not counted or labels.max() > 2 * len(labels):
        different, at = np.unique(labels, return_inverse=True)
        return different, at.astype(np.int64)
    labels = labels.astype(np.int64, copy=False)
    occurs = np.bincount(labels) > 0
    return np.flatnonzero(occurs), labels if occurs.all() else (np.cumsum(occurs) - 1)[labels]


@dataclass(frozen=True)
class LossSums:
    """The losses of a method as standard errors need them; those of a difference are the differences.

    Attributes:
        splits: [n] m_f. units: [C] Σ_{e in c} a_e l_e. cases: [R] the mean loss of each case.
        codes: [E] losses of 0 and 1, their differences -1, 0 and 1; None of other losses.
    """

    splits: Array
    units: Array
    cases: Array
    codes: NDArray[np.int8] | None = None

    def minus(self, other: LossSums) -> LossSums:
        """Of the loss less that of another method on the same entries."""
        both = self.codes is not None and other.codes is not None
        return LossSums(
            self.splits - other.splits,
            self.units - other.units,
            self.cases - other.cases,
            self.codes - other.codes if both else None,  # type: ignore[operator]
        )

    def without_rounding(self, scale: float, where: Entries) -> LossSums:
        """With what is at rounding level of ``scale`` set to zero; a 0-1 loss has none."""
        if self.codes is not None:
            return self
        return LossSums(
            without_rounding(self.splits, scale),
            without_rounding(self.units, scale * where.clusters.share),
            without_rounding(self.cases, scale),
        )

    def any(self) -> bool:
        """Whether a loss is not zero."""
        return bool((self.cases if self.codes is None else self.codes).any())

    def mean(self, where: Entries) -> float:
        """θ̂."""
        return float(where.split_share @ self.splits)

    def centred(self, where: Entries) -> Array:
        """[C] Σ_{e in c} a_e (l_e - θ̂)."""
        gaps = self.units - self.mean(where) * where.clusters.share
        return without_rounding(gaps, 1e-4 * np.abs(self.units))


def loss_sums(values: Array, where: Entries) -> LossSums:
    """Of losses [E], or of differences of losses."""
    shared = where.share * values
    at = where.cases[1]
    return LossSums(
        np.bincount(where.split, shared) / where.split_share,
        _sums(where.unit, shared),
        np.bincount(at, values) / where.entries_of_case,
        values.astype(np.int8) if _is_binary(values) else None,
    )


def _sums(at: Codes, values: Array) -> Array:
    return np.asarray(np.bincount(at, values), dtype=np.float64)


def _is_binary(values: Array) -> bool:
    size = np.abs(values)
    return bool(((size == 0.0) | (size == 1.0)).all())


def without_rounding(sums: Array, scale: float | Array) -> Array:
    """With zero in the place of what is at rounding level of ``scale``."""
    return np.where(np.abs(sums) <= _ROUNDING * scale, 0.0, sums)


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


def top_count(units: int) -> int:
    """How many units are the top 2 % of them, or the one."""
    return max(1, int(0.02 * units))


def tails(centred: Array) -> tuple[float, float]:
    """The share of the case-wise variance due to the ``top_count`` units with most of it, and skewness/√C, positive.

    The second is |Σ u³| / (Σ u²)^(3/2), by which the first term of the Edgeworth expansion of t grows. Both are nan
    without any variance.

    Args:
        centred: [C] u, as ``LossSums.centred``.
    """
    total, count = float(centred @ centred), top_count(len(centred))
    if total == 0.0:
        return float("nan"), float("nan")
    largest = np.partition(centred**2, len(centred) - count)[len(centred) - count :]
    return float(largest.sum() / total), abs(float((centred**3).sum())) / total**1.5
