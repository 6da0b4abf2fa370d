"""Hamiltonian Monte Carlo in numpy: the leapfrog, a trajectory for any energy, and the space that it is made in."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

Energy: TypeAlias = "Callable[[np.ndarray], tuple[float, np.ndarray]]"
Place = TypeVar("Place")


class Diverged(ArithmeticError):
    """A trajectory came to a place from which it cannot go on."""


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


def leapfrog(
    place: Place,
    momentum: np.ndarray,
    steps: int,
    kick: Callable[[Place, np.ndarray, int], np.ndarray],
    drift: Callable[[Place, np.ndarray], Place],
) -> tuple[Place, np.ndarray]:
    """The place and the momentum after ``steps`` leapfrog steps, each half a kick, a drift and half a kick.

    Between two steps there are two half kicks at one place, so that the gradient there is asked for once.

    Args:
        place: what ``kick`` and ``drift`` take: a place with its energy, or the places of many chains.
        kick: the momentum after so many half kicks at a place, 1 or 2.
        drift: where a momentum leads to.

    Raises:
        Diverged: where ``drift`` does.
    """
    momentum = kick(place, momentum, 1)
    for left in reversed(range(steps)):
        place = drift(place, momentum)
        momentum = kick(place, momentum, 2 if left else 1)
    return place, momentum


def move(
    energy: Energy,
    state: State,
    shape: np.ndarray,
    step: float,
    steps: int,
    rng: np.random.Generator,
) -> tuple[State, float, bool]:
    """One trajectory of Hamiltonian Monte Carlo, which leaves exp(-energy) invariant and is reversible.

    With t = t_0 + A u and momenta m ~ N(0, I): m <- m - step/2 A'g, u <- u + step m, m <- m - step/2 A'g, ``steps``
    times; the end is taken with probability min(1, exp(H_start - H_end)), H = energy + |m|^2 / 2.

    Args:
        shape: A [p, p], the same for all t.

    Returns:
        the new state, the probability with which the end was to be taken, and whether it was; 0 and no where an
        energy on the way is not finite.
    """

    def kick(at: State, momentum: np.ndarray, halves: int) -> np.ndarray:
        slope = shape.T @ at.slope
        for _ in range(halves):
            momentum = momentum - 0.5 * step * slope
        return momentum

    def drift(at: State, momentum: np.ndarray) -> State:
        end = State.at(energy, at.t + step * (shape @ momentum))
        if not math.isfinite(end.energy):
            raise Diverged
        return end

    with np.errstate(over="ignore", invalid="ignore"):
        momentum = rng.normal(size=len(state.t))
        start = state.energy + 0.5 * momentum @ momentum
        try:
            end, momentum = leapfrog(state, momentum, steps, kick, drift)
        except Diverged:
            return state, 0.0, False
        probability = math.exp(min(0.0, float(start - end.energy - 0.5 * momentum @ momentum)))
    taken = bool(rng.random() < probability)
    return (end if taken else state), probability, taken
