"""The hyperbolic tangent, fast enough not to matter: numba's own is a call of the C library for each element.

With k = round(2x / ln 2) and r = x - k ln(2) / 2, |r| <= ln(2) / 4,

    exp(2x) - 1 = 2^k (exp(2r) - 1) + (2^k - 1),      tanh(x) = (exp(2x) - 1) / (exp(2x) + 1).

exp(2r) - 1 = 2r + r^2 q(r), where q is the polynomial of degree 9 that is right at the Chebyshev points of r's
interval, which leaves an error below 5e-17 of it; 2^k is made by shifting k into the exponent bits. k ln(2) / 2 is off
by at most k 1.2e-17, which tanh hardly feels, being flat where k is large (compare Cody and Waite, Software Manual for
the Elementary Functions, 1980, chapter 6). Nothing branches, so a loop over it becomes vector instructions; every
operation is written out and none may be reordered, so the result is the same to the bit whatever the loop becomes.
"""

import math

import numpy as np
from numba import njit

from benchbook.kernels.products import multiply_add

_PER_LN2 = 2.0 / math.log(2.0)
_HALF_LN2 = 0.5 * math.log(2.0)
_EXPONENT_BITS = 52
_ROUND = (
    1.5 * 2.0**52 + 1023.0
)  # adding it leaves the nearest integer in the low bits, and the exponent's bias
_LIMIT = 20.0  # tanh(20) is 1 to the last bit
_Q = (
    2.0000000000000004,
    1.3333333333333335,
    0.6666666666659866,
    0.2666666666665621,
    0.088888889070059,
    0.025396825424691898,
    0.006349189458526385,
    0.0014109321461918732,
    0.0002828295770110297,
    5.140556970508541e-05,
)


@njit(cache=True, error_model="numpy")
def tanh(x):
    """tanh of one number, float64, relative error below 1e-15; NaN stays NaN."""
    x = min(max(x, -_LIMIT), _LIMIT)
    z = multiply_add(x, _PER_LN2, _ROUND)
    r = multiply_add(_ROUND - z, _HALF_LN2, x)
    power = np.int64(np.float64(z).view(np.int64) << np.int64(_EXPONENT_BITS)).view(np.float64)
    r2 = r * r
    even = multiply_add(
        r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, _Q[8], _Q[6]), _Q[4]), _Q[2]), _Q[0]
    )
    odd = multiply_add(
        r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, _Q[9], _Q[7]), _Q[5]), _Q[3]), _Q[1]
    )
    q = multiply_add(r, odd, even)
    expm1 = multiply_add(power, multiply_add(r2, q, r + r), power - 1.0)
    return expm1 / (expm1 + 2.0)


@njit(cache=True, error_model="numpy")
def tanh_all(x):
    """x <- tanh(x), every element of x [n]."""
    for i in range(x.size):
        x[i] = tanh(x[i])
