"""A network with one hidden layer of tanh units and one linear output: outputs, error, gradient, batch training.

    h_j = tanh(a_j + sum_i u_ji x_i),      f = b + sum_j v_j h_j  (+ sum_i s_i x_i),      E = 1/2 sum_c (f_c - t_c)^2

The weights are one vector [P] of the groups, in this order: input-hidden u [h, d] by hidden unit, hidden biases a [h],
hidden-output v [h], output bias b, and the direct input-output weights s [d] when the network has them.
P = h (d + 2) + 1, and d more with direct connections.

Inputs come in both layouts, [N, d] and [d, N]: going forward the cases are the lanes of the vector instructions, going
back the inputs are, so no sums across lanes arise. The activations are [h, N], one run of cases for each unit. The two
matrix products are the BLAS library's; ``outputs`` and ``gradient`` are the places to put another product in. With one
BLAS thread the results are the same to the bit from run to run on one machine.
"""

import numpy as np
from numba import njit

from benchbook.kernels.activations import tanh

_SUMS = {"contract", "nsz", "reassoc"}  # lets the sums over cases become vector sums


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def outputs(weights, inputs_t, hidden, direct, activations, out):
    """Outputs of the network.

    Args:
        weights: [P].
        inputs_t: [d, N].
        hidden: h.
        direct: whether there are direct input-output weights.
        activations: [h, N], filled with the values of the hidden units.
        out: [N], filled with the outputs.
    """
    d, n = inputs_t.shape
    bias = hidden * d
    np.dot(weights[:bias].reshape((hidden, d)), inputs_t, activations)
    last = bias + 2 * hidden
    if direct:
        np.dot(weights[last + 1 :], inputs_t, out)
        for c in range(n):
            out[c] += weights[last]
    else:
        out[:] = weights[last]
    for j in range(hidden):
        a = weights[bias + j]
        v = weights[bias + hidden + j]
        for c in range(n):
            value = tanh(activations[j, c] + a)
            activations[j, c] = value
            out[c] += v * value


@njit(cache=True, error_model="numpy", fastmath=_SUMS)
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
    n, d = inputs.shape
    bias = hidden * d
    last = bias + 2 * hidden
    outputs(weights, inputs_t, hidden, direct, activations, residuals)
    error = 0.0
    total = 0.0
    for c in range(n):
        residual = residuals[c] - targets[c]
        residuals[c] = residual
        error += residual * residual
        total += residual
    slope[last] = total
    for j in range(hidden):
        v = weights[bias + hidden + j]
        to_bias = 0.0
        to_output = 0.0
        for c in range(n):
            value = activations[j, c]
            to_output += residuals[c] * value
            delta = residuals[c] * (1.0 - value * value) * v
            to_bias += delta
            activations[j, c] = delta
        slope[bias + j] = to_bias
        slope[bias + hidden + j] = to_output
    np.dot(activations, inputs, slope[:bias].reshape((hidden, d)))
    if direct:
        np.dot(residuals, inputs, slope[last + 1 :])
    return 0.5 * error


@njit(cache=True, error_model="numpy", fastmath={"contract"})
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
    errors[:] = np.inf
    row = 0
    for iteration in range(1, saves[-1] + 1):
        if not np.isfinite(gradient(weights, inputs, inputs_t, targets, hidden, direct, slope, activations, residuals)):
            return iteration - 1
        for k in range(weights.size):
            weights[k] -= step * slope[k]
        if iteration == saves[row]:
            outputs(weights, held_t, hidden, direct, held_activations, held_outputs)
            error = np.mean((held_outputs - held_targets) ** 2)
            saved[row] = weights
            if np.isfinite(error):
                errors[row] = error
            row += 1
    return saves[-1]
