"""A network with one hidden layer of tanh units and one linear output: outputs, error, gradient, batch training.

    h_j = tanh(a_j + sum_i u_ji x_i),      f = b + sum_j v_j h_j  (+ sum_i s_i x_i),      E = 1/2 sum_c (f_c - t_c)^2

The weights are one vector [P] of the groups, in this order: input-hidden u [h, d] by hidden unit, hidden biases a [h],
hidden-output v [h], output bias b, and the direct input-output weights s [d] when the network has them.
P = h (d + 2) + 1, and d more with direct connections.

Inputs come in both layouts, [N, d] and [d, N]: going forward the cases are the lanes of the vector instructions, going
back the inputs are, so no sums across lanes arise. The cases are taken in blocks, small enough that the activations
[h, BLOCK] made on the way forward are still in the nearest cache on the way back. The sums are those of
``kernels.products``, so the results are the same to the bit wherever they are computed.
"""

import numpy as np
from numba import njit

from benchbook.kernels.activations import tanh_all
from benchbook.kernels.products import add_product, back_through_tanh, inner, multiply_add

BLOCK = 64


@njit(cache=True, error_model="numpy")
def _forward(weights, inputs_t, first, n, hidden, direct, activations, out, out_at):
    """Outputs for the cases first to first + n - 1, from ``out_at`` on, and the hidden values [h, n]."""
    d, step = inputs_t.shape
    bias = hidden * d
    last = bias + 2 * hidden
    add_product(weights, 0, inputs_t, first, step, activations, 0, n, hidden, d, n, weights, bias, 1)
    if direct:
        add_product(weights, last + 1, inputs_t, first, step, out, out_at, n, 1, d, n, weights, last, 1)
    tanh_all(activations[: hidden * n])
    fresh = 0 if direct else 1
    add_product(weights, bias + hidden, activations, 0, n, out, out_at, n, 1, hidden, n, weights, last, fresh)


@njit(cache=True, error_model="numpy")
def outputs(weights, inputs_t, hidden, direct, activations, out):
    """Outputs of the network.

    Args:
        weights: [P].
        inputs_t: [d, N].
        hidden: h.
        direct: whether there are direct input-output weights.
        activations: [h, N], scratch.
        out: [N], filled with the outputs.
    """
    n = out.size
    room = activations.reshape(hidden * n)
    for first in range(0, n, BLOCK):
        _forward(weights, inputs_t, first, min(BLOCK, n - first), hidden, direct, room, out, first)


@njit(cache=True, error_model="numpy")
def gradient(weights, inputs, inputs_t, targets, hidden, direct, slope, activations, residuals):
    """Error E and its gradient.

    Args:
        weights: [P].
        inputs, inputs_t: [N, d] and [d, N], the same numbers.
        targets: [N].
        hidden: h.
        direct: whether there are direct input-output weights.
        slope: [P], filled with dE/dw.
        activations, residuals: [h, N] and [N], scratch.

    Returns:
        E.
    """
    size, d = inputs.shape
    room = activations.reshape(hidden * size)
    bias = hidden * d
    last = bias + 2 * hidden
    for p in range(slope.size):
        slope[p] = 0.0
    error = 0.0
    for first in range(0, size, BLOCK):
        n = min(BLOCK, size - first)
        _forward(weights, inputs_t, first, n, hidden, direct, room, residuals, 0)
        total = 0.0
        for c in range(n):
            residuals[c] -= targets[first + c]
            total += residuals[c]
        slope[last] += total
        error += inner(residuals, 0, residuals, 0, n)
        for j in range(hidden):
            to_bias, to_output = back_through_tanh(room, j * n, residuals, 0, weights[bias + hidden + j], n)
            slope[bias + j] += to_bias
            slope[bias + hidden + j] += to_output
        add_product(room, 0, inputs, first * d, d, slope, 0, d, hidden, n, d, slope, 0, 0)
        if direct:
            add_product(residuals, 0, inputs, first * d, d, slope, last + 1, d, 1, n, d, slope, 0, 0)
    return 0.5 * error


@njit(cache=True, error_model="numpy")
def descend(weights, inputs, inputs_t, targets, held_t, held_targets, hidden, direct, step, saves, saved, errors):
    """Batch gradient descent w <- w - step dE/dw, saving the network on the way.

    Args:
        weights: [P], changed in place.
        inputs, inputs_t, targets: [N, d], [d, N], [N], the cases that the gradient is of.
        held_t, held_targets: [d, V], [V], the cases held out for validation.
        hidden: h.
        direct: whether there are direct input-output weights.
        step: the factor of the gradient.
        saves: [S] increasing iteration numbers from 1; training ends with the last.
        saved: [S, P], filled with the weights after those iterations.
        errors: [S], filled with the mean squared error over the held-out cases after those iterations, infinity where
            it is not finite or training had ended because E was no longer finite.

    Returns:
        the number of iterations completed.
    """
    n = targets.size
    activations = np.empty((hidden, n))
    residuals = np.empty(n)
    held_activations = np.empty((hidden, held_targets.size))
    held_outputs = np.empty(held_targets.size)
    slope = np.empty_like(weights)
    for row in range(saves.size):
        errors[row] = np.inf
    row = 0
    for iteration in range(1, saves[-1] + 1):
        if not np.isfinite(gradient(weights, inputs, inputs_t, targets, hidden, direct, slope, activations, residuals)):
            return iteration - 1
        for k in range(weights.size):
            weights[k] = multiply_add(-step, slope[k], weights[k])
        if iteration == saves[row]:
            outputs(weights, held_t, hidden, direct, held_activations, held_outputs)
            error = 0.0
            for c in range(held_targets.size):
                error += (held_outputs[c] - held_targets[c]) ** 2
            for k in range(weights.size):
                saved[row, k] = weights[k]
            if np.isfinite(error):
                errors[row] = error / held_targets.size
            row += 1
    return saves[-1]
