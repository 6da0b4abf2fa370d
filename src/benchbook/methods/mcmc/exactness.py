"""Whether an update leaves the posterior as it is: joint-distribution tests, for any cycle of steps of any model.

All rest on one fact. Draw the unknowns from the prior and targets given them; then the unknowns are also a draw from
their posterior given those targets. An exact update keeps them one, so that their distribution stays the prior.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy

from benchbook.statistics import standard_error

BATCHES = 50


class Joint(Protocol):
    """Unknowns and targets of a model together; steps change them in place."""

    def figures(self) -> np.ndarray:
        """Functions [F] of the unknowns and targets to compare, all of finite variance."""
        ...


class Redrawn(Joint, Protocol):
    """A joint state whose targets can be drawn again, given the unknowns."""

    def redraw_targets(self) -> None: ...


J = TypeVar("J", bound=Joint)
R = TypeVar("R", bound=Redrawn)


def invariance(
    draw: Callable[[], J], steps: Sequence[Callable[[J], Any]], replicates: int
) -> np.ndarray:
    """Joint-distribution test with restarts: z values [F] of the mean change of each figure over the steps.

    Each replicate draws unknowns and targets, performs the steps, and compares the figures before and after; the
    mean change of each is zero when the steps are exact. Works for a single update that is not ergodic by itself.
    A figure that no step changes has z = 0.
    """
    changes = []
    for _ in range(replicates):
        at = draw()
        before = at.figures()
        for step in steps:
            step(at)
        changes.append(at.figures() - before)
    array = np.array(changes)
    error = standard_error(array.T)
    return np.where(error > 0, array.mean(axis=0) / np.where(error > 0, error, 1.0), 0.0)


def geweke(draw: Callable[[], R], steps: Sequence[Callable[[R], Any]], cycles: int) -> np.ndarray:
    """Joint-distribution test: z values [2 F] of figures and their squares, a chain against direct draws.

    The chain alternates the steps, given the targets, with targets given the unknowns; its figures and their squares
    must have the means of draws from the prior. Standard errors are from the means of ``BATCHES`` batches.
    Source: J. Geweke, Getting it right: joint distribution tests of posterior simulators, 2004.
    """
    at, chain = draw(), []
    for _ in range(cycles):
        for step in steps:
            step(at)
        chain.append(at.figures())
        at.redraw_targets()
    direct = np.array([draw().figures() for _ in range(cycles)])
    centre = direct.mean(axis=0)
    first, second = np.array(chain) - centre, direct - centre
    return np.concatenate([_compare(first, second), _compare(first**2, second**2)])


def _compare(chain: np.ndarray, direct: np.ndarray) -> np.ndarray:
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(chain, BATCHES)])
    variance = np.var(batches, axis=0, ddof=1) / BATCHES + np.var(direct, axis=0) / len(direct)
    away = chain.mean(axis=0) - direct.mean(axis=0)
    return np.where(variance > 0, away / np.sqrt(np.where(variance > 0, variance, 1.0)), 0.0)


def critical(figures: int, rate: float, degrees: float = np.inf) -> float:
    """What |z| exceeds in any of F figures with at most the probability ``rate`` when all is exact.

    The quantile of Student's t at rate / (2 F), a bound whatever the figures have to do with one another (Bonferroni).
    ``degrees`` of freedom: replicates - 1 for ``invariance``, ``BATCHES`` - 1 for ``geweke``.
    """
    return float(scipy.stats.t.isf(rate / (2 * figures), degrees))


def uniformity(ranks: np.ndarray, length: int) -> np.ndarray:
    """p values [F] of the chi-squared test that ranks [R, F] are uniform on 0..length.

    The least of them is below rate / F with at most the probability ``rate`` when they are (Bonferroni).
    """
    return np.array(
        [
            scipy.stats.chisquare(np.bincount(column, minlength=length + 1)).pvalue
            for column in ranks.T
        ]
    )
