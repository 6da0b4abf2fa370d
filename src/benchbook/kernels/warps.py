"""The warp of a network's targets as an unknown of the chain: one of several powers, drawn together with the noise.

The model is h_k(y_c) = f(x_c; w) + noise of precision tau, where k numbers the warps h_k. Given the network,

    p(k, tau | w, y) is proportional to  p(k) p(tau) tau^(N/2) exp(-tau E_k) prod_c h_k'(y_c),
    E_k = 1/2 sum_c (h_k(y_c) - f(x_c; w))^2,

and with a Gamma prior of mean m and shape a/2 for tau the integral over tau leaves p(k) (a / (2 m) + E_k)^(-(a + N)/2)
prod_c h_k'(y_c) for the warp.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels import mlp
from benchbook.kernels.hyperparameters import update_noise


class Warped(NamedTuple):
    """Training targets under every warp, in the order of the chain's cases.

    values [K, N], h_k(y_c); gains [K], log p(k) + sum_c log h_k'(y_c); inputs_t [d, N]; choice [1], the present warp.
    """

    values: np.ndarray
    gains: np.ndarray
    inputs_t: np.ndarray
    choice: np.ndarray


@njit(cache=True, error_model="numpy")
def update_warp(chain, prior, cases, warped, hidden, direct, rng, tally):
    """Draw the warp, the noise precision integrated out, and then the noise precision given the warp.

    The targets of the cases and the error of the chain become those of the warp drawn. Costs half a pass. With a fixed
    noise precision the warp is drawn given it.

    Args:
        chain: Chain, changed in place; ``error`` need not be up to date.
        prior: Prior.
        cases: Cases, whose targets are changed in place.
        warped: Warped, whose choice is changed in place.
        hidden: h.
        direct: whether there are direct input-output weights.
        rng: numpy generator.
        tally: Tally, added to.
    """
    count, size = warped.values.shape
    centres, activations = np.empty(size), np.empty((hidden, size))
    mlp.outputs(chain.weights, warped.inputs_t, hidden, direct, activations, centres)
    tally.passes[0] += 0.5
    mean, shape = prior.noise
    errors, chances = np.empty(count), np.empty(count)
    for k in range(count):
        total = 0.0
        for c in range(size):
            away = warped.values[k, c] - centres[c]
            total += away * away
        errors[k] = 0.5 * total
        if np.isfinite(shape):
            chances[k] = warped.gains[k] - 0.5 * (shape + size) * math.log(
                0.5 * shape / mean + errors[k]
            )
        else:
            chances[k] = warped.gains[k] - chain.noise[0] * errors[k]
    drawn = _drawn(chances, rng)
    warped.choice[0] = drawn
    for c in range(size):
        cases.targets[c] = warped.values[drawn, c]
    chain.error[0] = errors[drawn]
    update_noise(chain, prior, cases, rng)


@njit(cache=True, error_model="numpy")
def _drawn(logs, rng):
    """A number k drawn with probability proportional to exp(logs[k])."""
    top = logs.max()
    total = 0.0
    for k in range(logs.size):
        total += math.exp(logs[k] - top)
    left = rng.random() * total
    for k in range(logs.size):
        left -= math.exp(logs[k] - top)
        if left < 0.0:
            return k
    return logs.argmax()
