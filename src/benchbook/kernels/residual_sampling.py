"""Hybrid Monte Carlo for a network under a residual model, and cycles of it with draws of all other unknowns.

The total energy is H = E(w) + 1/2 sum_p t_p w_p^2 + 1/2 sum_p m_p^2, E as in ``kernels.residual_network``, t_p the
prior precision of a weight. The trajectory is that of ``kernels.sampling``, with this energy and all cases at once.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.hyperparameters import update_lower, update_upper
from benchbook.kernels.residual_network import CLASSES, gradient, room, squares, step_sizes
from benchbook.kernels.residuals import update_residuals
from benchbook.kernels.sampling import refresh, reverse

_LOST = 1000.0  # a trajectory whose energy is this much above its start's has diverged


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
def case_precisions(found, prior):
    """k [N]: the scale of each case times the precision of its group."""
    out = np.empty(found.scales.size)
    for i in range(out.size):
        out[i] = found.scales[i] * found.precisions[prior.group_of[i]]
    return out


@njit(cache=True, error_model="numpy")
def update_model(walk, found, residual, observed, rng, tally):
    """Draw the residual model given the residuals; there is none for classes."""
    if observed.form[0] == CLASSES:
        return
    size = np.empty(observed.inputs.shape[0])
    squares(walk.weights, observed, size, room(observed))
    tally.passes[0] += 0.5
    update_residuals(size, observed.targets.shape[1], found, residual, rng)


@njit(cache=True, error_model="numpy")
def _held(weights, momentum, priors):
    """The energy of weights under their prior, and of the momentum."""
    total = 0.0
    for p in range(weights.size):
        total += momentum[p] * momentum[p] + priors[p] * weights[p] * weights[p]
    return 0.5 * total


@njit(cache=True, error_model="numpy")
def _copy(source, factor, target):
    for p in range(source.size):
        target[p] = factor * source[p]


@njit(cache=True, error_model="numpy")
def leap(weights, momentum, slope, sizes, priors, observed, precisions, scratch):
    """One leapfrog step; slope is dE/dw at its start and then at its end. Returns E at its end."""
    for p in range(weights.size):
        momentum[p] -= 0.5 * sizes[p] * (slope[p] + priors[p] * weights[p])
        weights[p] += sizes[p] * momentum[p]
    error = gradient(weights, observed, precisions, slope, scratch)
    for p in range(weights.size):
        momentum[p] -= 0.5 * sizes[p] * (slope[p] + priors[p] * weights[p])
    return error


@njit(cache=True, error_model="numpy")
def _log_add(a, b):
    """log(e^a + e^b), either of them possibly minus infinity."""
    top = max(a, b)
    return top if top == -np.inf else top + math.log(math.exp(a - top) + math.exp(b - top))


@njit(cache=True, error_model="numpy")
def trajectory(walk, priors, observed, precisions, steps, window, factor, rng, tally):
    """A windowed hybrid Monte Carlo update of weights and momentum: ``kernels.sampling.trajectory``, all cases at once.

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
    scratch, count = room(observed), walk.weights.size
    weights, momentum, slope, sizes = walk.weights.copy(), walk.momentum.copy(), np.empty(count), np.empty(count)
    step_sizes(priors, observed, precisions, factor, sizes)
    first_error = gradient(weights, observed, precisions, slope, scratch)
    first_slope = slope.copy()
    tally.passes[0] += 1.0 + steps
    start = first_error + _held(weights, momentum, priors)
    chosen, momenta = np.empty((2, count)), np.empty((2, count))
    totals = np.array([-np.inf, -np.inf])
    if offset > 0:
        _copy(walk.momentum, -1.0, momentum)
    for k in range(-offset, steps - offset + 1):
        # The steps k < 0 go backward, to places offset - 1, ..., 0; k = 0 returns to the start, at place offset.
        place = -k - 1 if k < 0 else offset + k
        if k == 0:
            _copy(walk.weights, 1.0, weights)
            _copy(walk.momentum, 1.0, momentum)
            _copy(first_slope, 1.0, slope)
            error = first_error
        else:
            error = leap(weights, momentum, slope, sizes, priors, observed, precisions, scratch)
        if not np.isfinite(error):
            tally.diverged[0] += 1
            return
        side = 0 if place < window else (1 if place > steps - window else -1)
        if side < 0:
            continue
        share = start - error - _held(weights, momentum, priors)
        if np.isfinite(share):
            totals[side] = _log_add(totals[side], share)
            if rng.random() < math.exp(share - totals[side]):
                _copy(weights, 1.0, chosen[side])
                _copy(momentum, -1.0 if k < 0 else 1.0, momenta[side])
    if totals[1] < -_LOST:
        tally.diverged[0] += 1
    taken = 1 if math.log(rng.random()) < totals[1] - totals[0] else 0
    tally.accepted[0] += taken
    _copy(chosen[taken], 1.0, walk.weights)
    _copy(momenta[taken], 1.0 - 2.0 * taken, walk.momentum)


@njit(cache=True, error_model="numpy")
def weight_priors(walk, prior):
    """t [P]: the prior precision of each weight."""
    out = np.empty(walk.weights.size)
    for p in range(out.size):
        out[p] = walk.lower[prior.set_of[p]]
    return out


@njit(cache=True, error_model="numpy")
def cycles(times, walk, prior, found, residual, observed, steps, window, factor, decay, vary, rng, tally):
    """So many cycles: where ``vary``, the residual model and the precisions of the weights; momentum; a trajectory.

    The momentum keeps the share ``decay``; with a positive one it is negated after the trajectory, so that moves
    persist and rejections turn back.
    """
    for _ in range(times):
        if vary:
            update_model(walk, found, residual, observed, rng, tally)
            update_upper(walk, prior, rng)
            update_lower(walk, prior, rng)
        refresh(walk, decay, rng)
        trajectory(walk, weight_priors(walk, prior), observed, case_precisions(found, residual), steps, window, factor,
                   rng, tally)
        if decay > 0.0:
            reverse(walk)
