"""CRPS of many cases, by Gaussians, mixtures, quantiles with exponential tails, and draws; and two log losses.

The definitions, with their sources, are in ``benchbook.losses.crps_plain``, the twin of this module. Cases are counted
by j; every function writes into ``out`` [J] and takes its memory once.

The mean distance of a Gaussian, as vector instructions: nothing branches (compare ``exponentials``).

The mean distance of a standard Gaussian Z from a number z is what the CRPS of Gaussians and of mixtures is made of:

    E|Z - z| = |z| + 2 (phi(z) - |z| Q(|z|)) = |z| + exp(-z^2/2) p(t),    t = (|z| - 3)/(|z| + 3),

with the density phi and the upper tail Q. p is a polynomial of degree 20, right at the Chebyshev points of
0 <= |z| <= 9; beyond that the second term is below 1e-18. The error is below 6e-16 of the whole.
"""

import math

import numpy as np
from numba import njit

from benchbook.kernels.exponentials import exp_negative, log_normal, log_positive
from benchbook.kernels.products import multiply_add

_P = (
    0.06880087066949235,
    -0.2197517082158837,
    0.27931426194288955,
    -0.18275469483161358,
    0.057725892166002,
    0.0034902457821771754,
    -0.008000213491170067,
    1.8236376780361505e-05,
    0.0013024038352988268,
    0.00010218069090388466,
    -0.00023320589878798447,
    -6.556456881146174e-05,
    3.392867506805334e-05,
    2.4192143192076528e-05,
    -1.0690447408312759e-07,
    -5.8359912011248224e-06,
    -2.254419312503137e-06,
    4.6389377561089e-07,
    7.399597475348428e-07,
    2.8073597614688e-07,
    4.028340708133139e-08,
)


@njit(cache=True, error_model="numpy")
def mean_distance(z):
    """E|Z - z| of one number z and a standard Gaussian Z."""
    a = abs(z)
    near = min(a, 9.0)
    t = (near - 3.0) / (near + 3.0)
    t2 = t * t
    even = multiply_add(t2, multiply_add(t2, _P[20], _P[18]), _P[16])
    odd = multiply_add(t2, _P[19], _P[17])
    even = multiply_add(t2, multiply_add(t2, multiply_add(t2, even, _P[14]), _P[12]), _P[10])
    odd = multiply_add(t2, multiply_add(t2, multiply_add(t2, odd, _P[15]), _P[13]), _P[11])
    even = multiply_add(t2, multiply_add(t2, multiply_add(t2, even, _P[8]), _P[6]), _P[4])
    odd = multiply_add(t2, multiply_add(t2, multiply_add(t2, odd, _P[9]), _P[7]), _P[5])
    even = multiply_add(t2, multiply_add(t2, even, _P[2]), _P[0])
    odd = multiply_add(t2, multiply_add(t2, odd, _P[3]), _P[1])
    return multiply_add(exp_negative(-0.5 * near * near), multiply_add(t, odd, even), a)


_PER_SQRT_PI = 1.0 / math.sqrt(math.pi)
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_LANES = 32  # cases that are sorted side by side
_FREE = {"contract", "nsz", "nnan", "ninf"}  # finite numbers only; the order of sums stays


@njit(cache=True, error_model="numpy")
def gaussian(y, mean, variance, out):
    """sigma (E|Z - z| - 1/sqrt(pi)), z = (y - mean)/sigma; all arrays [J]."""
    for j in range(y.size):
        sd = math.sqrt(variance[j])
        out[j] = sd * (mean_distance((y[j] - mean[j]) / sd) - _PER_SQRT_PI)


@njit(cache=True, error_model="numpy")
def gaussian_nlpd(y, mean, variance, out):
    """(log v + (y - mean)^2/v)/2 + log(2 pi)/2; all arrays [J], v between 1e-290 and 1e290."""
    for j in range(y.size):
        away = y[j] - mean[j]
        out[j] = 0.5 * (log_normal(variance[j]) + away * (away / variance[j])) + _HALF_LOG_2PI


@njit(cache=True, error_model="numpy", fastmath=_FREE)
def _row(centre, variance, mean, variances, weight, terms, count):
    """sum_m weight_m E|N(centre - mean_m, variance + variances_m)| over the first components."""
    for m in range(count):
        sd = math.sqrt(variance + variances[m])
        terms[m] = weight[m] * (sd * mean_distance((centre - mean[m]) / sd))
    total = 0.0
    for m in range(count):
        total += terms[m]
    return total


@njit(cache=True, error_model="numpy")
def mixture(y, weight, mean, variance, out):
    """sum_m w_m A(y - mean_m, v_m) - 1/2 sum_mk w_m w_k A(mean_m - mean_k, v_m + v_k).

    mean [J, M]; weight and variance [J, M], or [1, M] when all cases share them.
    """
    cases, count = mean.shape
    one_weight, one_variance = weight.shape[0] == 1, variance.shape[0] == 1
    terms = np.empty(count)
    for j in range(cases):
        w, centre, v = weight[0 if one_weight else j], mean[j], variance[0 if one_variance else j]
        total = w.sum()
        pairs = 0.0
        for m in range(count):
            row = _row(centre[m], v[m], centre, v, w, terms, m)
            pairs += w[m] * (row + w[m] * math.sqrt(v[m]) * _PER_SQRT_PI)
        out[j] = _row(y[j], 0.0, centre, v, w, terms, count) / total - pairs / (total * total)


@njit(cache=True, error_model="numpy")
def quantiles(y, level, value, out):
    """The integral of (F - 1{x >= y})^2 piece by piece; value [J, K], level [J, K] or [1, K], shared by all cases.

    A piece with the target above it gives its width times the mean of F^2, one with the target below the mean of
    (1 - F)^2; only the piece that holds the target needs a division.
    """
    cases, count = value.shape
    shared, last = level.shape[0] == 1, count - 1
    below, above = np.empty(last), np.empty(last)
    for j in range(cases):
        a, q, at = level[0 if shared else j], value[j], y[j]
        if j == 0 or not shared:
            _mean_squares(a, below, above)
            lower, upper = a[0] / (a[1] - a[0]), (1.0 - a[last]) / (a[last] - a[last - 1])
        total = _pieces(q, at, below, above)
        total += _tail(q[0] - at, a[0], (q[1] - q[0]) * lower)
        total += _tail(at - q[last], 1.0 - a[last], (q[last] - q[last - 1]) * upper)
        if q[0] <= at < q[last]:
            k = 0
            while at >= q[k + 1]:
                k += 1
            total += _holding(at, q[k], q[k + 1], a[k], a[k + 1])
        out[j] = total


@njit(cache=True, error_model="numpy")
def _mean_squares(a, below, above):
    """The means of F^2 and of (1 - F)^2 over every piece."""
    for k in range(below.size):
        low, high = a[k], a[k + 1]
        below[k] = (low * low + low * high + high * high) / 3.0
        low, high = 1.0 - low, 1.0 - high
        above[k] = (low * low + low * high + high * high) / 3.0


@njit(cache=True, error_model="numpy", fastmath=_FREE | {"reassoc"})
def _pieces(q, at, below, above):
    """All inner pieces but the one that holds the target."""
    total = 0.0
    for k in range(below.size):
        beyond = above[k] if at < q[k] else 0.0
        total += (q[k + 1] - q[k]) * (below[k] if at >= q[k + 1] else beyond)
    return total


@njit(cache=True, error_model="numpy")
def _holding(at, left, right, low, high):
    """The piece from left to right that holds the target, F rising from low to high."""
    middle = low + (at - left) / (right - left) * (high - low)
    above, top = 1.0 - middle, 1.0 - high
    below = (at - left) * (low * low + low * middle + middle * middle)
    return (below + (right - at) * (above * above + above * top + top * top)) / 3.0


@njit(cache=True, error_model="numpy")
def _tail(away, mass, scale):
    """A tail of that mass and scale; the target lies ``away`` beyond its start, or not in it when that is negative."""
    total = 0.5 * scale * mass * mass
    if away > 0.0:
        total += away + 2.0 * scale * mass * math.expm1(-away / scale)
    return total


@njit(cache=True, error_model="numpy")
def two_class_nlp(probability, positive, out):
    """-log p where positive, else -log(1 - p); probability of class 1 [J], positive [J] of any whole type, 0 or 1."""
    for j in range(probability.size):
        p = probability[j]
        out[j] = -log_positive(p if positive[j] != 0 else 1.0 - p)


def network(count: int) -> np.ndarray:
    """The comparisons that sort ``count`` numbers, shape [comparisons, 2]: Batcher's odd-even merges."""
    pairs, p = [], 1
    while p < count:
        k = p
        while k >= 1:
            pairs += [
                (i + j, i + j + k)
                for j in range(k % p, count - k, 2 * k)
                for i in range(min(k, count - j - k))
                if (i + j) // (2 * p) == (i + j + k) // (2 * p)
            ]
            k //= 2
        p *= 2
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


@njit(cache=True, error_model="numpy", fastmath=_FREE)
def _compare(block, i, j):
    for lane in range(_LANES):
        a, b = block[i, lane], block[j, lane]
        block[i, lane] = min(a, b)
        block[j, lane] = max(a, b)


@njit(cache=True, error_model="numpy", fastmath=_FREE)
def _finish(block, slope, sums):
    """sum_k |x_k| - slope (2k + 1 - M) x_k of the sorted distances of every lane, over M."""
    count = block.shape[0]
    for lane in range(_LANES):
        sums[lane] = 0.0
    for k in range(count):
        factor = slope * (2.0 * k + 1.0 - count)
        for lane in range(_LANES):
            sums[lane] += abs(block[k, lane]) - factor * block[k, lane]
    for lane in range(_LANES):
        sums[lane] /= count


@njit(cache=True, error_model="numpy")
def draws(y, value, comparisons, fair, out):
    """Mean distance of the draws from y, less half their mean distance from each other; value [J, M].

    Args:
        y, value: targets and draws.
        comparisons: ``network(M)``; with none the draws of each case are sorted by themselves, for large M.
        fair: whether the mean over pairs leaves out a draw with itself (M - 1 in place of M).
        out: [J].
    """
    cases, count = value.shape
    divisor = count - 1.0 if fair else float(count)
    slope = 1.0 / divisor if divisor > 0.0 else 0.0
    block, sums = np.zeros((count, _LANES)), np.empty(_LANES)
    alone = np.empty(count)
    for start in range(0, cases, _LANES):
        many = min(_LANES, cases - start)
        for lane in range(many):
            if comparisons.shape[0] or count == 1:
                for k in range(count):
                    block[k, lane] = value[start + lane, k] - y[start + lane]
            else:
                for k in range(count):
                    alone[k] = value[start + lane, k] - y[start + lane]
                alone.sort()
                for k in range(count):
                    block[k, lane] = alone[k]
        for c in range(comparisons.shape[0]):
            _compare(block, comparisons[c, 0], comparisons[c, 1])
        _finish(block, slope, sums)
        for lane in range(many):
            out[start + lane] = sums[lane]


@njit(cache=True, error_model="numpy")
def energy(y, value, beta, fair, out):
    """mean_m |x_m - y|^beta - 1/2 mean_mk |x_m - x_k|^beta, Euclidean; y [J, D], value [J, M, D]."""
    cases, count, parts = value.shape
    pairs_all = count * (count - 1.0) if fair else float(count * count)
    for j in range(cases):
        near, pairs = 0.0, 0.0
        for m in range(count):
            square = 0.0
            for d in range(parts):
                square += (value[j, m, d] - y[j, d]) ** 2
            near += square ** (0.5 * beta)
            for k in range(m):
                square = 0.0
                for d in range(parts):
                    square += (value[j, m, d] - value[j, k, d]) ** 2
                pairs += square ** (0.5 * beta)
        out[j] = near / count - (pairs / pairs_all if pairs_all > 0.0 else 0.0)
