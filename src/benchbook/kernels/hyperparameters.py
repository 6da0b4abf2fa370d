"""Exact updates of the hyperparameters of a network's prior: precisions of weight groups, of inputs, and of the noise.

A precision t has a Gamma prior with mean w and shape a/2, density proportional to t^(a/2 - 1) exp(-t a / (2 w)). For
each group of weights there is an upper precision about a fixed mean; where the group has sets (one for each input, for
automatic relevance determination) each set has a lower precision about the upper one (Neal, Bayesian Learning for
Neural Networks, 1996, sections 3.1 and 4.1; the documentation of his software, priors). A shape of infinity fixes a
precision at its mean.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

_TRIES = 100


class PriorArrays(NamedTuple):
    """The fixed part of the prior.

    set_of [P], the set of each weight; group_of [S], the group of each set; upper_mean, upper_shape, lower_shape [G],
    w and a of each group's upper precision, and a of the lower ones; noise [2], w and a of the noise precision.
    """

    set_of: np.ndarray
    group_of: np.ndarray
    upper_mean: np.ndarray
    upper_shape: np.ndarray
    lower_shape: np.ndarray
    noise: np.ndarray


@njit(cache=True, error_model="numpy")
def update_noise(chain, prior, cases, rng):
    """Noise precision given the residuals: Gamma, shape (a + N) / 2, rate (a / w + sum of squared residuals) / 2."""
    mean, shape = prior.noise
    if np.isfinite(shape):
        rate = 0.5 * shape / mean + chain.error[0]
        chain.noise[0] = rng.standard_gamma(0.5 * (shape + cases.targets.size)) / rate


@njit(cache=True, error_model="numpy")
def update_lower(chain, prior, rng):
    """Precision of each set given its n weights: Gamma, shape (a + n) / 2, rate (a / w + sum of squares) / 2.

    A group without lower level has the update at its upper precision, which is that of its set.
    """
    counts, squares = np.zeros(chain.lower.size), np.zeros(chain.lower.size)
    for p in range(chain.weights.size):
        counts[prior.set_of[p]] += 1.0
        squares[prior.set_of[p]] += chain.weights[p] * chain.weights[p]
    for s in range(chain.lower.size):
        group = prior.group_of[s]
        mean, shape = chain.upper[group], prior.lower_shape[group]
        own = np.isfinite(shape)
        if not own:
            mean, shape = prior.upper_mean[group], prior.upper_shape[group]
        if np.isfinite(shape):
            drawn = rng.standard_gamma(0.5 * (shape + counts[s])) / (
                0.5 * (shape / mean + squares[s])
            )
            chain.lower[s] = drawn
            if not own:
                chain.upper[group] = drawn


@njit(cache=True, error_model="numpy")
def update_upper(chain, prior, rng):
    """Upper precision t of each group with a lower level, given the n lower precisions t_i: ``inverse_precision``."""
    for group in range(chain.upper.size):
        below, above = prior.lower_shape[group], prior.upper_shape[group]
        if not (np.isfinite(below) and np.isfinite(above)):
            continue
        total, count = 0.0, 0
        for s in range(chain.lower.size):
            if prior.group_of[s] == group:
                total += chain.lower[s]
                count += 1
        inverse = inverse_precision(
            1.0 / chain.upper[group],
            0.5 * (count * below - above),
            0.5 * below * total,
            0.5 * above / prior.upper_mean[group],
            _TRIES,
            rng,
        )
        if inverse > 0.0 and np.isfinite(inverse):
            chain.upper[group] = 1.0 / inverse


@njit(cache=True, error_model="numpy")
def inverse_precision(current, power, rate, barrier, tries, rng):
    """A draw of g = 1 / t from the density g^(power - 1) exp(-rate g - barrier / g), or a step that leaves it as it is.

    For the upper precision t with n lower ones, power = (n a1 - a0) / 2, rate = a1 sum_i t_i / 2 and
    barrier = a0 / (2 w). When the power is positive, g from Gamma(power, rate) is taken with probability
    exp(-barrier / g), as in Neal's software. When it is not, or none of ``tries`` draws is taken, a slice-sampling step
    from the current g is made. Which of the two happens does not depend on the current g, so the density is left as it
    is either way.

    Args:
        current: g, positive.
        power, rate, barrier: of the density; the last two are positive.
        tries: the largest number of draws.
        rng: numpy generator.
    """
    if power > 0.0:
        for _ in range(tries):
            draw = rng.standard_gamma(power) / rate
            if draw > 0.0 and math.log(rng.random()) < -barrier / draw:
                return draw
    return math.exp(_slice(math.log(current), power, rate, barrier, rng))


@njit(cache=True, error_model="numpy")
def _log_density(u, power, rate, barrier):
    """Log density of u = log g up to a constant, the Jacobian g included; it is concave."""
    return power * u - rate * math.exp(u) - barrier * math.exp(-u)


@njit(cache=True, error_model="numpy")
def _slice(u, power, rate, barrier, rng):
    """One slice-sampling step by stepping out in units of 1 and shrinking (Neal, Slice sampling, 2003, section 4)."""
    level = _log_density(u, power, rate, barrier) + math.log(rng.random())
    if not np.isfinite(level):
        return u
    low = u - rng.random()
    high = low + 1.0
    while _log_density(low, power, rate, barrier) > level:
        low -= 1.0
    while _log_density(high, power, rate, barrier) > level:
        high += 1.0
    while True:
        new = low + (high - low) * rng.random()
        if _log_density(new, power, rate, barrier) >= level:
            return new
        if new < u:
            low = new
        else:
            high = new
