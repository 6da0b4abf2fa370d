"""Small networks for testing samplers: few cases, few units, priors that data can move and chains can cross."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numba import njit

from benchbook.kernels.network_force import (
    PartedCases,
    in_parts,
    part_gradient,
    step_sizes,
    total_error,
)
from benchbook.methods.networks.bayesian.exactness import Position
from benchbook.methods.networks.bayesian.model import Model, potential
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.early_stopping import outputs
from benchbook.seeds import generator


@pytest.fixture
def relevance() -> Model:
    """Two hidden units, direct connections, sources with precisions of their own."""
    read = Prior.parse
    return Model(
        2, read("x1:6:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"), read("x0.7:5:6")
    )


@pytest.fixture
def plain() -> Model:
    """Three groups with a precision each, no direct connections."""
    read = Prior.parse
    return Model(2, read("1:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"))


@pytest.fixture
def few() -> np.ndarray:
    """Six cases of two inputs."""
    return generator(0, "samplers").normal(size=(6, 2))


@pytest.fixture
def plain_trajectory() -> Callable[..., bool]:
    return _plain_trajectory


def _plain_trajectory(at: Position, steps: int, window: int, factor: float) -> bool:
    """The windowed update by the book: the whole trajectory first, then the windows; energies in plain numpy.

    The random numbers are used as the kernel uses them: the offset, one for each state met in a window, the decision.
    """
    chain, rng, model, starts = at.chain, at.rng, at.model, at.cases.starts
    h, noise, n = model.hidden, chain.noise[0], len(at.cases.targets)
    precisions = chain.lower[model.arrays(2).set_of]
    squares = np.sum(at.cases.inputs**2, axis=0)
    back = noise / precisions[3 * h : 4 * h]
    second = np.concatenate(
        [
            (back[:, None] * squares).ravel(),
            back * n,
            np.full(h + 1, noise * n),
            noise * squares if model.direct else [],
        ]
    )
    step = factor / np.sqrt(second + precisions)
    parts = [
        in_parts(at.cases.inputs[a:b], at.cases.targets[a:b], 1)
        for a, b in itertools.pairwise(starts)
    ]

    def force(weights: np.ndarray, cases: PartedCases) -> tuple[float, np.ndarray]:
        chain.weights[:] = weights
        return potential(model, chain, cases)

    def leap(weights: np.ndarray, momentum: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
        if len(parts) == 1:
            momentum = momentum - 0.5 * sign * step * force(weights, at.cases)[1]
            weights = weights + sign * step * momentum
            return weights, momentum - 0.5 * sign * step * force(weights, at.cases)[1]
        share = 1 / len(parts)
        for part in parts + parts[::-1]:
            weights = weights + 0.5 * share * sign * step * momentum
            momentum = momentum - sign * step * (
                force(weights, part)[1] - (1 - share) * precisions * weights
            )
            weights = weights + 0.5 * share * sign * step * momentum
        return weights, momentum

    offset = int(rng.random() * window)
    path = {offset: (chain.weights.copy(), chain.momentum.copy())}
    for index in range(offset - 1, -1, -1):
        path[index] = leap(*path[index + 1], -1)
    for index in range(offset + 1, steps + 1):
        path[index] = leap(*path[index - 1], 1)
    states = {key: -force(w, at.cases)[0] - 0.5 * m @ m for key, (w, m) in path.items()}
    totals, chosen = [-np.inf, -np.inf], [0, 0]
    for index in [*range(offset - 1, -1, -1), *range(offset, steps + 1)]:
        for side, inside in ((0, index < window), (1, index > steps - window)):
            if inside:
                totals[side] = np.logaddexp(totals[side], states[index])
                if rng.random() < np.exp(states[index] - totals[side]):
                    chosen[side] = index
    taken = int(np.log(rng.random()) < totals[1] - totals[0])
    weights, momentum = path[chosen[taken]]
    chain.weights[:], chain.momentum[:] = weights, momentum * (-1 if taken else 1)
    residuals = outputs(weights, at.cases.inputs, h) - at.cases.targets
    chain.error[0] = 0.5 * residuals @ residuals
    return bool(taken)


FAULTS = (
    "none",
    "potential",
    "always",
    "even",
    "friction",
    "weights",
    "position",
    "order",
    "one part",
)


@pytest.fixture
def faulty_trajectory() -> Callable[..., bool]:
    """The windowed update once more, compiled, with room for a fault; without direct connections.

    "potential" leaves the kinetic energy out of H; "always" takes the accept window always; "even" chooses all states
    of a window alike; "friction" slows the momentum at each step, so that the way back is another and volume shrinks;
    "weights" takes step sizes from the output weights at the start in place of their prior variance, and "position"
    from those of each place; "order" goes through the parts from the first to the last twice; "one part" takes the
    error of the last part, as many times as there are parts, for that of all.
    """

    def update(at: Position, steps: int, window: int, factor: float, fault: str = "none") -> bool:
        chain, rng, code = at.chain, at.rng, FAULTS.index(fault)
        precisions = chain.lower[at.model.arrays(at.cases.inputs.shape[1]).set_of]
        path, energies = np.empty((2, steps + 1, len(precisions))), np.empty(steps + 1)
        offset = int(rng.integers(window))
        path[:, offset] = chain.weights, chain.momentum
        _faulty(chain, at.cases, precisions, at.model.hidden, path, energies, offset, factor, code)
        shares = np.exp(energies[offset] - energies)
        reject, accept = shares[:window].sum(), shares[-window:].sum()
        taken = fault == "always" or rng.random() * reject < accept
        first = steps + 1 - window if taken else 0
        inside = energies[first : first + window]
        each = np.cumsum(np.ones(window) if fault == "even" else np.exp(inside.min() - inside))
        chosen = first + int(np.searchsorted(each, rng.random() * each[-1], side="right"))
        chain.weights[:], chain.momentum[:] = (
            path[0, chosen],
            path[1, chosen] * (-1 if taken else 1),
        )
        return bool(taken)

    return update


@njit(cache=True, error_model="numpy")
def _move(target, factor, sizes, direction):  # type: ignore[no-untyped-def]
    for p in range(target.size):
        target[p] += factor * sizes[p] * direction[p]


@njit(cache=True, error_model="numpy")
def _leap(weights, momentum, sign, noise, cases, hidden, precisions, sizes, fault, scratch):  # type: ignore[no-untyped-def]
    """A leapfrog step, or a sweep through the parts and back; the half drifts of a sweep are not merged."""
    parts = cases.starts.size - 1
    slope, activations, residuals = scratch
    for k in range(2 if parts == 1 else 2 * parts):
        part = k if k < parts else (k - parts if fault == 7 else 2 * parts - 1 - k)
        part = 0 if parts == 1 else part
        if parts > 1:
            _move(weights, 0.5 * sign / parts, sizes, momentum)
        part_gradient(weights, cases, part, hidden, False, slope, activations, residuals)
        share = 0.5 if parts == 1 else 1.0
        for p in range(weights.size):
            momentum[p] -= (
                share * sign * sizes[p] * (noise * slope[p] + precisions[p] * weights[p] / parts)
            )
        if parts > 1 or k == 0:
            _move(weights, sign if parts == 1 else 0.5 * sign / parts, sizes, momentum)
    for p in range(weights.size):
        momentum[p] *= 0.9 if fault == 4 else 1.0


@njit(cache=True, error_model="numpy")
def _set_sizes(weights, precisions, noise, cases, hidden, factor, own, sizes):  # type: ignore[no-untyped-def]
    """Step sizes, with ``own`` from the output weights themselves in place of their precisions."""
    like = precisions.copy()
    for p in range(sizes.size - 1 - hidden, sizes.size - 1):
        like[p] = 1 / weights[p] ** 2 if own else like[p]
    step_sizes(like, noise, cases, hidden, False, factor, sizes)


@njit(cache=True, error_model="numpy")
def _faulty(chain, cases, precisions, hidden, path, energies, offset, factor, fault):  # type: ignore[no-untyped-def]
    """Fill the path [2, L + 1, P] of weights and momenta from its place ``offset`` on, and the energies [L + 1]."""
    noise, size, parts = chain.noise[0], precisions.size, cases.starts.size - 1
    sizes = np.empty(size)
    scratch = np.empty(size), np.empty(hidden * cases.targets.size), np.empty(cases.targets.size)
    _set_sizes(chain.weights, precisions, noise, cases, hidden, factor, fault == 5, sizes)
    for turn in range(path.shape[1] - 1):
        sign = -1 if turn < offset else 1
        index = offset - 1 - turn if turn < offset else turn + 1
        for p in range(size):
            path[0, index, p], path[1, index, p] = (
                path[0, index - sign, p],
                path[1, index - sign, p],
            )
        if fault == 6:
            _set_sizes(path[0, index], precisions, noise, cases, hidden, factor, True, sizes)
        _leap(
            path[0, index],
            path[1, index],
            float(sign),
            noise,
            cases,
            hidden,
            precisions,
            sizes,
            fault,
            scratch,
        )
    for index in range(path.shape[1]):
        error = total_error(path[0, index], cases, hidden, False, scratch[1], scratch[2])
        if fault == 8:
            error = parts * part_gradient(path[0, index], cases, parts - 1, hidden, False, *scratch)
        energies[index] = noise * error
        for p in range(size):
            weight, momentum = path[0, index, p], path[1, index, p]
            energies[index] += 0.5 * (
                precisions[p] * weight * weight + (0.0 if fault == 1 else momentum * momentum)
            )
