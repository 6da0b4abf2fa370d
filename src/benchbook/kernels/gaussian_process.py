"""The parts of a Gaussian process that are neither a factorisation nor a matrix product: exponentials and their sums.

Matrices are [N, N] or [J, N] by rows; of symmetric ones the lower triangle is filled and the rest left as it was. To
LAPACK, which goes by columns, the transpose of such a matrix is one with its upper triangle filled.
"""

import math

import numpy as np
from numba import njit

_LOG2_E = 1.0 / math.log(2.0)
_LN2_HIGH = 6.93147180369123816490e-01  # the first 33 bits of ln 2: its product with k is exact
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits of the sum
_EXPONENT_BITS = 52
_ONE = 1023 << _EXPONENT_BITS
_LEAST = -700.0  # exp of it is 1e-304; further down numbers lose digits, and processors their speed
_T = tuple(1.0 / math.factorial(n) for n in range(14))


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def exp(x):
    """exp of a number that is not positive, float64, relative error below 1e-15; below -700 it is exp(-700).

    With k = round(x / ln 2) and r = x - k ln 2 it is 2^k times the Taylor polynomial of exp(r) of degree 13, as in
    ``kernels.activations``; like that it has no branches. A positive number counts as 0, NaN stays NaN.
    """
    x = min(max(x, _LEAST), 0.0)
    z = x * _LOG2_E + _ROUND
    k = z - _ROUND
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    power = np.int64(
        (np.float64(z).view(np.int64) << np.int64(_EXPONENT_BITS)) + np.int64(_ONE)
    ).view(np.float64)
    r2 = r * r
    r4 = r2 * r2
    low = (_T[2] + r * _T[3]) + r2 * (_T[4] + r * _T[5])
    middle = (_T[6] + r * _T[7]) + r2 * (_T[8] + r * _T[9])
    high = (_T[10] + r * _T[11]) + r2 * (_T[12] + r * _T[13])
    return power * (1.0 + (r + r2 * (low + r4 * (middle + r4 * high))))


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def covariances(products, smooth, linear, signal, slope, bias, noise, whole):
    """The covariances among training cases.

        smooth_ij = signal exp(-|z_i - z_j|^2 / 2),    whole_ij = smooth_ij + slope linear_ij + bias + noise [i = j]

    Args:
        products: [N], room for the squared lengths of the z_i.
        smooth: [N, N], on entry z_i z_j, filled with the smooth part.
        linear: [N, N], x_i x_j.
        signal, slope, bias, noise: variances.
        whole: [N, N], filled with the sum.
    """
    n = products.size
    for i in range(n):
        products[i] = 0.5 * smooth[i, i]
    for i in range(n):
        own = products[i]
        for j in range(i):
            value = signal * exp(smooth[i, j] - own - products[j])
            smooth[i, j] = value
            whole[i, j] = value + slope * linear[i, j] + bias
        smooth[i, i] = signal
        whole[i, i] = signal + slope * linear[i, i] + bias + noise


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def cross_covariances(products, half_lengths, own_lengths, linear, signal, slope, bias):
    """The covariances of test cases with training cases, in place of their inner products.

    Args:
        products: [J, N], z_j z_n on entry, filled with signal exp(-|z_j - z_n|^2 / 2) + slope linear_jn + bias.
        half_lengths, own_lengths: [N] and [J], |z|^2 / 2 of training and of test cases.
        linear: [J, N], x_j x_n.
        signal, slope, bias: variances.
    """
    for j in range(own_lengths.size):
        own = own_lengths[j]
        for n in range(half_lengths.size):
            smooth = signal * exp(products[j, n] - own - half_lengths[n])
            products[j, n] = smooth + slope * linear[j, n] + bias


@njit(cache=True, error_model="numpy", fastmath={"contract", "reassoc"})
def weigh(inverse, solved, smooth, linear, totals):
    """What the gradient of the log marginal likelihood is made of.

    With D = K^-1 - b b' and W_ij = D_ij smooth_ij:

    Args:
        inverse: [N, N], K^-1, replaced by W.
        solved: [N], b = K^-1 y.
        smooth, linear: [N, N], as of ``covariances``.
        totals: [N], filled with the sums of the rows of W.

    Returns:
        sum_ij W_ij, sum_ij D_ij linear_ij, and sum_i D_ii.
    """
    n = solved.size
    all_smooth, all_linear, trace = 0.0, 0.0, 0.0
    for i in range(n):
        totals[i] = 0.0
    for i in range(n):
        own = solved[i]
        row, straight = 0.0, 0.0
        for j in range(i):
            value = inverse[i, j] - own * solved[j]
            straight += value * linear[i, j]
            value *= smooth[i, j]
            inverse[i, j] = value
            row += value
            totals[j] += value
        value = inverse[i, i] - own * own
        trace += value
        all_linear += 2.0 * straight + value * linear[i, i]
        value *= smooth[i, i]
        inverse[i, i] = value
        totals[i] += row + value
        all_smooth += 2.0 * row + value
    return all_smooth, all_linear, trace
