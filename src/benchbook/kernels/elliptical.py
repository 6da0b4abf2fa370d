"""Elliptical slice sampling of the logarithms of residual variances."""

import math

import numpy as np
from numba import njit

from benchbook.kernels.exponentials import exp, log

_NARROWEST = 1e-12


@njit(cache=True, error_model="numpy")
def log_likelihood(logs, squares, outputs, degrees):
    """log p(residuals | logs of their variances [N]) up to a constant.

    Of each case: -1/2 (O v + q exp(-v)) for Normal residuals, which infinite ``degrees`` stand for, else
    -1/2 (O v + (n + O) log(1 + q exp(-v) / n)); ``squares`` [N] are the q, sums over the O outputs.
    """
    total = 0.0
    if math.isinf(degrees):
        for i in range(logs.size):
            total += outputs * logs[i] + squares[i] * exp(-logs[i])
    else:
        per = 1.0 / degrees
        for i in range(logs.size):
            total += outputs * logs[i] + (degrees + outputs) * log(
                1.0 + per * squares[i] * exp(-logs[i])
            )
    return -0.5 * total


@njit(cache=True, error_model="numpy")
def slices(logs, z, across, others, squares, outputs, degrees, rng):
    """Steps of elliptical slice sampling, in place: the plain twin is ``Field.slice`` of
    ``methods.gaussian_processes.residuals.field``.

    Args:
        logs, z: [N] and [N + 1], values and what they are whitened to.
        across, others: [T, N] and [T, N + 1], the same of T draws from the prior, one for each step.
        squares, outputs, degrees: as for ``log_likelihood``.
    """
    proposed = np.empty_like(logs)
    now = log_likelihood(logs, squares, outputs, degrees)
    for step in range(len(across)):
        height = now + math.log(rng.random())
        angle = 2.0 * math.pi * rng.random()
        low, high = angle - 2.0 * math.pi, angle
        while True:
            near, far = math.cos(angle), math.sin(angle)
            for i in range(logs.size):
                proposed[i] = near * logs[i] + far * across[step, i]
            likelihood = log_likelihood(proposed, squares, outputs, degrees)
            if likelihood > height or high - low < _NARROWEST:
                break
            if angle < 0.0:
                low = angle
            else:
                high = angle
            angle = low + (high - low) * rng.random()
        if likelihood > height:
            now = likelihood
            logs[:] = proposed
            for i in range(z.size):
                z[i] = near * z[i] + far * others[step, i]
