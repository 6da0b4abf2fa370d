"""Hamiltonian Monte Carlo for the weights of a network: leapfrog, partial gradients, windowed acceptance, momentum.

The total energy is H = U(w) + 1/2 sum_p m_p^2, U as in ``kernels.network_force``; each weight has a step size of its
own, which is the same as a mass of its own (Neal, Bayesian Learning for Neural Networks, 1996, section 3.1).
``trajectory`` is an involution in distribution: it leaves exp(-H) invariant, and is its own time reversal.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.network_force import largest_part, part_gradient, step_sizes, total_error
from benchbook.kernels.trajectories import (
    accept,
    copy,
    drift,
    held,
    kick,
    kick_and_drift,
    meet,
    window_of,
    windows,
)


class Chain(NamedTuple):
    """The state of a chain, changed in place.

    weights [P]; momentum [P]; lower [S], the precision of each set of weights that share one; upper [G], that of each
    group; noise [1], the noise precision; error [1], E at the weights.
    """

    weights: np.ndarray
    momentum: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    noise: np.ndarray
    error: np.ndarray


class Motion(NamedTuple):
    """Where a trajectory is, and what moves it.

    weights, momentum, slope (of E), sizes (of the steps) and precisions (of the prior), all [P]; activations [h n] and
    residuals [n], scratch for the largest part.
    """

    weights: np.ndarray
    momentum: np.ndarray
    slope: np.ndarray
    sizes: np.ndarray
    precisions: np.ndarray
    activations: np.ndarray
    residuals: np.ndarray


class Tally(NamedTuple):
    """What happened, added to in place: passes [1] (an error without gradient counts one half), trials [1],
    accepted [1], diverged [1]."""

    passes: np.ndarray
    trials: np.ndarray
    accepted: np.ndarray
    diverged: np.ndarray


@njit(cache=True, error_model="numpy")
def refresh(chain, decay, rng):
    """m <- decay m + sqrt(1 - decay^2) z with z standard normal; decay 0 forgets the old momentum ("heatbath")."""
    width = math.sqrt(1.0 - decay * decay)
    for p in range(chain.momentum.size):
        chain.momentum[p] = decay * chain.momentum[p] + width * rng.standard_normal()


@njit(cache=True, error_model="numpy")
def reverse(chain):
    """m <- -m."""
    for p in range(chain.momentum.size):
        chain.momentum[p] = -chain.momentum[p]


@njit(cache=True, error_model="numpy")
def full_step(motion, noise, cases, hidden, direct):
    """One leapfrog step, momentum first, with the gradient over all cases; returns E at its end.

    ``motion.slope`` is the gradient of E, on entry at the start of the step and on return at its end.
    """
    weights, momentum, slope, sizes, precisions, activations, residuals = motion
    kick_and_drift(weights, momentum, slope, sizes, noise, precisions, 1.0, 0.5, 1.0)
    error = part_gradient(weights, cases, 0, hidden, direct, slope, activations, residuals)
    kick(weights, momentum, slope, sizes, noise, precisions)
    return error


@njit(cache=True, error_model="numpy")
def double_sweep(motion, noise, cases, hidden, direct):
    """One step through all K parts, forth and back again: 2 K leapfrog steps, weights first, each 1 / K long.

    Each uses K times the gradient over one part in place of the gradient over all. The order 1..K, K..1 is symmetric,
    so that the step is its own time reversal (Neal 1996, section 3.5.1). Returns the last part's E before the last
    half step, to show whether all is finite. A part's kick and the drift to the next are one loop over the weights.
    """
    weights, momentum, slope, sizes, precisions, activations, residuals = motion
    parts = cases.starts.size - 1
    share = 1.0 / parts
    error = 0.0
    drift(weights, momentum, sizes, 0.5 * share)
    for k in range(2 * parts):
        part = k if k < parts else 2 * parts - 1 - k
        error = part_gradient(weights, cases, part, hidden, direct, slope, activations, residuals)
        if not np.isfinite(error):
            return error
        drifted = share if k < 2 * parts - 1 else 0.5 * share
        kick_and_drift(weights, momentum, slope, sizes, noise, precisions, share, 1.0, drifted)
    return error


@njit(cache=True, error_model="numpy")
def _advance(motion, noise, cases, hidden, direct, needed, tally):
    """One step of either kind; E at its end where ``needed`` or known, and in any case not finite when lost."""
    if cases.starts.size == 2:
        tally.passes[0] += 1.0
        return full_step(motion, noise, cases, hidden, direct)
    tally.passes[0] += 2.0
    error = double_sweep(motion, noise, cases, hidden, direct)
    if needed and np.isfinite(error):
        tally.passes[0] += 0.5
        error = total_error(
            motion.weights, cases, hidden, direct, motion.activations, motion.residuals
        )
    return error


@njit(cache=True, error_model="numpy")
def _set_out(chain, cases, precisions, hidden, direct, factor, tally):
    """A motion at the state of the chain."""
    size, largest = chain.weights.size, largest_part(cases)
    motion = Motion(
        chain.weights.copy(),
        chain.momentum.copy(),
        np.zeros(size),
        np.empty(size),
        precisions,
        np.empty(hidden * largest),
        np.empty(largest),
    )
    step_sizes(precisions, chain.noise[0], cases, hidden, direct, factor, motion.sizes)
    if cases.starts.size == 2:
        part_gradient(
            motion.weights,
            cases,
            0,
            hidden,
            direct,
            motion.slope,
            motion.activations,
            motion.residuals,
        )
        tally.passes[0] += 1.0
    return motion


@njit(cache=True, error_model="numpy")
def trajectory(chain, cases, precisions, hidden, direct, steps, window, factor, rng, tally):
    """A windowed Hamiltonian Monte Carlo update of weights and momentum: ``trajectories``, with windows of W states.

    W is at most half of the L + 1 states.

    With K > 1 parts of the cases, a step is ``double_sweep`` and costs two passes over the cases, and H in the windows
    half a pass each; with one part a step costs one pass.

    A trajectory that is no longer finite leaves the state as it is; it counts as diverged, and so does one whose energy
    ends more than 1000 above the start's.

    Args:
        chain: Chain, its momentum fresh; weights, momentum and error are changed.
        cases: Cases.
        precisions: [P] prior precision of each weight.
        hidden: h.
        direct: whether there are direct input-output weights.
        steps: L.
        window: W.
        factor: of the step sizes.
        rng: numpy generator.
        tally: Tally.
    """
    noise = chain.noise[0]
    window = max(1, min(window, (steps + 1) // 2))
    offset = int(rng.random() * window)
    tally.trials[0] += 1

    motion = _set_out(chain, cases, precisions, hidden, direct, factor, tally)
    first_slope = motion.slope.copy()
    start = noise * chain.error[0] + held(motion.weights, motion.momentum, precisions)
    both = windows(chain.weights.size)
    if offset > 0:
        copy(chain.momentum, -1.0, motion.momentum)
    for k in range(-offset, steps - offset + 1):
        side = window_of(k, offset, steps, window)
        if k == 0:
            copy(chain.weights, 1.0, motion.weights)
            copy(chain.momentum, 1.0, motion.momentum)
            copy(first_slope, 1.0, motion.slope)
            error = chain.error[0]
        else:
            error = _advance(motion, noise, cases, hidden, direct, side >= 0, tally)
        if not np.isfinite(error):
            tally.diverged[0] += 1
            return
        if side >= 0:
            gain = start - (noise * error + held(motion.weights, motion.momentum, precisions))
            meet(both, side, k < 0, motion.weights, motion.momentum, error, gain, rng)
    chain.error[0] = both.errors[accept(both, chain.weights, chain.momentum, tally, rng)]
