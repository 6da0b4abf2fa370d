"""A network of one hidden layer of tanh units with several outputs: what the weights cost under a residual model.

    h_j = tanh(a_j + sum_i u_ji x_i),      f_o = b_o + sum_j v_oj h_j,      g = sum_j r_j h_j + sum_i s_i x_i.

The weights are one vector [P] of the groups, in this order: u [h, d] by hidden unit, a [h], v [T, h], r [h] when the
spread depends on the inputs, b [T], and then s [d]. With one output and no r and s they are those of ``kernels.mlp``.
Minus the log likelihood, up to what does not depend on the weights, is

    real targets      E = 1/2 sum_i k_i sum_o (f_io - y_io)^2
    with a spread     E = 1/2 sum_i [k_i exp(-g_i) (f_i - y_i)^2 + g_i]
    two classes       E = sum_i [log(1 + exp(f_i)) - y_i f_i].

k_i is the precision of case i as the residual model has it, and exp(g_i) the factor of its variance. The cases are
taken in blocks, and sums are those of ``kernels.products``, for the reasons given in ``kernels.mlp``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.activations import tanh_all
from benchbook.kernels.exponentials import exp, log
from benchbook.kernels.mlp import BLOCK
from benchbook.kernels.products import add_product, back_through_tanh, inner

REAL, SPREAD, CLASSES = range(3)


class Observed(NamedTuple):
    """Training cases and the form of the network.

    inputs [N, d]; blocks [N d], the transposed inputs [d, n] of each block of cases, one after the other; targets
    [N, T], 0 or 1 for classes; form [2], which of the three likelihoods, and h.
    """

    inputs: np.ndarray
    blocks: np.ndarray
    targets: np.ndarray
    form: np.ndarray


class Scratch(NamedTuple):
    """Room for a block: activations [h BLOCK]; outputs [O, BLOCK], and their slopes; mixed [BLOCK]."""

    activations: np.ndarray
    outputs: np.ndarray
    mixed: np.ndarray


def in_blocks(inputs: np.ndarray) -> np.ndarray:
    """The transposed inputs [d, n] of each block of BLOCK cases of inputs [N, d], one after the other, [N d]."""
    pieces = [inputs[first : first + BLOCK].T.ravel() for first in range(0, len(inputs), BLOCK)]
    return np.concatenate(pieces)


@njit(cache=True, error_model="numpy")
def room(observed):
    """Scratch for these cases."""
    outputs = observed.targets.shape[1] + (1 if observed.form[0] == SPREAD else 0)
    return Scratch(np.empty(observed.form[1] * BLOCK), np.empty((outputs, BLOCK)), np.empty(BLOCK))


@njit(cache=True, error_model="numpy")
def forward(weights, observed, first, n, scratch):
    """Outputs of the cases first to first + n - 1 into ``scratch.outputs`` [O, BLOCK], g last; and hidden values."""
    d, targets = observed.inputs.shape[1], observed.targets.shape[1]
    form, hidden = observed.form
    outer = hidden * (d + 1)
    last = outer + scratch.outputs.shape[0] * hidden
    act, out, at = scratch.activations, scratch.outputs, first * d
    add_product(weights, 0, observed.blocks, at, n, act, 0, n, hidden, d, n, weights, hidden * d, 1)
    tanh_all(act[: hidden * n])
    add_product(weights, outer, act, 0, n, out, 0, BLOCK, targets, hidden, n, weights, last, 1)
    if form == SPREAD:
        for c in range(n):
            out[targets, c] = 0.0
        place = targets * BLOCK
        add_product(weights, last + targets, observed.blocks, at, n, out, place, BLOCK, 1, d, n, weights, 0, 0)
        add_product(weights, outer + targets * hidden, act, 0, n, out, place, BLOCK, 1, hidden, n, weights, 0, 0)


@njit(cache=True, error_model="numpy")
def cost(observed, precisions, first, n, scratch):
    """E of a block whose outputs are in ``scratch.outputs``, which its slopes dE/df and dE/dg take the place of."""
    out, targets = scratch.outputs, observed.targets
    error = 0.0
    if observed.form[0] == CLASSES:
        for c in range(n):
            f, y = out[0, c], targets[first + c, 0]
            small = exp(-abs(f))
            error += max(f, 0.0) + log(1.0 + small) - y * f
            out[0, c] = (1.0 if f >= 0.0 else small) / (1.0 + small) - y
    elif observed.form[0] == SPREAD:
        for c in range(n):
            residual, g = out[0, c] - targets[first + c, 0], out[1, c]
            slope = precisions[first + c] * exp(-g) * residual
            error += 0.5 * (slope * residual + g)
            out[0, c] = slope
            out[1, c] = 0.5 - 0.5 * slope * residual
    else:
        for o in range(targets.shape[1]):
            for c in range(n):
                residual = out[o, c] - targets[first + c, o]
                slope = precisions[first + c] * residual
                error += 0.5 * slope * residual
                out[o, c] = slope
    return error


@njit(cache=True, error_model="numpy")
def _backward(weights, observed, first, n, slope, scratch):
    """Add to slope [P] what a block gives, from the slopes by its outputs and its hidden values, which are lost."""
    d, targets = observed.inputs.shape[1], observed.targets.shape[1]
    form, hidden = observed.form
    act, out, mixed = scratch.activations, scratch.outputs, scratch.mixed
    outputs, bias = out.shape[0], hidden * d
    outer = bias + hidden
    last = outer + outputs * hidden
    for o in range(targets):
        total = 0.0
        for c in range(n):
            total += out[o, c]
        slope[last + o] += total
    for j in range(hidden):
        if outputs == 1:
            to_bias, to_output = back_through_tanh(act, j * n, out, 0, weights[outer + j], n)
            slope[outer + j] += to_output
        else:
            for c in range(n):
                mixed[c] = 0.0
            for o in range(outputs):
                weight = weights[outer + o * hidden + j]
                slope[outer + o * hidden + j] += inner(act, j * n, out, o * BLOCK, n)
                for c in range(n):
                    mixed[c] += weight * out[o, c]
            to_bias, to_output = back_through_tanh(act, j * n, mixed, 0, 1.0, n)
        slope[bias + j] += to_bias
    add_product(act, 0, observed.inputs, first * d, d, slope, 0, d, hidden, n, d, slope, 0, 0)
    if form == SPREAD:
        add_product(out, targets * BLOCK, observed.inputs, first * d, d, slope, last + targets, d, 1, n, d, slope, 0, 0)


@njit(cache=True, error_model="numpy")
def gradient(weights, observed, precisions, slope, scratch):
    """E and, into slope [P], its gradient.

    Args:
        weights: [P].
        observed: Observed.
        precisions: k [N]; not looked at for classes.
        slope: [P], filled.
        scratch: from ``room``.
    """
    for p in range(slope.size):
        slope[p] = 0.0
    error = 0.0
    size = observed.inputs.shape[0]
    for first in range(0, size, BLOCK):
        n = min(BLOCK, size - first)
        forward(weights, observed, first, n, scratch)
        error += cost(observed, precisions, first, n, scratch)
        _backward(weights, observed, first, n, slope, scratch)
    return error


@njit(cache=True, error_model="numpy")
def squares(weights, observed, found, scratch):
    """Into found [N], the squared residuals over exp(g), summed over the outputs; returns sum_i g_i."""
    size, targets = observed.inputs.shape[0], observed.targets.shape[1]
    total = 0.0
    for first in range(0, size, BLOCK):
        n = min(BLOCK, size - first)
        forward(weights, observed, first, n, scratch)
        for c in range(n):
            found[first + c] = 0.0
            for o in range(targets):
                residual = scratch.outputs[o, c] - observed.targets[first + c, o]
                found[first + c] += residual * residual
            if observed.form[0] == SPREAD:
                g = scratch.outputs[targets, c]
                found[first + c] *= exp(-g)
                total += g
    return total


@njit(cache=True, error_model="numpy")
def step_sizes(priors, observed, precisions, factor, sizes):
    """A leapfrog step size for each weight: factor / sqrt(estimated second derivative of the energy).

    The estimate is that of ``network_force.step_sizes``, with what a case adds: its precision k_i for an output, 1/2
    for g (what is expected of the second derivative by g), and 1/4, the largest there is, for classes. The sizes depend
    on hyperparameters, precisions and inputs but never on the weights, which keeps the dynamics exact.

    Args:
        priors: [P] prior precision of each weight.
        observed: Observed.
        precisions: k [N].
        factor: f.
        sizes: [P], filled.
    """
    size, d = observed.inputs.shape
    targets = observed.targets.shape[1]
    form, hidden = observed.form
    outputs = targets + (1 if form == SPREAD else 0)
    bias = hidden * d
    outer = bias + hidden
    last = outer + outputs * hidden
    sums, halves = np.zeros(d), np.zeros(d)
    total = 0.0
    for i in range(size):
        weight = 0.25 if form == CLASSES else precisions[i]
        total += weight
        for j in range(d):
            square = observed.inputs[i, j] * observed.inputs[i, j]
            sums[j] += weight * square
            halves[j] += 0.5 * square
    for j in range(hidden):
        back, spread = 0.0, 0.0
        for o in range(targets):
            back += 1.0 / priors[outer + o * hidden + j]
            sizes[outer + o * hidden + j] = total
        if form == SPREAD:
            spread = 1.0 / priors[outer + targets * hidden + j]
            sizes[outer + targets * hidden + j] = 0.5 * size
        for i in range(d):
            sizes[j * d + i] = back * sums[i] + spread * halves[i]
        sizes[bias + j] = back * total + spread * 0.5 * size
    for o in range(targets):
        sizes[last + o] = total
    if form == SPREAD:
        for i in range(d):
            sizes[last + targets + i] = halves[i]
    for p in range(sizes.size):
        sizes[p] = factor / np.sqrt(sizes[p] + priors[p])
