"""Exact draws of Polya-Gamma variables, which make a logistic likelihood a Normal one.

Source: N. G. Polson, J. G. Scott and J. Windle, Bayesian inference for logistic models using Polya-Gamma latent
variables, 2013, section 4: rejection from a truncated inverse Gaussian and an exponential, decided by an alternating
series (Devroye's method).
"""

import math

import numpy as np
from numba import njit

_CUT = 0.64  # where the two pieces of the envelope meet
_HALF_PI_LOG = math.log(0.5 * math.pi)


@njit(cache=True, error_model="numpy")
def polya_gamma(tilts, out, rng):
    """Fill ``out`` [N] with one draw of PG(1, c) for each tilt c [N].

    1 / (1 + exp(-c)) = 1/2 exp(c/2) E exp(-w c^2 / 2) with w ~ PG(1, 0), and w given c has the density of PG(1, c). Its
    mean is tanh(c/2) / (2 c), 1/4 at c = 0.
    """
    for i in range(tilts.size):
        out[i] = 0.25 * _one(0.5 * abs(tilts[i]), rng)


@njit(cache=True, error_model="numpy")
def _one(z, rng):
    """One draw of the tilted Jacobi variable J*(1, z), z not negative."""
    rate = 0.125 * math.pi**2 + 0.5 * z * z
    tail = _share_of_tail(z, rate)
    while True:
        x = _CUT + rng.standard_exponential() / rate if rng.random() < tail else _truncated(z, rng)
        total = _term(0, x)
        height, n = rng.random() * total, 0
        while True:
            n += 1
            if n % 2 == 1:
                total -= _term(n, x)
                if height <= total:
                    return x
            else:
                total += _term(n, x)
                if height > total:
                    break


@njit(cache=True, error_model="numpy")
def _share_of_tail(z, rate):
    """The probability that the envelope is drawn from beyond the cut."""
    root = math.sqrt(1.0 / _CUT)
    base = math.log(rate) + rate * _CUT
    below = np.exp(base - z + _log_normal(root * (_CUT * z - 1.0)))
    below += np.exp(base + z + _log_normal(-root * (_CUT * z + 1.0)))
    return 1.0 / (1.0 + 4.0 / math.pi * below)


@njit(cache=True, error_model="numpy")
def _log_normal(x):
    """log of the standard Normal distribution function; minus infinity far below."""
    return np.log(0.5 * math.erfc(-x * math.sqrt(0.5)))


@njit(cache=True, error_model="numpy")
def _term(n, x):
    """Coefficient n of the alternating series of the density at x, the tilt left out."""
    k = n + 0.5
    if x > _CUT:
        return math.pi * k * math.exp(-0.5 * (math.pi * k) ** 2 * x)
    return math.pi * k * math.exp(-1.5 * (_HALF_PI_LOG + math.log(x)) - 2.0 * k * k / x)


@njit(cache=True, error_model="numpy")
def _truncated(z, rng):
    """An inverse Gaussian with mean 1 / z and shape 1, below the cut."""
    if z * _CUT < 1.0:
        while True:
            first, second = rng.standard_exponential(), rng.standard_exponential()
            while first * first > 2.0 * second / _CUT:
                first, second = rng.standard_exponential(), rng.standard_exponential()
            x = _CUT / (1.0 + first * _CUT) ** 2
            if rng.random() <= math.exp(-0.5 * z * z * x):
                return x
    mean, x = 1.0 / z, 2.0 * _CUT
    while x > _CUT:
        scaled = mean * rng.standard_normal() ** 2
        x = mean + 0.5 * mean * (scaled - math.sqrt(scaled * (4.0 + scaled)))
        if rng.random() > mean / (mean + x):
            x = mean * mean / x
    return x
