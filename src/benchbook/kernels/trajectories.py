"""What the trajectories of Hamiltonian Monte Carlo share, whatever the energy: leapfrog steps, windows, acceptance.

The loops that call these are compiled for one energy each, because a function that is handed to compiled code would be
compiled again in every process; the work that is not the energy's is here. With windows of W states, an offset s is
drawn from 0..W-1 and the dynamics run s steps backward and L - s steps forward from the state. The first W states are
the reject window R, the last W the accept window A. A is taken with probability min(1, sum_A e^-H / sum_R e^-H), then a
state of the window taken with probability proportional to e^-H; from A the momentum is negated (Neal, An improved
acceptance procedure for the hybrid Monte Carlo algorithm, 1994). W = 1 is the ordinary rule.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

LOST = 1000.0  # a trajectory whose energy is this much above its start's has diverged


class Windows(NamedTuple):
    """What is known of the reject window and the accept window.

    weights, momenta [2, P] and errors [2] of the state chosen from each so far; totals [2], log sum e^(H_start - H).
    """

    weights: np.ndarray
    momenta: np.ndarray
    errors: np.ndarray
    totals: np.ndarray


@njit(cache=True, error_model="numpy", inline="always")
def windows(size):
    """Both windows, empty, for states of so many weights."""
    return Windows(
        np.empty((2, size)), np.empty((2, size)), np.empty(2), np.array([-np.inf, -np.inf])
    )


@njit(cache=True, error_model="numpy", inline="always")
def window_of(step, offset, steps, window):
    """The window of the state after step k from -s to L - s: 0 to reject, 1 to accept, -1 for none.

    The steps k < 0 go backward, to places s - 1, ..., 0; k = 0 returns to the start, at place s.
    """
    index = -step - 1 if step < 0 else offset + step
    return 0 if index < window else (1 if index > steps - window else -1)


@njit(cache=True, error_model="numpy")
def copy(source, factor, target):
    """target <- factor source; a slice assignment takes numba a second to compile."""
    for p in range(source.size):
        target[p] = factor * source[p]


@njit(cache=True, error_model="numpy", inline="always")
def kick_and_drift(weights, momentum, slope, sizes, noise, precisions, prior, kicked, drifted):
    """A kick of the momentum by ``kicked`` of a step, then a drift of the weights by ``drifted``, in one loop.

    ``prior`` is the share of the prior's force that goes with this slope, 1 where the slope is that of all cases.
    """
    for p in range(weights.size):
        momentum[p] -= kicked * sizes[p] * (noise * slope[p] + prior * precisions[p] * weights[p])
        weights[p] += drifted * sizes[p] * momentum[p]


@njit(cache=True, error_model="numpy", inline="always")
def kick(weights, momentum, slope, sizes, noise, precisions):
    """The last part of a leapfrog step: half a step of the momentum, with the slope at the new weights."""
    for p in range(weights.size):
        momentum[p] -= 0.5 * sizes[p] * (noise * slope[p] + precisions[p] * weights[p])


@njit(cache=True, error_model="numpy", inline="always")
def drift(weights, momentum, sizes, drifted):
    """A drift of the weights alone, by ``drifted`` of a step."""
    for p in range(weights.size):
        weights[p] += drifted * sizes[p] * momentum[p]


@njit(cache=True, error_model="numpy", inline="always")
def held(weights, momentum, precisions):
    """1/2 sum_p (m_p^2 + t_p w_p^2): the energy of the momentum, and of the weights under their prior."""
    total = 0.0
    for p in range(weights.size):
        weight = weights[p]
        total += momentum[p] * momentum[p] + precisions[p] * weight * weight
    return 0.5 * total


@njit(cache=True, error_model="numpy")
def _log_add(a, b):
    """log(e^a + e^b), either of them possibly minus infinity."""
    if a < b:
        a, b = b, a
    if b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@njit(cache=True, error_model="numpy", inline="always")
def meet(both, side, backward, weights, momentum, error, gain, rng):
    """Take a state into its window, with gain = H_start - H; one whose energy is not finite has no share of it."""
    if np.isfinite(gain):
        both.totals[side] = _log_add(both.totals[side], gain)
        if rng.random() < math.exp(gain - both.totals[side]):
            copy(weights, 1.0, both.weights[side])
            copy(momentum, -1.0 if backward else 1.0, both.momenta[side])
            both.errors[side] = error


@njit(cache=True, error_model="numpy", inline="always")
def accept(both, weights, momentum, tally, rng):
    """Put the end of a trajectory in the place of the state: which window it is from, 0 or 1, is returned."""
    if both.totals[1] < -LOST:
        tally.diverged[0] += 1
    taken = 1 if math.log(rng.random()) < both.totals[1] - both.totals[0] else 0
    tally.accepted[0] += taken
    copy(both.weights[taken], 1.0, weights)
    copy(both.momenta[taken], 1.0 - 2.0 * taken, momentum)
    return taken
