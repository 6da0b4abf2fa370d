"""Force on the weights of a Bayesian neural network: training cases whole or in parts, the prior, and leapfrog steps.

The potential energy of weights w, given the noise precision tau and the precision t_p of the prior of each weight, is

    U(w) = tau E(w) + 1/2 sum_p t_p w_p^2,      E(w) = 1/2 sum_c (f(x_c; w) - y_c)^2,

minus the logarithm of the posterior density of w up to a constant (Neal, Bayesian Learning for Neural Networks, 1996,
section 3.1). The network and the order of its weights are those of ``kernels.mlp``.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels import mlp


class PartedCases(NamedTuple):
    """Training cases, divided into consecutive parts: part k is the cases starts[k] to starts[k + 1] - 1.

    inputs [N, d]; blocks [N d], the transposed inputs [d, n] of each part, one after the other; targets [N];
    starts [K + 1]; squares [d], the sum of squares of each input over all cases.
    """

    inputs: np.ndarray
    blocks: np.ndarray
    targets: np.ndarray
    starts: np.ndarray
    squares: np.ndarray


def in_parts(inputs: np.ndarray, targets: np.ndarray, parts: int) -> PartedCases:
    """PartedCases [N, d] and [N] in ``parts`` parts of sizes that differ by at most one; at most N parts."""
    starts = np.linspace(0, len(targets), min(parts, len(targets)) + 1).astype(np.int64)
    inputs = np.array(inputs, dtype=float, order="C")
    pieces = [inputs[start:end].T.ravel() for start, end in itertools.pairwise(starts)]
    squares = np.sum(inputs**2, axis=0)
    return PartedCases(
        inputs, np.concatenate(pieces), np.array(targets, dtype=float), starts, squares
    )


@njit(cache=True, error_model="numpy")
def part_gradient(weights, cases, part, hidden, direct, slope, activations, residuals):
    """E over the cases of one part and, into slope [P], its gradient.

    Args:
        weights: [P].
        cases: PartedCases.
        part: which part.
        hidden: h.
        direct: whether there are direct input-output weights.
        slope: [P], filled.
        activations, residuals: [h n] and [n], scratch, n the size of the largest part.
    """
    first, end = cases.starts[part], cases.starts[part + 1]
    n, d = end - first, cases.inputs.shape[1]
    inputs_t = cases.blocks[first * d : end * d].reshape((d, n))
    return mlp.gradient(
        weights,
        cases.inputs[first:end],
        inputs_t,
        cases.targets[first:end],
        hidden,
        direct,
        slope,
        activations[: hidden * n].reshape((hidden, n)),
        residuals[:n],
    )


@njit(cache=True, error_model="numpy")
def total_error(weights, cases, hidden, direct, activations, residuals):
    """E over all cases, part after part; arguments as for ``part_gradient``."""
    d = cases.inputs.shape[1]
    error = 0.0
    for part in range(cases.starts.size - 1):
        first, last = cases.starts[part], cases.starts[part + 1]
        n = last - first
        mlp.outputs(
            weights,
            cases.blocks[first * d : last * d].reshape((d, n)),
            hidden,
            direct,
            activations[: hidden * n].reshape((hidden, n)),
            residuals[:n],
        )
        for c in range(n):
            residual = residuals[c] - cases.targets[first + c]
            error += residual * residual
    return 0.5 * error


@njit(cache=True, error_model="numpy")
def largest_part(cases):
    """The number of cases of the largest part."""
    largest = 0
    for part in range(cases.starts.size - 1):
        largest = max(largest, cases.starts[part + 1] - cases.starts[part])
    return largest


@njit(cache=True, error_model="numpy")
def step_sizes(precisions, noise, cases, hidden, direct, factor, sizes):
    """A leapfrog step size for each weight: factor / sqrt(estimated second derivative of U).

    The estimate is Neal's (documentation of his software for flexible Bayesian modelling, networks): the second
    derivative by the output is the noise precision; going back through a hidden unit, the square of its output weight
    is replaced by the prior variance of that weight and the square of the slope of tanh by its maximum, 1; a weight
    gets the sum over cases of (its source's value)^2, hidden values taken as 1, plus its prior's precision. So the
    sizes depend on the hyperparameters and the inputs but never on the weights, which keeps the dynamics exact.

    Args:
        precisions: [P] prior precision of each weight.
        noise: noise precision.
        cases: PartedCases.
        hidden: h.
        direct: whether there are direct input-output weights.
        factor: f.
        sizes: [P], filled.
    """
    n, d = cases.inputs.shape
    bias = hidden * d
    last = bias + 2 * hidden
    for j in range(hidden):
        back = noise / precisions[bias + hidden + j]
        for i in range(d):
            sizes[j * d + i] = back * cases.squares[i]
        sizes[bias + j] = back * n
        sizes[bias + hidden + j] = noise * n
    sizes[last] = noise * n
    if direct:
        for i in range(d):
            sizes[last + 1 + i] = noise * cases.squares[i]
    for p in range(sizes.size):
        sizes[p] = factor / np.sqrt(sizes[p] + precisions[p])
