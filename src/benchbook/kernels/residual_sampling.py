"""Hamiltonian Monte Carlo for a network under a residual model, and cycles of it with draws of all other unknowns.

The total energy is H = E(w) + 1/2 sum_p t_p w_p^2 + 1/2 sum_p m_p^2, E as in ``kernels.residual_network``, t_p the
prior precision of a weight. The trajectory is that of ``kernels.sampling``, with this energy and all cases at once.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.hyperparameters import update_lower, update_upper
from benchbook.kernels.residual_network import CLASSES, gradient, scratch_for, squares, step_sizes
from benchbook.kernels.residuals import update_residuals
from benchbook.kernels.sampling import refresh, reverse
from benchbook.kernels.trajectories import (
    accept,
    copy,
    held,
    kick,
    kick_and_drift,
    meet,
    window_of,
    windows,
)


class Walk(NamedTuple):
    """The unknowns of a network but for those of its residual model, changed in place.

    weights [P]; momentum [P]; lower [S], the precision of each set of weights that share one; upper [G], that of each
    group.
    """

    weights: np.ndarray
    momentum: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


@njit(cache=True, error_model="numpy")
def case_precisions(model, prior):
    """k [N]: the scale of each case times the precision of its group."""
    out = np.empty(model.scales.size)
    for i in range(out.size):
        out[i] = model.scales[i] * model.precisions[prior.group_of[i]]
    return out


@njit(cache=True, error_model="numpy")
def update_model(walk, model, residual, observed, rng, tally):
    """Draw the residual model given the residuals; there is none for classes."""
    if observed.form[0] == CLASSES:
        return
    size = np.empty(observed.inputs.shape[0])
    squares(walk.weights, observed, size, scratch_for(observed))
    tally.passes[0] += 0.5
    update_residuals(size, observed.targets.shape[1], model, residual, rng)


@njit(cache=True, error_model="numpy")
def leap(weights, momentum, slope, sizes, priors, observed, precisions, scratch):
    """One leapfrog step; slope is dE/dw at its start and then at its end. Returns E at its end."""
    kick_and_drift(weights, momentum, slope, sizes, 1.0, priors, 1.0, 0.5, 1.0)
    error = gradient(weights, observed, precisions, slope, scratch)
    kick(weights, momentum, slope, sizes, 1.0, priors)
    return error


@njit(cache=True, error_model="numpy")
def trajectory(walk, priors, observed, precisions, steps, window, factor, rng, tally):
    """A windowed Hamiltonian Monte Carlo update of weights and momentum: ``trajectories``, all cases at once.

    A trajectory that is no longer finite leaves the state as it is and counts as diverged, and so does one whose energy
    ends more than 1000 above the start's.

    Args:
        walk: Walk, its momentum fresh; weights and momentum are changed.
        priors: [P] prior precision of each weight.
        observed: Observed.
        precisions: k [N].
        steps, window: L and W; W is at most half of the L + 1 states.
        factor: of the step sizes.
        rng: numpy generator.
        tally: sampling.Tally; a gradient is one pass.
    """
    window = max(1, min(window, (steps + 1) // 2))
    offset = int(rng.random() * window)
    tally.trials[0] += 1
    scratch, count = scratch_for(observed), walk.weights.size
    weights, momentum, slope, sizes = (
        walk.weights.copy(),
        walk.momentum.copy(),
        np.empty(count),
        np.empty(count),
    )
    step_sizes(priors, observed, precisions, factor, sizes)
    first_error = gradient(weights, observed, precisions, slope, scratch)
    first_slope = slope.copy()
    tally.passes[0] += 1.0 + steps
    start = first_error + held(weights, momentum, priors)
    both = windows(count)
    if offset > 0:
        copy(walk.momentum, -1.0, momentum)
    for k in range(-offset, steps - offset + 1):
        if k == 0:
            copy(walk.weights, 1.0, weights)
            copy(walk.momentum, 1.0, momentum)
            copy(first_slope, 1.0, slope)
            error = first_error
        else:
            error = leap(weights, momentum, slope, sizes, priors, observed, precisions, scratch)
        if not np.isfinite(error):
            tally.diverged[0] += 1
            return
        side = window_of(k, offset, steps, window)
        if side >= 0:
            gain = start - error - held(weights, momentum, priors)
            meet(both, side, k < 0, weights, momentum, error, gain, rng)
    accept(both, walk.weights, walk.momentum, tally, rng)


@njit(cache=True, error_model="numpy")
def weight_priors(walk, prior):
    """t [P]: the prior precision of each weight."""
    out = np.empty(walk.weights.size)
    for p in range(out.size):
        out[p] = walk.lower[prior.set_of[p]]
    return out


@njit(cache=True, error_model="numpy")
def cycles(
    times, walk, prior, model, residual, observed, steps, window, factor, decay, vary, rng, tally
):
    """So many cycles: where ``vary``, the residual model and the precisions of the weights; momentum; a trajectory.

    The momentum keeps the share ``decay``; with a positive one it is negated after the trajectory, so that moves
    persist and rejections turn back.
    """
    for _ in range(times):
        if vary:
            update_model(walk, model, residual, observed, rng, tally)
            update_upper(walk, prior, rng)
            update_lower(walk, prior, rng)
        refresh(walk, decay, rng)
        trajectory(
            walk,
            weight_priors(walk, prior),
            observed,
            case_precisions(model, residual),
            steps,
            window,
            factor,
            rng,
            tally,
        )
        if decay > 0.0:
            reverse(walk)
