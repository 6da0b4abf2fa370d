"""The hyperbolic tangent, fast enough not to matter: numba's own is a call of the C library for each element.

With y = 2x, k = round(y / ln 2) and r = y - k ln 2, |r| <= ln(2) / 2,

    exp(y) - 1 = 2^k (exp(r) - 1) + (2^k - 1),      tanh(x) = (exp(y) - 1) / (exp(y) + 1).

exp(r) - 1 is its Taylor polynomial of degree 13, whose remainder is below 2e-17 of it; ln 2 is subtracted in two parts
(Cody and Waite, Software Manual for the Elementary Functions, 1980, chapter 6); 2^k is made by writing k into the
exponent bits. Nothing branches, so loops over it become vector instructions. The flag "reassoc" must stay away: it
would let the compiler delete the addition that rounds.
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
_LIMIT = 40.0  # tanh(20) is 1 to the last bit
_T = tuple(1.0 / math.factorial(n) for n in range(14))


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def tanh(x):
    """tanh of one number, float64, relative error below 1e-15; NaN stays NaN."""
    y = min(max(2.0 * x, -_LIMIT), _LIMIT)
    z = y * _LOG2_E + _ROUND
    k = z - _ROUND
    r = (y - k * _LN2_HIGH) - k * _LN2_LOW
    bits = np.float64(z).view(np.int64) << np.int64(_EXPONENT_BITS)
    power = np.int64(bits + np.int64(_ONE)).view(np.float64)
    r2 = r * r
    r4 = r2 * r2
    low = (_T[2] + r * _T[3]) + r2 * (_T[4] + r * _T[5])
    middle = (_T[6] + r * _T[7]) + r2 * (_T[8] + r * _T[9])
    high = (_T[10] + r * _T[11]) + r2 * (_T[12] + r * _T[13])
    expm1 = power * (r2 * (low + r4 * (middle + r4 * high)) + r) + (power - 1.0)
    return expm1 / (expm1 + 2.0)


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def tanh_all(x, out):
    """tanh of every element of x [n], into out [n]."""
    for i in range(x.size):
        out[i] = tanh(x[i])
