"""Hamiltonian Monte Carlo over the hyperparameters of a Gaussian process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook.methods.mcmc.hmc import Energy, State, move
from benchbook.methods.mcmc.steps import Leaps
from benchbook.methods.settings import setting

_FEWEST = 4


@dataclass(frozen=True)
class Sampling:
    """The constants of the sampler, all ours.

    The chain may take ``evaluations`` of energy and gradient with ``cases`` training cases, and with other numbers of
    cases in inverse proportion more or fewer, up to ``stretch`` times.
    """

    evaluations: int = setting(
        200, "evaluations of energy and gradient with so many cases as `cases` says", least=1
    )
    cases: int = setting(
        1024, "training cases that the evaluations are for; with fewer there are more", least=1
    )
    stretch: float = setting(15.0, "how many times more or fewer evaluations there can be", least=1)
    discarded: float = setting(
        1 / 3,
        "share of the evaluations whose states are discarded while the step size is adapted",
        least=0,
        below=1,
    )
    leaps: Leaps = Leaps(first=0.4, target=0.7, length=2.0)
    kept: int = setting(
        50, "the most states that predict, equally spaced among those not discarded", least=1
    )

    def budget(self, cases: int) -> int:
        """Evaluations for that many training cases."""
        return round(
            self.evaluations * min(max(self.cases / cases, 1.0 / self.stretch), self.stretch)
        )


@dataclass(frozen=True)
class ProcessChain:
    """The states after the discarded part [S, p], the step size and acceptance rate of their trajectories, how many of
    these had no chance of acceptance, and the evaluations of the whole chain."""

    draws: np.ndarray
    step: float
    acceptance: float
    diverged: int
    evaluations: int


def sample(
    energy: Energy,
    start: np.ndarray,
    shape: np.ndarray,
    budget: int,
    settings: Sampling,
    rng: np.random.Generator,
) -> ProcessChain:
    """A chain from t = ``start`` [p] with the fixed matrix ``shape`` [p, p], over ``budget`` evaluations.

    In the discarded part the step size is adapted; from then on it is fixed, so that what is kept is from a Markov
    chain with the right invariant distribution. It ends with the trajectory that spends the last evaluation.
    """
    state, sizes, spent = State.at(energy, start), settings.leaps.rule(), 1
    draws: list[np.ndarray] = []
    accepted, diverged = 0, 0
    while spent < budget or len(draws) < _FEWEST:
        warm = spent < settings.discarded * budget
        step, steps = settings.leaps.trajectory(sizes, warm, rng)
        state, probability, taken = move(energy, state, shape, step, steps, rng)
        spent += steps
        if warm:
            sizes.learn(probability)
        else:
            draws.append(state.t)
            accepted += taken
            diverged += probability == 0.0
    return ProcessChain(np.array(draws), sizes.settled, accepted / len(draws), diverged, spent)
