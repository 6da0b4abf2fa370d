"""Hamiltonian Monte Carlo over a few parameters, for any energy: a trajectory, and the space that it is made in."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

Energy: TypeAlias = "Callable[[np.ndarray], tuple[float, np.ndarray]]"


@dataclass(frozen=True)
class State:
    """A place t [p] with its energy and the energy's gradient [p]."""

    t: np.ndarray
    energy: float
    slope: np.ndarray

    @classmethod
    def at(cls, energy: Energy, t: np.ndarray) -> State:
        return cls(t, *energy(t))


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
    """One trajectory of Hamiltonian Monte Carlo, which leaves exp(-energy) invariant and is reversible.

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
