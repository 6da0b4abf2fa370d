"""The logarithm, the exponential of negative numbers and the mean distance of a Gaussian, as vector instructions.

numba's own are calls of the C library for each element. Here nothing branches, so that loops become vector
instructions, and powers of two are made and read by shifting bits (compare ``activations``).

The mean distance of a standard Gaussian Z from a number z is what the CRPS of Gaussians and of mixtures is made of:

    E|Z - z| = |z| + 2 (phi(z) - |z| Q(|z|)) = |z| + exp(-z^2/2) p(t),    t = (|z| - 3)/(|z| + 3),

with the density phi and the upper tail Q. p is a polynomial of degree 20, right at the Chebyshev points of
0 <= |z| <= 9; beyond that the second term is below 1e-18. The error is below 6e-16 of the whole.
"""

import math

import numpy as np
from numba import njit

from benchbook.kernels.products import multiply_add

_LOG2E = 1.0 / math.log(2.0)
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits
_ONE = np.int64(0x3FF0000000000000)
_SQRT_HALF = np.int64(0x3FE6A09E667F3BCD)
_SHIFT = np.int64(52)
_LEAST = -708.0  # below, exp is smaller than the smallest normal number
_NORMAL = 2.0**-1022
_LIFT, _LOG_LIFT = 2.0**54, 54.0 * math.log(2.0)
_E = tuple(1.0 / math.factorial(k) for k in range(14))
_P = (0.06880087066949235, -0.2197517082158837, 0.27931426194288955, -0.18275469483161358, 0.057725892166002,
      0.0034902457821771754, -0.008000213491170067, 1.8236376780361505e-05, 0.0013024038352988268,
      0.00010218069090388466, -0.00023320589878798447, -6.556456881146174e-05, 3.392867506805334e-05,
      2.4192143192076528e-05, -1.0690447408312759e-07, -5.8359912011248224e-06, -2.254419312503137e-06,
      4.6389377561089e-07, 7.399597475348428e-07, 2.8073597614688e-07, 4.028340708133139e-08)


@njit(cache=True, error_model="numpy")
def exp_negative(x):
    """exp(x) of one number x <= 0, relative error below 1e-15; about 3e-308 for all x below -708."""
    x = max(x, _LEAST)
    z = multiply_add(x, _LOG2E, _ROUND)
    k = z - _ROUND
    r = multiply_add(k, -_LN2_LOW, multiply_add(k, -_LN2_HIGH, x))
    power = np.int64((np.float64(z).view(np.int64) << _SHIFT) + _ONE).view(np.float64)
    r2 = r * r
    even = multiply_add(r2, _E[12], _E[10])
    odd = multiply_add(r2, _E[13], _E[11])
    even = multiply_add(r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, even, _E[8]), _E[6]), _E[4]), _E[2])
    odd = multiply_add(r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, odd, _E[9]), _E[7]), _E[5]), _E[3])
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
    return multiply_add(whole, _LN2_HIGH, multiply_add(whole, _LN2_LOW, 2.0 * multiply_add(s * t, p, s)))


@njit(cache=True, error_model="numpy")
def log_positive(x):
    """log(x) of one number x >= 0, subnormal ones and 0 (-inf) included."""
    tiny = x < _NORMAL
    found = log_normal(max(x * _LIFT if tiny else x, _NORMAL))
    found = found - _LOG_LIFT if tiny else found
    return found if x > 0.0 else -np.inf


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
