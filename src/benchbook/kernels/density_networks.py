"""Networks whose outputs are a distribution: the losses of their outputs, and minibatch Adam with early stopping.

A layered network (``kernels.feedforward``) gives each case some numbers z; a *head* makes a distribution of them.

    mixture of K Gaussians     z = (a_1 .. a_K, m_1 .. m_K, s_1 .. s_K),      pi = softmax(a),      v_k = v0 + exp(s_k),
                               E_c = -log sum_k pi_k N(t; m_k, v_k)
                               with shares r_k = pi_k N(t; m_k, v_k) / sum:
                               dE/da_k = pi_k - r_k,      dE/dm_k = r_k (m_k - t) / v_k,
                               dE/ds_k = r_k exp(s_k) (1/v_k - (t - m_k)^2 / v_k^2) / 2
    one Gaussian               K = 1, without a: z = (m, s)
    classes                    p = softmax(z),      E_c = -log p_t,      dE/dz_k = p_k - [k = t]

One Gaussian with a mean and a logarithm of the variance is Nix and Weigend's network (Estimating the mean and variance
of the target probability distribution, 1994), several are Bishop's (Mixture density networks, 1994). The floor v0 is
ours: without it the likelihood has no bound where a mean meets a target.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.feedforward import add_slope, forward

_LINE, _DELTA = 3, 5
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_BLAND = 1e-8  # in Adam's denominator, as its authors have it


class Head(NamedTuple):
    """How outputs become a distribution.

    components: K Gaussians; 0 for classes.
    floor: v0, the least variance.
    spread: whether the variances are learnt; if not, dE/ds is 0 and they stay what they are.
    """

    components: int
    floor: float
    spread: bool


class StoppingRule(NamedTuple):
    """When training goes on.

    rate: Adam's first step size.
    cuts: how often it is divided by three, to go on from the best weights so far.
    patience: the epochs without a gain after which it is.
    gain: what the mean loss of the cases held out must fall by, in nats, to count as a gain.
    most: epochs at most.
    """

    rate: float
    cuts: int
    patience: int
    gain: float
    most: int


class AdamState(NamedTuple):
    """What Adam remembers: the slope [P], the running means of it and of its square [P], and the steps so far [1]."""

    slope: np.ndarray
    first: np.ndarray
    second: np.ndarray
    steps: np.ndarray


@njit(cache=True, error_model="numpy")
def _classes(z, targets, valid, deltas):
    """E over one block of classes; deltas <- dE/dz."""
    total = 0.0
    for c in range(valid):
        top = z[0, c]
        for k in range(1, z.shape[0]):
            top = max(top, z[k, c])
        whole = 0.0
        for k in range(z.shape[0]):
            deltas[k, c] = math.exp(z[k, c] - top)
            whole += deltas[k, c]
        for k in range(z.shape[0]):
            deltas[k, c] = deltas[k, c] / whole - targets[k, c]
            total -= targets[k, c] * (z[k, c] - top - math.log(whole))
    return total


@njit(cache=True, error_model="numpy")
def _gaussian(z, targets, valid, deltas, head):
    """E over one block of one Gaussian; deltas <- dE/dz."""
    total = 0.0
    for c in range(valid):
        grown = math.exp(z[1, c])
        variance = head.floor + grown
        away = (z[0, c] - targets[0, c]) / variance
        deltas[0, c] = away
        deltas[1, c] = 0.5 * grown * (1.0 / variance - away * away) if head.spread else 0.0
        total += 0.5 * (math.log(variance) + away * away * variance) + _HALF_LOG_2PI
    return total


@njit(cache=True, error_model="numpy")
def _mixture(z, targets, valid, deltas, head):
    """E over one block of a mixture; deltas <- dE/dz. The first lines of deltas hold log pi_k N_k on the way."""
    m = head.components
    total = 0.0
    for c in range(valid):
        top, joint = z[0, c], -math.inf
        for k in range(1, m):
            top = max(top, z[k, c])
        whole = 0.0
        for k in range(m):
            whole += math.exp(z[k, c] - top)
        for k in range(m):
            variance = head.floor + math.exp(z[2 * m + k, c])
            away = z[m + k, c] - targets[0, c]
            deltas[k, c] = z[k, c] - 0.5 * (math.log(variance) + away * away / variance)
            joint = max(joint, deltas[k, c])
        share = 0.0
        for k in range(m):
            share += math.exp(deltas[k, c] - joint)
        total -= joint - top + math.log(share / whole) - _HALF_LOG_2PI
        for k in range(m):
            r = math.exp(deltas[k, c] - joint) / share
            grown = math.exp(z[2 * m + k, c])
            variance = head.floor + grown
            away = (z[m + k, c] - targets[0, c]) / variance
            deltas[k, c] = math.exp(z[k, c] - top) / whole - r
            deltas[m + k, c] = r * away
            deltas[2 * m + k, c] = (
                0.5 * r * grown * (1.0 / variance - away * away) if head.spread else 0.0
            )
    return total


@njit(cache=True, error_model="numpy")
def _block(weights, layers, head, cases, block, deltas):
    """E over one block; the deltas [O, B] of its output units are filled."""
    units, size, line = cases.units[block], cases.units.shape[2], layers[-1, _LINE]
    forward(weights, layers, False, units)
    valid = min(size, cases.total - block * size)
    z, targets = units[line : line + deltas.shape[0]], cases.targets[block]
    deltas[:, valid:] = 0
    if head.components == 0:
        return _classes(z, targets, valid, deltas)
    if head.components == 1:
        return _gaussian(z, targets, valid, deltas, head)
    return _mixture(z, targets, valid, deltas, head)


@njit(cache=True, error_model="numpy")
def loss(weights, layers, head, cases, scratch):
    """The mean of E_c over all cases, in nats.

    Args:
        weights, layers, cases, scratch: as for ``feedforward.gradient``; the targets are [K, 1, B], or [K, C, B] of 0
            and 1 for classes.
        head: Head.
    """
    total = 0.0
    for block in range(cases.units.shape[0]):
        total += _block(weights, layers, head, cases, block, scratch.deltas[layers[-1, _DELTA] :])
    return total / cases.total


@njit(cache=True, error_model="numpy")
def gradient(weights, layers, head, cases, block, slope, scratch):
    """The sum of E_c over one block and, in ``slope`` [P], its gradient."""
    slope[:] = 0
    error = _block(weights, layers, head, cases, block, scratch.deltas[layers[-1, _DELTA] :])
    add_slope(weights, layers, cases, block, slope, scratch)
    return error


@njit(cache=True, error_model="numpy")
def epoch(weights, layers, head, cases, order, rate, decay, state, scratch):
    """One step of Adam for each block of cases, in the order given.

        g = dE/dw / n + decay w,   u <- 0.9 u + 0.1 g,   q <- 0.999 q + 0.001 g^2,
        w <- w - rate (u / (1 - 0.9^i)) / (sqrt(q / (1 - 0.999^i)) + 1e-8)

    for step i and a block of n cases (Kingma and Ba, Adam: a method for stochastic optimization, 2015, algorithm 1,
    with the constants they propose).

    Args:
        weights: [P], changed in place.
        layers, head, cases, scratch: as for ``loss``.
        order: the blocks in the order in which they are taken.
        rate: the step size.
        decay: [P], the penalty of each weight, that of half its square.
        state: AdamState, changed in place.

    Returns:
        the mean of E_c over the epoch, each block's measured before its step.
    """
    size, total = cases.units.shape[2], 0.0
    for block in order:
        count = min(size, cases.total - block * size)
        total += gradient(weights, layers, head, cases, block, state.slope, scratch)
        state.steps[0] += 1
        first, second = 1.0 - 0.9 ** state.steps[0], 1.0 - 0.999 ** state.steps[0]
        scale = rate / first
        for k in range(weights.size):
            g = state.slope[k] / count + decay[k] * weights[k]
            state.first[k] += 0.1 * (g - state.first[k])
            state.second[k] += 0.001 * (g * g - state.second[k])
            weights[k] -= scale * state.first[k] / (math.sqrt(state.second[k] / second) + _BLAND)
    return total / cases.total


@njit(cache=True, error_model="numpy")
def _shuffle(order, rng):
    """Bring whole numbers into a random order (Durstenfeld's algorithm)."""
    for i in range(order.size - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        order[i], order[j] = order[j], order[i]


@njit(cache=True, error_model="numpy")
def descend(weights, layers, head, training, held, decay, rule, state, scratch, held_scratch, rng):
    """Train until nothing is gained any more for the cases held out.

    Args:
        weights: [P], where to begin; filled with the weights that had the least loss for the cases held out.
        layers, head, decay: as for ``epoch``.
        training, held: Cases.
        rule: StoppingRule.
        state: AdamState.
        scratch, held_scratch: Scratch for blocks of training and of held.
        rng: brings the blocks into a new order for every epoch.

    Returns:
        that least loss, and the number of epochs.
    """
    own, order = weights.copy(), np.arange(training.units.shape[0])
    least = loss(weights, layers, head, held, held_scratch)
    mark = least
    rate, stale, cuts = rule.rate, rule.patience, -1
    for taken in range(rule.most):
        if stale == rule.patience:
            cuts += 1
            if cuts > rule.cuts:
                return least, taken
            if cuts > 0:
                rate /= 3.0
            own[:], stale, state.steps[0] = weights, 0, 0
            state.first[:], state.second[:] = 0, 0
        _shuffle(order, rng)
        epoch(own, layers, head, training, order, rate, decay, state, scratch)
        error = loss(own, layers, head, held, held_scratch)
        stale += 1
        if error < least:
            weights[:], least = own, error
        if error < mark - rule.gain:
            mark, stale = error, 0
        elif not math.isfinite(error):
            stale = rule.patience
    return least, rule.most
