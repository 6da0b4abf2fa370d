r"""The delete-group jackknife: a standard error for a loss of one whole test set, such as 1 - F1 or 1 - R².

    SE² = Σ_k (1 - h_k) (θ_(k) - θ_(.))²,   θ_(.) = Σ_k (1 - h_k) θ_(k) / (K - 1)

θ_(k) is the loss of all test cases but those of group k of K, which are the share h_k of them. With equal groups the
factor is (K - 1)/K and the t is on K - 1 degrees of freedom; else they are those of ``clusters``, whose standard error
this is for a mean. The loss has to be smooth in the cases: not a quantile, not a largest value.

Source: Shao and Tu (1995), "The jackknife and bootstrap", section 2.3. K = 30 is our choice; in our simulations
(``benchmarks/battery``) the test of a difference has sizes of .025 to .07 for F1, balanced accuracy, R² and average
precision from 60 cases on, where the percentile bootstrap has up to .11.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.clusters import Array, Clusters
from benchbook.errors import Fault, FaultyInput

GROUPS, LEAST_CASES = 30, 20
"""Groups that are left out in turn, and test cases from which there is a standard error."""
_ROUNDING = 1e-12


def groups_to_leave_out(
    count: int, classes: ArrayLike | None = None, clusters: ArrayLike | None = None
) -> NDArray[np.int64]:
    """[N] the group, from 0, of each test case: at most ``GROUPS`` of equal size, the same in every call.

    Args:
        count: N. classes: [N] labels, each of which is spread evenly over the groups.
        clusters: [N] labels of cases that stay together; then the largest are spread first, and classes are not used.
    """
    rng = np.random.default_rng(count)
    if clusters is None:
        number = min(count, GROUPS)
        labels = np.zeros(count) if classes is None else np.unique(classes, return_inverse=True)[1]
        order = np.lexsort((rng.random(count), labels))
        group = np.empty(count, dtype=np.int64)
        group[order] = np.arange(count) % number
        return group
    at, sizes = np.unique(np.asarray(clusters), return_inverse=True, return_counts=True)[1:]
    number = min(len(sizes), GROUPS)
    order = np.lexsort((rng.random(len(sizes)), -sizes))
    group = np.empty(len(sizes), dtype=np.int64)
    filled = np.zeros(number)
    for cluster in order:
        group[cluster] = filled.argmin()
        filled[group[cluster]] += sizes[cluster]
    return group[at]


@dataclass(frozen=True)
class LeftOut:
    """Losses of a whole test set without each group of its cases.

    Attributes:
        values: [K] θ_(k) by method. cases: [K] test cases of each group.
    """

    values: dict[str, Array]
    cases: Array

    @property
    def refusal(self) -> str:
        """Why there is no standard error; "" where there is one."""
        count = int(self.cases.sum())
        if count < LEAST_CASES:
            return f"{count} cases: no standard error of a loss of the whole test set below {LEAST_CASES}"
        return self._clusters.refusal

    @cached_property
    def _clusters(self) -> Clusters:
        share = self.cases / self.cases.sum()
        return Clusters(share, share / self.cases.sum())

    def error(self, one: str, other: str | None = None) -> tuple[float, float]:
        """The standard error of a method's loss, or of the difference of two, and its degrees of freedom."""
        values = self.values[one] - (0.0 if other is None else self.values[other])
        rest = 1.0 - self._clusters.share
        sums = rest * (values - (rest @ values) / rest.sum())
        error = 0.0 if np.ptp(values) <= _ROUNDING else float(self._clusters.error(sums))
        return error, self._clusters.df


def left_out_of(loss: str, methods: Collection[str], frame: pl.DataFrame | None) -> LeftOut | None:
    """The losses without each group, from ``by_design``'s frame; None where it does not have this one.

    Raises:
        FaultyInput: a method without some groups, or with a value that is not finite.
    """
    part = None if frame is None else frame.filter(pl.col("loss") == loss)
    if part is None or part.is_empty():
        return None
    sizes = part.group_by("left").agg(pl.col("cases").first()).sort("left")
    values, faults = {}, []
    for name in methods:
        own = part.filter(pl.col("method") == name).sort("left")
        values[name] = own["value"].cast(pl.Float64).to_numpy()
        if own["left"].to_list() != sizes["left"].to_list() or not np.isfinite(values[name]).all():
            rule = f"a finite loss without each of {len(sizes)} groups"
            faults.append(Fault(f"loss {loss}, method {name}", f"{own.height} values", rule))
    if faults:
        raise FaultyInput("losses without groups of cases", faults)
    return LeftOut(values, sizes["cases"].cast(pl.Float64).to_numpy())
