"""A network of one hidden layer of tanh units with several outputs: what the weights cost under a residual model.

    h_j = tanh(a_j + sum_i u_ji x_i),      f_o = b_o + sum_j v_oj h_j,      g = sum_j r_j h_j + sum_i s_i x_i.

The weights are one vector [P] of the groups, in this order: u [h, d] by hidden unit, a [h], v [T, h], r [h] when the
spread depends on the inputs, b [T], and then s [d]; the ways forward and back are those of ``kernels.mlp``.
Minus the log likelihood, up to what does not depend on the weights, is

    real targets      E = 1/2 sum_i k_i sum_o (f_io - y_io)^2
    with a spread     E = 1/2 sum_i [k_i exp(-g_i) (f_i - y_i)^2 + g_i]
    two classes       E = sum_i [log(1 + exp(f_i)) - y_i f_i].

k_i is the precision of case i as the residual model has it, and exp(g_i) the factor of its variance. The cases are
taken in blocks, for the reason given in ``kernels.mlp``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels import mlp
from benchbook.kernels.exponentials import exp, log
from benchbook.kernels.mlp import BLOCK

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
def scratch_for(observed):
    """Scratch for these cases."""
    outputs = observed.targets.shape[1] + (1 if observed.form[0] == SPREAD else 0)
    return Scratch(np.empty(observed.form[1] * BLOCK), np.empty((outputs, BLOCK)), np.empty(BLOCK))


@njit(cache=True, error_model="numpy")
def form_of(observed):
    """The form of the network, for ``mlp.forward``: the targets have a bias, and g has direct weights in its place."""
    targets, spread = observed.targets.shape[1], observed.form[0] == SPREAD
    return observed.form[1], targets + (1 if spread else 0), targets, spread


@njit(cache=True, error_model="numpy")
def forward(weights, observed, first, n, scratch):
    """Outputs of the cases first to first + n - 1 into ``scratch.outputs`` [O, BLOCK], g last; and hidden values."""
    d = observed.inputs.shape[1]
    mlp.forward(
        weights,
        observed.blocks,
        first * d,
        n,
        n,
        d,
        form_of(observed),
        scratch.activations,
        scratch.outputs.reshape(scratch.outputs.size),
        0,
        BLOCK,
    )


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
def gradient(weights, observed, precisions, slope, scratch):
    """E and, into slope [P], its gradient.

    Args:
        weights: [P].
        observed: Observed.
        precisions: k [N]; not looked at for classes.
        slope: [P], filled.
        scratch: from ``scratch_for``.
    """
    for p in range(slope.size):
        slope[p] = 0.0
    error = 0.0
    size, d = observed.inputs.shape
    form = form_of(observed)
    hidden, outputs, targets, _ = form
    last = hidden * (d + 1 + outputs)
    out = scratch.outputs.reshape(scratch.outputs.size)
    for first in range(0, size, BLOCK):
        n = min(BLOCK, size - first)
        forward(weights, observed, first, n, scratch)
        error += cost(observed, precisions, first, n, scratch)
        for o in range(targets):
            total = 0.0
            for c in range(n):
                total += out[o * BLOCK + c]
            slope[last + o] += total
        mlp.backward(
            weights,
            observed.inputs,
            first * d,
            n,
            d,
            form,
            scratch.activations,
            out,
            BLOCK,
            slope,
            scratch.mixed,
        )
    return error


@njit(cache=True, error_model="numpy")
def squares(weights, observed, sums, scratch):
    """Into sums [N], the squared residuals over exp(g), summed over the outputs; returns sum_i g_i."""
    size, targets = observed.inputs.shape[0], observed.targets.shape[1]
    total = 0.0
    for first in range(0, size, BLOCK):
        n = min(BLOCK, size - first)
        forward(weights, observed, first, n, scratch)
        for c in range(n):
            sums[first + c] = 0.0
            for o in range(targets):
                residual = scratch.outputs[o, c] - observed.targets[first + c, o]
                sums[first + c] += residual * residual
            if observed.form[0] == SPREAD:
                g = scratch.outputs[targets, c]
                sums[first + c] *= exp(-g)
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
