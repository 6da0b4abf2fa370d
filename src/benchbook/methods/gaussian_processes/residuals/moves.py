"""Moves of HMC whose step size and directions are tuned while a chain warms up, and fixed from then on."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from benchbook.methods.mcmc.hmc import Energy, State, move
from benchbook.methods.mcmc.steps import Leaps

_SHRUNK = 5.0  # draws that the prior guess of the directions counts as


class Mover:
    """Moves t by trajectories in directions ``shape`` [p, p]; learns its step size until it is settled."""

    def __init__(self, shape: np.ndarray, leaps: Leaps | None = None) -> None:
        self.shape, self.leaps = shape, leaps or Leaps()
        self.warm, self.moves, self.accepted = True, 0, 0
        self._sizes = self.leaps.rule()
        self._seen: list[np.ndarray] = []

    def __call__(self, energy: Energy, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """t [p] after one trajectory that leaves exp(-energy) invariant."""
        step, steps = self.leaps.trajectory(self._sizes, self.warm, rng)
        state, probability, taken = move(energy, State.at(energy, t), self.shape, step, steps, rng)
        if self.warm:
            self._sizes.learn(probability)
            self._seen.append(state.t)
        else:
            self.moves, self.accepted = self.moves + 1, self.accepted + taken
        return state.t

    def turn(self) -> None:
        """Take the directions from the later half of the places seen, and learn the step size anew."""
        seen = np.array(self._seen[len(self._seen) // 2 :])
        if len(seen) > 2:
            share = len(seen) / (len(seen) + _SHRUNK)
            guess = self.shape @ self.shape.T
            around = np.atleast_2d(np.cov(seen.T))
            self.shape = np.linalg.cholesky(share * around + (1.0 - share) * guess)
            self._sizes, self._seen = self.leaps.rule(), []

    def settle(self) -> None:
        """Stop learning: from now on the moves are those of one Markov chain."""
        self.warm = False

    @property
    def step(self) -> float:
        """The step size that was settled on."""
        return self._sizes.settled

    @property
    def acceptance(self) -> float:
        """The share of trajectories taken since settling."""
        return self.accepted / max(self.moves, 1)


def slice_from_zero(
    log_density: Callable[[float], float], width: float, rng: np.random.Generator
) -> float:
    """A step from 0 along a line that leaves the density along it invariant, by slice sampling.

    The slice is found by stepping out in steps of ``width`` and shrunk by what is rejected: R. M. Neal, Slice sampling,
    2003, figures 3 and 5.
    """
    height = log_density(0.0) + math.log(rng.random())
    low = -width * rng.random()
    high = low + width
    while log_density(low) > height:
        low -= width
    while log_density(high) > height:
        high += width
    while True:
        point = low + (high - low) * rng.random()
        if log_density(point) >= height:
            return point
        low, high = (point, high) if point < 0.0 else (low, point)
