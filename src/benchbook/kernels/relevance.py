"""Batch gradient descent of a network whose input weights take steps of their own, by the gradient out of each input.

    g_i = sum_j (dE/du_ji)^2,      r_i = (g_i / max_k g_k)^2,      u_ji <- u_ji - step r_i dE/du_ji

E is the error over all training cases, u_ji the weight from input i to hidden unit j; all other weights take r = 1. The
network and the order of its weights are those of ``kernels.mlp``.
"""

import numpy as np
from numba import njit

from benchbook.kernels.mlp import gradient, outputs

_LEAST = 1e-10  # stands for the maximum when it is zero


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def input_factors(slope, hidden, factors):
    """The factors r.

    Args:
        slope: [P], dE/dw; the first h d numbers are the input-hidden weights' by hidden unit.
        hidden: h.
        factors: [d], filled with r; all 0 when no input has a gradient.
    """
    d = factors.size
    for i in range(d):
        factors[i] = 0.0
    for j in range(hidden):
        for i in range(d):
            factors[i] += slope[j * d + i] * slope[j * d + i]
    largest = 0.0
    for i in range(d):
        largest = max(largest, factors[i])
    if largest == 0.0:
        largest = _LEAST
    for i in range(d):
        ratio = factors[i] / largest
        factors[i] = ratio * ratio


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def _move(weights, slope, factors, hidden, step):
    """w <- w - step r dE/dw."""
    d = factors.size
    for j in range(hidden):
        for i in range(d):
            weights[j * d + i] -= step * factors[i] * slope[j * d + i]
    for k in range(hidden * d, weights.size):
        weights[k] -= step * slope[k]


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def descend(weights, inputs, inputs_t, targets, held_t, held_targets, hidden, step, saves, saved, errors, trace):
    """Train, saving the network and the factors on the way; the network has no direct connections.

    Args:
        weights: [P], changed in place.
        inputs, inputs_t, targets: [N, d], [d, N], [N], the cases that the gradient is of.
        held_t, held_targets: [d, V], [V], the cases held out for validation.
        hidden: h.
        step: the factor of the gradient that all weights share.
        saves: [S] increasing iteration numbers from 1; training ends with the last.
        saved: [S, P], filled with the weights after those iterations.
        errors: [S], filled with the mean squared error over the held-out cases after those iterations, infinity where
            it is not finite or training had ended because E was no longer finite.
        trace: [S, d], filled with the factors of those iterations.

    Returns:
        the number of iterations completed.
    """
    n, d = inputs.shape
    activations, residuals = np.empty((hidden, n)), np.empty(n)
    held_activations, held_outputs = np.empty((hidden, held_targets.size)), np.empty(held_targets.size)
    slope, factors = np.empty_like(weights), np.empty(d)
    for row in range(saves.size):
        errors[row] = np.inf
    row = 0
    for iteration in range(1, saves[-1] + 1):
        error = gradient(weights, inputs, inputs_t, targets, hidden, False, slope, activations, residuals)
        if not np.isfinite(error):
            return iteration - 1
        input_factors(slope, hidden, factors)
        _move(weights, slope, factors, hidden, step)
        if iteration == saves[row]:
            outputs(weights, held_t, hidden, False, held_activations, held_outputs)
            error = 0.0
            for c in range(held_targets.size):
                error += (held_outputs[c] - held_targets[c]) ** 2
            for k in range(weights.size):
                saved[row, k] = weights[k]
            for i in range(d):
                trace[row, i] = factors[i]
            if np.isfinite(error):
                errors[row] = error / held_targets.size
            row += 1
    return saves[-1]
