r"""Methods trained with several seeds: their variance beside that of the test cases.

Let x_ms be the mean loss of method m over the test cases with seed s of S_m, A_m the variance of the x_ms, and R_m the
mean square of what is left of its losses by seed and case after both means, times Σ a_i² (1/n of n cases).

    SE² = max(V_i + V_s - V_r, V_i, V_s),   V_s = Σ_m A_m/S_m,   V_r = Σ_m R_m/S_m

V_i is the case-wise SE² of the difference of the losses averaged over seeds, with clusters as they are. V_i and V_s
both hold V_r. Degrees of freedom are Satterthwaite's. Of seeds that methods share, three at least, m is the difference
of both methods; with two the pairs are left, for then the test errs in 9 to 12 %. A method with one seed borrows A and
R of the other one.

Source: the sum of mean squares is the usual one of two crossed random factors (Satterthwaite 1946); the floors and the
borrowing are ours, with sizes of .015 to .065 in our simulations (``benchmarks/battery``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchbook.assess.clusters import Array
from benchbook.assess.designs import Design

LEAST_SHARED = 3
"""Shared seeds from which methods are compared seed by seed."""


@dataclass(frozen=True)
class SeedLosses:
    """The losses of a method, or of a difference of two, by seed and case.

    Attributes:
        losses: [S, n], cases in the order of their rows. share: [n] of each case in the mean; sums to 1.
    """

    losses: Array
    share: Array

    @property
    def count(self) -> int:
        """Seeds."""
        return len(self.losses)

    @property
    def variance(self) -> float:
        """A, of the means by seed."""
        return float((self.losses @ self.share).var(ddof=1))

    @property
    def residual(self) -> float:
        """R."""
        rest = self.losses - self.losses.mean(axis=0) - self.losses.mean(axis=1, keepdims=True)
        rest += self.losses.mean()
        free = (self.count - 1) * (len(self.share) - 1)
        return float((rest**2).sum() / free * (self.share @ self.share))


def of_pair(one: SeedLosses, other: SeedLosses, design: Design) -> tuple[SeedLosses, ...]:
    """What ``error_with_seeds`` takes for a difference of two methods."""
    if design.runs == "shared" and one.count >= LEAST_SHARED:
        return (SeedLosses(one.losses - other.losses, one.share),)
    return one, other


def error_with_seeds(casewise: float, df: float, fits: Sequence[SeedLosses]) -> tuple[float, float]:
    """The standard error over seeds and cases, and its degrees of freedom.

    Args:
        casewise: sqrt(V_i). df: its degrees of freedom.
        fits: one method, two, or the difference of two; where all have one seed the error is the case-wise one.
    """
    items = casewise**2
    single = sum(fit.count == 1 for fit in fits)
    seeds = rest = squares = 0.0
    for fit in fits:
        if fit.count == 1:
            continue
        weight = 1.0 / fit.count + single
        variance, residual = weight * fit.variance, weight * fit.residual
        seeds, rest = seeds + variance, rest + residual
        squares += (variance**2 + residual**2 / (len(fit.share) - 1)) / (fit.count - 1)
    total = max(items + seeds - rest, items, seeds)
    if not total > 0.0:
        return 0.0, df
    return float(np.sqrt(total)), float(max(1.0, total**2 / (items**2 / df + squares)))
