"""The step size of Hamiltonian Monte Carlo: how long its trajectories are, and the rules by which chains find it.

A step size may be learnt in the part of a chain that is discarded and must be left alone in the part that is kept, so
that this is one Markov chain. Three rules are in use:

* ``DualAveraging``: from the probability of acceptance of each trajectory; quick, for cheap energies in few dimensions;
* ``StochasticApproximation``: from whether trajectories were accepted, where no more is known;
* ``Halving``: leaves a heuristic step size as it is unless the chain is stuck.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchbook.methods.settings import setting

PATIENCE = 10


@dataclass(frozen=True)
class Leaps:
    """The step size of trajectories and their number of steps; the values are ours."""

    first: float = setting(0.3, "the first step size", above=0)
    target: float = setting(
        0.75, "the acceptance rate that the step size is adapted to", above=0, below=1
    )
    length: float = setting(
        2.5,
        "of a trajectory, in standard deviations; each has this times a number drawn from "
        "0.5 to 1.5",
        above=0,
    )
    most: int = setting(25, "the most leapfrog steps of a trajectory", least=1)

    def rule(self) -> DualAveraging:
        """What learns the step size from here on."""
        return DualAveraging(self.first, self.target)

    def trajectory(
        self,
        rule: DualAveraging,
        warm: bool,
        rng: np.random.Generator,
        rounded: Callable[[float], int] = round,
    ) -> tuple[float, int]:
        """The step size of the next trajectory, the one tried while ``warm`` and then the settled one, and its number
        of steps, ``rounded`` to an integer."""
        step = rule.value if warm else rule.settled
        return step, min(max(1, rounded(self.length * (0.5 + rng.random()) / step)), self.most)


class DualAveraging:
    """The step size by dual averaging (Hoffman and Gelman, The No-U-Turn Sampler, 2014, section 3.2.1)."""

    def __init__(self, first: float, target: float) -> None:
        self.target, self.centre = target, math.log(2.0 * first)
        self.value, self.settled = first, first
        self._count, self._excess, self._average = 0, 0.0, 0.0

    def learn(self, probability: float) -> None:
        """Take the acceptance probability of a trajectory with the step size ``value`` into account."""
        self._count += 1
        share = 1.0 / (self._count + 10.0)
        self._excess = (1.0 - share) * self._excess + share * (self.target - probability)
        log_value = self.centre - math.sqrt(self._count) / 0.05 * self._excess
        weight = self._count**-0.75
        self._average = weight * log_value + (1.0 - weight) * self._average
        self.value, self.settled = math.exp(log_value), math.exp(self._average)


class StochasticApproximation:
    """A factor of the step sizes, whose logarithm moves by (accepted - target) times a gain, between bounds.

    The gain 2 / (4 + n^0.6) falls with the number n of trajectories (H. Robbins and S. Monro, A stochastic
    approximation method, 1951).
    """

    def __init__(self, first: float, target: float, least: float, most: float) -> None:
        self.target, self.bounds = target, (np.log(least), np.log(most))
        self._log, self._count = float(np.log(first)), 0

    @property
    def value(self) -> float:
        """The factor now."""
        return float(np.exp(self._log))

    def learn(self, accepted: float) -> None:
        """Take into account whether the trajectory with this factor was accepted, 1 or 0."""
        self._count += 1
        self._log += 2.0 * (accepted - self.target) / (4.0 + self._count**0.6)
        self._log = float(np.clip(self._log, *self.bounds))


class Halving:
    """A factor of the step sizes that is halved after ``PATIENCE`` trajectories in a row were rejected.

    A chain that accepts one in nine is left as it is. ``benchbook archive bounds`` counts the runs that accepted less
    than half.
    """

    def __init__(self) -> None:
        self.value, self.halvings, self._rejected = 1.0, 0, 0.0

    def learn(self, trials: float, accepted: float, settled: bool) -> None:
        """Take so many trajectories, and how many were accepted, into account; once ``settled``, change nothing."""
        self._rejected = 0.0 if accepted > 0 else self._rejected + trials
        if self._rejected >= PATIENCE and not settled:
            self.value, self._rejected, self.halvings = self.value / 2, 0.0, self.halvings + 1
