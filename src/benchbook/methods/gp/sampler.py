"""Hybrid Monte Carlo over the hyperparameters of a Gaussian process."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchbook.methods.settings import setting

Energy = Callable[[np.ndarray], tuple[float, np.ndarray]]

_FEWEST = 4


@dataclass(frozen=True)
class Sampling:
    """The constants of the sampler, all ours.

    The chain may take ``evaluations`` of energy and gradient with ``cases`` training cases, and with other numbers of
    cases in inverse proportion more or fewer, up to ``stretch`` times.
    """

    evaluations: int = setting(200, "evaluations of energy and gradient with so many cases as `cases` says", least=1)
    cases: int = setting(1024, "training cases that the evaluations are for; with fewer there are more", least=1)
    stretch: float = setting(15.0, "how many times more or fewer evaluations there can be", least=1)
    discarded: float = setting(1 / 3, "share of the evaluations whose states are discarded while the step size is "
                               "adapted", least=0, below=1)
    first: float = setting(0.4, "the first step size", above=0)
    target: float = setting(0.7, "the acceptance rate that the step size is adapted to", above=0, below=1)
    length: float = setting(2.0, "of a trajectory, in standard deviations; each has this times a number drawn from "
                            "0.5 to 1.5", above=0)
    most: int = setting(25, "the most leapfrog steps of a trajectory", least=1)
    kept: int = setting(50, "the most states that predict, equally spaced among those not discarded", least=1)

    def budget(self, cases: int) -> int:
        """Evaluations for that many training cases."""
        return round(self.evaluations * min(max(self.cases / cases, 1.0 / self.stretch), self.stretch))


@dataclass(frozen=True)
class State:
    """A place t [p] with its energy and the energy's gradient [p]."""

    t: np.ndarray
    energy: float
    slope: np.ndarray

    @classmethod
    def at(cls, energy: Energy, t: np.ndarray) -> State:
        return cls(t, *energy(t))


@dataclass(frozen=True)
class Chain:
    """The states after the discarded part [S, p], the step size and acceptance rate of their trajectories, how many of
    these had no chance of acceptance, and the evaluations of the whole chain."""

    draws: np.ndarray
    step: float
    acceptance: float
    diverged: int
    evaluations: int


def stretch(curvature: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """A matrix A [p, p] such that A'HA is about the identity for the curvature H of the energy, [p, p].

    The eigenvalues of H on the scale of the prior's standard deviations ``sd`` [p] are taken as 1, the prior's own,
    where they are less.
    """
    values, vectors = np.linalg.eigh(sd[:, None] * curvature * sd)
    return sd[:, None] * vectors / np.sqrt(np.maximum(values, 1.0))


def move(
    energy: Energy, state: State, shape: np.ndarray, step: float, steps: int, rng: np.random.Generator
) -> tuple[State, float, bool]:
    """One trajectory of hybrid Monte Carlo, which leaves exp(-energy) invariant and is reversible.

    With t = t_0 + A u and momenta m ~ N(0, I): m <- m - step/2 A'g, u <- u + step m, m <- m - step/2 A'g, ``steps``
    times; the end is taken with probability min(1, exp(H_start - H_end)), H = energy + |m|^2 / 2.

    Args:
        shape: A [p, p], the same for all t.

    Returns:
        the new state, the probability with which the end was to be taken, and whether it was.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        momentum = rng.normal(size=len(state.t))
        start = state.energy + 0.5 * momentum @ momentum
        end, slope = state, shape.T @ state.slope
        for _ in range(steps):
            momentum = momentum - 0.5 * step * slope
            end = State.at(energy, end.t + step * (shape @ momentum))
            if not math.isfinite(end.energy):
                return state, 0.0, False
            slope = shape.T @ end.slope
            momentum = momentum - 0.5 * step * slope
        probability = math.exp(min(0.0, float(start - end.energy - 0.5 * momentum @ momentum)))
    taken = bool(rng.random() < probability)
    return (end if taken else state), probability, taken


class StepSize:
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


def sample(
    energy: Energy, start: np.ndarray, shape: np.ndarray, budget: int, settings: Sampling, rng: np.random.Generator
) -> Chain:
    """A chain from t = ``start`` [p] with the fixed matrix ``shape`` [p, p], over ``budget`` evaluations.

    In the discarded part the step size is adapted; from then on it is fixed, so that what is kept is from a Markov
    chain with the right invariant distribution. It ends with the trajectory that spends the last evaluation.
    """
    state, sizes, spent = State.at(energy, start), StepSize(settings.first, settings.target), 1
    draws: list[np.ndarray] = []
    accepted, diverged = 0, 0
    while spent < budget or len(draws) < _FEWEST:
        warm = spent < settings.discarded * budget
        step = sizes.value if warm else sizes.settled
        length = settings.length * (0.5 + rng.random())
        steps = min(max(1, round(length / step)), settings.most)
        state, probability, taken = move(energy, state, shape, step, steps, rng)
        spent += steps
        if warm:
            sizes.learn(probability)
        else:
            draws.append(state.t)
            accepted += taken
            diverged += probability == 0.0
    return Chain(np.array(draws), sizes.settled, accepted / len(draws), diverged, spent)
