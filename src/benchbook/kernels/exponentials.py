"""Exponential and logarithm that become vector instructions: numba's own are calls of the C library, one a number.

With k = round(x / ln 2) and r = x - k ln 2, |r| <= ln(2) / 2,

    exp(x) = 2^k exp(r),      exp(r) = 1 + r + r^2 (1/2! + r/3! + ... + r^11/13!),

whose first term left out is below 5e-18. With x = 2^e m, sqrt(1/2) <= m < sqrt(2) and s = (m - 1) / (m + 1),

    log(x) = e ln 2 + 2 s (1 + s^2/3 + s^4/5 + ... + s^20/21),

|s| < 0.172. As in ``kernels.activations`` nothing branches and every operation is written out, so that the results are
the same to the bit whatever the loop around them becomes.
"""

import math

import numpy as np
from numba import njit

from benchbook.kernels.products import multiply_add

_PER_LN2 = 1.0 / math.log(2.0)
_LN2 = math.log(2.0)
_LN2_HIGH = 0.693147180369123816490  # 33 bits: k times it is exact
_LN2_LOW = 1.90821492927058770002e-10
_BIASED = (
    1.5 * 2.0**52 + 1023.0
)  # adding it leaves the nearest integer in the low bits, and the exponent's bias
_LOWEST, _HIGHEST = -1022.0 * math.log(2.0), 709.0  # the least normal number
_P = tuple(1.0 / math.factorial(n) for n in range(2, 14))
_ODD = tuple(1.0 / (2 * n + 1) for n in range(11))
_ROOT_HALF = int(np.float64(math.sqrt(0.5)).view(np.int64))

# Of the functions that losses are made of.
_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits
_ONE = np.int64(0x3FF0000000000000)
_SQRT_HALF = np.int64(0x3FE6A09E667F3BCD)
_SHIFT = np.int64(52)
_LEAST = -708.0  # below, exp is smaller than the smallest normal number
_NORMAL = 2.0**-1022
_LIFT, _LOG_LIFT = 2.0**54, 54.0 * math.log(2.0)
_E = tuple(1.0 / math.factorial(k) for k in range(14))


@njit(cache=True, error_model="numpy")
def _parts(x):
    """2^k, and exp(r) - 1."""
    x = min(max(x, _LOWEST), _HIGHEST)
    z = multiply_add(x, _PER_LN2, _BIASED)
    k = z - _BIASED
    r = multiply_add(-k, _LN2_LOW, multiply_add(-k, _LN2_HIGH, x))
    power = np.int64(np.float64(z).view(np.int64) << np.int64(52)).view(np.float64)
    q = _P[11]
    q = multiply_add(q, r, _P[10])
    q = multiply_add(q, r, _P[9])
    q = multiply_add(q, r, _P[8])
    q = multiply_add(q, r, _P[7])
    q = multiply_add(q, r, _P[6])
    q = multiply_add(q, r, _P[5])
    q = multiply_add(q, r, _P[4])
    q = multiply_add(q, r, _P[3])
    q = multiply_add(q, r, _P[2])
    q = multiply_add(q, r, _P[1])
    q = multiply_add(q, r, _P[0])
    return power, multiply_add(q, r * r, r)


@njit(cache=True, error_model="numpy")
def exp(x):
    """exp of one number, relative error below 5e-16; below -1022 ln 2 it stays 2^-1022, above 709 exp(709)."""
    power, rest = _parts(x)
    return multiply_add(power, rest, power)


@njit(cache=True, error_model="numpy")
def expm1(x):
    """exp(x) - 1, relative error below 1e-15 also near 0; the same limits."""
    power, rest = _parts(x)
    return multiply_add(power, rest, power - 1.0)


@njit(cache=True, error_model="numpy")
def log(x):
    """The natural logarithm of a positive normal number, relative error below 1e-15."""
    bits = np.float64(x).view(np.int64)
    e = (bits - np.int64(_ROOT_HALF)) >> np.int64(52)
    m = np.int64(bits - (e << np.int64(52))).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    t = s * s
    p = _ODD[10]
    p = multiply_add(p, t, _ODD[9])
    p = multiply_add(p, t, _ODD[8])
    p = multiply_add(p, t, _ODD[7])
    p = multiply_add(p, t, _ODD[6])
    p = multiply_add(p, t, _ODD[5])
    p = multiply_add(p, t, _ODD[4])
    p = multiply_add(p, t, _ODD[3])
    p = multiply_add(p, t, _ODD[2])
    p = multiply_add(p, t, _ODD[1])
    p = multiply_add(p, t, _ODD[0])
    return multiply_add(np.float64(e), _LN2, 2.0 * s * p)


@njit(cache=True, error_model="numpy")
def exp_negative(x):
    """exp(x) of one number x <= 0, relative error below 1e-15; about 3e-308 for all x below -708.

    Its polynomial is in two halves, for loops of a few numbers that wait for each other.
    """
    x = max(x, _LEAST)
    z = multiply_add(x, _PER_LN2, _ROUND)
    k = z - _ROUND
    r = multiply_add(k, -_LN2_LOW, multiply_add(k, -_LN2_HIGH, x))
    power = np.int64((np.float64(z).view(np.int64) << _SHIFT) + _ONE).view(np.float64)
    r2 = r * r
    even = multiply_add(r2, _E[12], _E[10])
    odd = multiply_add(r2, _E[13], _E[11])
    even = multiply_add(
        r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, even, _E[8]), _E[6]), _E[4]), _E[2]
    )
    odd = multiply_add(
        r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, odd, _E[9]), _E[7]), _E[5]), _E[3]
    )
    return multiply_add(power, multiply_add(r2, multiply_add(r, odd, even), r), power)


@njit(cache=True, error_model="numpy")
def log_normal(x):
    """log(x) of one positive number that is not subnormal, absolute error below 2e-16 or a relative 4e-16.

    x = 2^e m with m between the roots of 1/2 and 2, and log m = 2 atanh(s), s = (m - 1)/(m + 1).
    """
    bits = np.float64(x).view(np.int64)
    e = (bits - _SQRT_HALF) >> _SHIFT
    m = np.int64(bits - (e << _SHIFT)).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    t = s * s
    p = multiply_add(t, 1.0 / 21.0, 1.0 / 19.0)
    p = multiply_add(t, multiply_add(t, multiply_add(t, p, 1.0 / 17.0), 1.0 / 15.0), 1.0 / 13.0)
    p = multiply_add(t, multiply_add(t, multiply_add(t, p, 1.0 / 11.0), 1.0 / 9.0), 1.0 / 7.0)
    p = multiply_add(t, multiply_add(t, p, 1.0 / 5.0), 1.0 / 3.0)
    whole = np.float64(e)
    return multiply_add(
        whole, _LN2_HIGH, multiply_add(whole, _LN2_LOW, 2.0 * multiply_add(s * t, p, s))
    )


@njit(cache=True, error_model="numpy")
def log_positive(x):
    """log(x) of one number x >= 0, subnormal ones and 0 (-inf) included."""
    tiny = x < _NORMAL
    value = log_normal(max(x * _LIFT if tiny else x, _NORMAL))
    value = value - _LOG_LIFT if tiny else value
    return value if x > 0.0 else -np.inf


@njit(cache=True, error_model="numpy")
def total(x, n):
    """The sum of the first n numbers of x, in eight sums."""
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = n - n % 8
    for i in range(0, whole, 8):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
        e += x[i + 4]
        f += x[i + 5]
        g += x[i + 6]
        h += x[i + 7]
    for i in range(whole, n):
        a += x[i]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@njit(cache=True, error_model="numpy")
def moments(x, n):
    """The sums of the first n numbers of x and of their squares, each in eight sums."""
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    aa, bb, cc, dd, ee, ff, gg, hh = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = n - n % 8
    for i in range(0, whole, 8):
        p, q, r, s = x[i], x[i + 1], x[i + 2], x[i + 3]
        t, u, v, w = x[i + 4], x[i + 5], x[i + 6], x[i + 7]
        a, b, c, d = a + p, b + q, c + r, d + s
        e, f, g, h = e + t, f + u, g + v, h + w
        aa, bb, cc, dd = (
            multiply_add(p, p, aa),
            multiply_add(q, q, bb),
            multiply_add(r, r, cc),
            multiply_add(s, s, dd),
        )
        ee, ff, gg, hh = (
            multiply_add(t, t, ee),
            multiply_add(u, u, ff),
            multiply_add(v, v, gg),
            multiply_add(w, w, hh),
        )
    for i in range(whole, n):
        a += x[i]
        aa = multiply_add(x[i], x[i], aa)
    return (
        ((a + b) + (c + d)) + ((e + f) + (g + h)),
        ((aa + bb) + (cc + dd)) + ((ee + ff) + (gg + hh)),
    )


@njit(cache=True, error_model="numpy")
def largest(x, n):
    """The largest of the first n numbers of x, n > 0."""
    a = b = c = d = e = f = g = h = x[0]
    whole = n - n % 8
    for i in range(0, whole, 8):
        a = max(a, x[i])
        b = max(b, x[i + 1])
        c = max(c, x[i + 2])
        d = max(d, x[i + 3])
        e = max(e, x[i + 4])
        f = max(f, x[i + 5])
        g = max(g, x[i + 6])
        h = max(h, x[i + 7])
    for i in range(whole, n):
        a = max(a, x[i])
    return max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))
