"""Exact updates of a residual model: precisions of groups of cases, degrees of freedom, and the scales of cases.

Of case i of the group k = group_of[i] a residual has the variance v_i / (l_i t_k): v_i what the inputs make of it (1
unless it depends on them), t_k the precision of the group, and l_i the scale of the case, 1 for Normal residuals and of
mean 1 with the density of Gamma(n / 2, rate n / 2) for Student's t with n degrees of freedom, which is what the
residual has once l_i is integrated out. ``squares`` [N] holds the squared residuals divided by v_i, summed over the
outputs of a case. Source of the augmentation: J. Geweke, Bayesian treatment of the independent Student-t linear model,
1993.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.exponentials import log
from benchbook.kernels.hyperparameters import inverse_precision

_TRIES = 100


class ResidualPrior(NamedTuple):
    """The fixed part of a residual model.

    precision [3]: w, a and b. With one group its precision has mean w and shape a/2; with several, each has shape b/2
    about a common one with mean w and shape a/2 (in the sense of ``kernels.hyperparameters``). group_of [N], from 0;
    grid [G], the degrees of freedom there may be, each as likely as any other, none for Normal residuals; constants
    [G], log Gamma((n + 1)/2) - log Gamma(n/2) - log(n)/2 of each.
    """

    precision: np.ndarray
    group_of: np.ndarray
    grid: np.ndarray
    constants: np.ndarray


class Residuals(NamedTuple):
    """The unknowns of a residual model, changed in place.

    precisions [K]; common [1], the precision that those are about; degrees [K], numbers of entries of the grid; scales
    [N], those of the cases.
    """

    precisions: np.ndarray
    common: np.ndarray
    degrees: np.ndarray
    scales: np.ndarray


@njit(cache=True, error_model="numpy")
def update_precisions(squares, outputs, model, prior, rng):
    """Precision of each group given the scales of its n cases of O outputs, then the common one given those.

    Gamma with shape (b + n O) / 2 and rate (b / common + sum of scale times square) / 2; with one group a and w stand
    for b and the common precision. The common one: ``hyperparameters.inverse_precision``.
    """
    groups = model.precisions.size
    counts, sums = np.zeros(groups), np.zeros(groups)
    for i in range(squares.size):
        counts[prior.group_of[i]] += outputs
        sums[prior.group_of[i]] += model.scales[i] * squares[i]
    mean, above, below = prior.precision
    shape = below
    if groups == 1:
        model.common[0], shape = mean, above
    if not np.isfinite(shape):
        return
    total = 0.0
    for k in range(groups):
        rate = 0.5 * (shape / model.common[0] + sums[k])
        model.precisions[k] = rng.standard_gamma(0.5 * (shape + counts[k])) / rate
        total += model.precisions[k]
    if groups > 1 and np.isfinite(above):
        inverse = inverse_precision(
            1.0 / model.common[0],
            0.5 * (groups * below - above),
            0.5 * below * total,
            0.5 * above / mean,
            _TRIES,
            rng,
        )
        if inverse > 0.0 and np.isfinite(inverse):
            model.common[0] = 1.0 / inverse


@njit(cache=True, error_model="numpy")
def update_degrees(squares, model, prior, rng):
    """Degrees of freedom of each group given its precision, the scales of the cases integrated out.

    The probability of n is proportional to prod_i t_n(z_i), z_i^2 = precision times square; one output a case.
    """
    size = prior.grid.size
    for k in range(model.precisions.size):
        logs = np.zeros(size)
        for g in range(size):
            total, count, per = 0.0, 0, model.precisions[k] / prior.grid[g]
            for i in range(squares.size):
                if prior.group_of[i] == k:
                    total += log(1.0 + per * squares[i])
                    count += 1
            logs[g] = count * prior.constants[g] - 0.5 * (prior.grid[g] + 1.0) * total
        model.degrees[k] = chosen(logs, rng.random())


@njit(cache=True, error_model="numpy")
def chosen(logs, uniform):
    """The entry taken with probability proportional to exp(logs), by the inverse of the cumulated shares."""
    top = logs[0]
    for g in range(logs.size):
        top = max(top, logs[g])
    total = 0.0
    for g in range(logs.size):
        total += math.exp(logs[g] - top)
    left = uniform * total
    for g in range(logs.size):
        left -= math.exp(logs[g] - top)
        if left < 0.0:
            return g
    return logs.size - 1


@njit(cache=True, error_model="numpy")
def update_scales(squares, model, prior, rng):
    """Scale of each case given all else: Gamma, shape (n + 1) / 2, rate (n + precision times square) / 2."""
    for i in range(squares.size):
        group = prior.group_of[i]
        degrees = prior.grid[model.degrees[group]]
        rate = 0.5 * (degrees + model.precisions[group] * squares[i])
        model.scales[i] = rng.standard_gamma(0.5 * (degrees + 1.0)) / rate


@njit(cache=True, error_model="numpy")
def update_residuals(squares, outputs, model, prior, rng):
    """All of a residual model, once: precisions given the scales; degrees given precisions; scales given both.

    The last two are one draw of degrees and scales together given the precisions.
    """
    update_precisions(squares, outputs, model, prior, rng)
    if prior.grid.size > 0:
        update_degrees(squares, model, prior, rng)
        update_scales(squares, model, prior, rng)
