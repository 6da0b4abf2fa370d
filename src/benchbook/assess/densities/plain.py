"""The twins of the kernels in plain numpy: slow, short, and what the kernels are tested against.

``smoothed`` stays in logarithms, where the kernels' weights end at the smallest number.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.assess.densities.checks import Array

FEWEST, _PRIOR = 5, 10.0


def fit_pareto(tail: ArrayLike) -> tuple[float, float]:
    """Shape k, drawn to 1/2 by a weak prior, and scale of a generalised Pareto distribution (Zhang and Stephens 2009).

    Args:
        tail: [n] exceedances in increasing order, above 0.
    """
    x = np.asarray(tail, dtype=np.float64)
    n, points = x.size, 30 + int(math.sqrt(x.size))
    grid = np.arange(1, points + 1) - 0.5
    b = (1.0 - np.sqrt(points / grid)) / (3.0 * x[int(n / 4 + 0.5) - 1]) + 1.0 / x[-1]
    k = np.log1p(-b[:, None] * x).mean(axis=1)
    length = n * (np.log(-b / k) - k - 1.0)
    weight = np.exp(length - length.max())
    weight /= weight.sum()
    weight[weight < 10 * np.finfo(float).eps] = 0.0
    mean_b = float(weight @ b / weight.sum())
    shape = float(np.log1p(-mean_b * x).mean())
    return (n * shape + 0.5 * _PRIOR) / (n + _PRIOR), -shape / mean_b


def smoothed(log_ratios: ArrayLike, longest: int) -> tuple[Array, float]:
    """Logarithms of the weights of the draws, Pareto smoothed and normalised, and k-hat.

    Args:
        log_ratios: [M].
        longest: T; 0 leaves the weights raw.
    """
    x = np.asarray(log_ratios, dtype=np.float64) - np.max(log_ratios)
    k, log_cut = (
        math.inf,
        max(np.sort(x)[max(x.size - longest - 1, 0)], math.log(np.finfo(float).tiny)),
    )
    above = np.flatnonzero(x > log_cut)
    if longest and above.size >= FEWEST:
        above, cut = above[np.argsort(x[above], kind="stable")], math.exp(log_cut)
        new = np.diff(x[above]) != 0.0
        if FEWEST * (1 + new.sum()) <= 1 + (new | (np.diff(above) != 1)).sum():
            return x - scipy.special.logsumexp(x), math.inf
        shape, scale = fit_pareto(np.exp(x[above]) - cut)
        span = -np.log1p(-(np.arange(above.size) + 0.5) / above.size)
        if math.isfinite(shape) and math.isfinite(scale):
            k = shape
            with np.errstate(over="ignore"):
                unit = np.expm1(k * span) / k if abs(k) >= np.finfo(float).eps else span
            x[above] = np.log(np.minimum(scale * unit + cut, 1.0))
    return x - scipy.special.logsumexp(x), k


def leave_one_out(log_likelihood: ArrayLike, longest: int) -> tuple[Array, Array, Array]:
    """Log predictive densities [N], effective numbers [N] and k-hat [N] of log likelihoods [M, N]."""
    ll = np.asarray(log_likelihood, dtype=np.float64)
    columns = [smoothed(-column, longest) for column in ll.T]
    log_weights = np.stack([weights for weights, _ in columns], axis=1)
    density = scipy.special.logsumexp(ll + log_weights, axis=0)
    return density, 1.0 / (np.exp(log_weights) ** 2).sum(axis=0), np.array([k for _, k in columns])
