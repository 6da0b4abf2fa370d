"""Summaries under weights from a uniform Dirichlet distribution, replicate after replicate; the weights are not kept.

Weights g_i = e_i / Σ e with e_i standard exponential are Dirichlet(1, ..., 1). Here e_i = -log u_i, and u_i comes from
a counter: u_i = f(key + i γ) with the mixing function f and the odd γ of SplitMix64 (Steele, Lea and Flood, Fast
splittable pseudorandom number generators, 2014). Cases of a group share its number, and so its weight. The weight of
unit i in a replicate depends on the replicate's key and on i alone: two models get the same weights, whatever else is
computed with them, and the loop becomes vector instructions.
"""

import numpy as np
from numba import njit

from benchbook.kernels.exponentials import log, total
from benchbook.kernels.products import multiply_add

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_A, _B, _C, _DROPPED = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(12)
_ONE = np.uint64(0x3FF0000000000000)
_LESS = 1.0 - 2.0**-53
_EDGE = (
    1.0 - 1e-12
)  # cumulated weights are rounded; a level that they reach but for this is reached
CHUNK = 512


@njit(cache=True, error_model="numpy")
def exponential(key, i):
    """The i-th standard exponential number of a key, from 1e-16 to 37."""
    z = key + np.uint64(i) * _GAMMA
    z = (z ^ (z >> _A)) * _FIRST
    z = (z ^ (z >> _B)) * _SECOND
    z = z ^ (z >> _C)
    one_to_two = np.uint64((z >> _DROPPED) | _ONE).view(np.float64)
    return -log(one_to_two - _LESS)


@njit(cache=True, error_model="numpy")
def weigh(key, begin, end, shares, units, out):
    """out[: end - begin] <- e_u(i) a_i for the cases begin to end - 1 of the units u, with shares a; not normalised."""
    for i in range(begin, end):
        out[i - begin] = exponential(key, units[i]) * shares[i]


@njit(cache=True, error_model="numpy")
def _product(weights, values, begin, size):
    """Σ_i weights[i] values[begin + i], in four sums."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = size - size % 4
    for i in range(0, whole, 4):
        a = multiply_add(weights[i], values[begin + i], a)
        b = multiply_add(weights[i + 1], values[begin + i + 1], b)
        c = multiply_add(weights[i + 2], values[begin + i + 2], c)
        d = multiply_add(weights[i + 3], values[begin + i + 3], d)
    for i in range(whole, size):
        a = multiply_add(weights[i], values[begin + i], a)
    return (a + b) + (c + d)


@njit(cache=True, error_model="numpy")
def means(values, shares, units, member, choice, keys, out):
    """Weighted means of several columns under the same weights.

    Args:
        values: [C, D, n], D draws of each number.
        shares: [n], by which the weights of the cases are multiplied.
        units: [n] int64, what is weighted: each case its own number, or that of its group, whose cases share a weight.
        member: [n], the source of each case, 0..G-1.
        choice: [B, C, G], the draw that a replicate takes for the cases of each source.
        keys: [B] uint64, one a replicate.
        out: [B, C], filled with Σ_i g_i values[c, choice[b, c, member[i]], i].
    """
    columns, _, n = values.shape
    sources = choice.shape[2]
    weights, taken = np.empty(CHUNK), np.empty(CHUNK)
    for b in range(keys.size):
        for c in range(columns):
            out[b, c] = 0.0
        whole = 0.0
        for begin in range(0, n, CHUNK):
            size = min(CHUNK, n - begin)
            weigh(keys[b], begin, begin + size, shares, units, weights)
            whole += total(weights, size)
            for c in range(columns):
                if sources == 1:
                    out[b, c] += _product(weights, values[c, choice[b, c, 0]], begin, size)
                else:
                    for i in range(size):
                        taken[i] = values[c, choice[b, c, member[begin + i]], begin + i]
                    out[b, c] += _product(weights, taken, 0, size)
        for c in range(columns):
            out[b, c] /= whole


@njit(cache=True, error_model="numpy")
def quantiles(values, orders, level, shares, units, choice, keys, out):
    """Weighted quantiles of several columns under the same weights: the first value at which Σ g reaches the level.

    Args:
        values: [C, D, n], each [n] in increasing order.
        orders: [C, D, n], the case that each of them is of.
        level: from 0 to 1.
        shares, units, choice, keys: as for ``means``, with one source.
        out: [B, C], filled.
    """
    columns, _, n = values.shape
    weights = np.empty(n)
    for b in range(keys.size):
        weigh(keys[b], 0, n, shares, units, weights)
        wanted = level * _EDGE * total(weights, n)
        for c in range(columns):
            order = orders[c, choice[b, c, 0]]
            reached, at = weights[order[0]], 0
            while reached < wanted and at < n - 1:
                at += 1
                reached += weights[order[at]]
            out[b, c] = values[c, choice[b, c, 0], at]


@njit(cache=True, error_model="numpy")
def weights_of(keys, shares, units, out):
    """out [B, n] <- weights of each key that sum to 1; shares and units as for ``means``."""
    n = shares.size
    for b in range(keys.size):
        row = out[b]
        weigh(keys[b], 0, n, shares, units, row)
        whole = total(row, n)
        for i in range(n):
            row[i] /= whole
