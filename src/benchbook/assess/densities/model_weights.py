"""Weights of models for one joint prediction: stacking, and pseudo-BMA by the Bayesian bootstrap.

Source: Yao, Vehtari, Simpson and Gelman, Using stacking to average Bayesian predictive distributions, Bayesian Analysis
13 (2018), sections 3.3 and 3.4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from benchbook.assess.densities.checks import Array, matrix
from benchbook.seeds import generator

_REPLICATES = 100
_STILL = 1e-4
_REPEATS = 40  # of as many replicates, for what costs little
_ROUNDING = 1e-9  # of the optimisation: a weight below it is none


class ModelWeights(NamedTuple):
    """Weights [K] that sum to 1, and their standard errors [K] over data sets, by the Bayesian bootstrap."""

    weights: Array
    errors: Array


def stacking(log_density: object, *, seed: int = 1) -> ModelWeights:
    r"""The weights of the mixture whose left-out cases are most likely: max_w Σ_i log Σ_k w_k p_k(y_i | D without i).

    Models that predict alike share their weight in no settled way, and the standard errors are large then.

    Args:
        log_density: [N, K], log predictive densities of the left-out cases or groups under K models.
        seed: of the bootstrap.

    Raises:
        FaultyInput: another shape, or densities that are not finite.
    """
    table = matrix(log_density, "log densities", "[N cases, K models]")
    density = np.exp(table - table.max(axis=1, keepdims=True))
    cases, models = table.shape
    best = _mixture(density, np.full(cases, 1.0 / cases), np.full(models, 1.0 / models))
    drawn = _towards(
        density,
        _shares(cases, _REPLICATES, generator(seed, "model weights")),
        0.9 * best + 0.1 / models,
    )
    return ModelWeights(best, np.round(np.std(drawn, axis=0), 9))


def pseudo_bma(log_density: object, *, seed: int = 1) -> ModelWeights:
    r"""Pseudo-BMA+ weights: the mean over bootstrap replicates g of w_k ∝ exp(N Σ_i g_i log p_k(y_i | D without i)).

    Arguments and errors as for ``stacking``.
    """
    table = matrix(log_density, "log densities", "[N cases, K models]")
    rng = generator(seed, "model weights")
    totals = np.concatenate(
        [len(table) * _shares(len(table), _REPLICATES, rng) @ table for _ in range(_REPEATS)]
    )
    drawn = scipy.special.softmax(totals, axis=1)
    return ModelWeights(drawn.mean(axis=0), drawn.std(axis=0))


def _shares(cases: int, replicates: int, rng: np.random.Generator) -> Array:
    """[B, N] weights of the cases, Dirichlet(1, ..., 1)."""
    drawn = rng.standard_exponential((replicates, cases))
    return drawn / drawn.sum(axis=1, keepdims=True)


def _towards(density: Array, shares: Array, start: Array, steps: int = 200) -> Array:
    """[B, K], as ``_mixture`` for each of B rows of shares, by steps of expectation and maximisation: near enough for a
    standard error."""
    weights = np.tile(start, (len(shares), 1))
    for _ in range(steps):
        before, weights = weights, weights * ((shares / (weights @ density.T)) @ density)
        if np.abs(weights - before).max() < _STILL:
            break
    return weights


def _mixture(density: Array, shares: Array, start: Array) -> Array:
    """The weights [K] with the largest Σ_i g_i log Σ_k w_k p_ik; a concave problem, whose last weight is the rest."""
    if density.shape[1] == 1:
        return np.ones(1)

    def loss(free: Array) -> tuple[float, Array]:
        weights = np.append(free, 1.0 - free.sum())
        mixed = np.maximum(density @ weights, np.finfo(np.float64).tiny)
        slope = (shares / mixed) @ density
        return -float(shares @ np.log(mixed)), slope[-1] - slope[:-1]

    found = scipy.optimize.minimize(
        loss,
        start[:-1],
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * (start.size - 1),
        constraints={
            "type": "ineq",
            "fun": lambda free: 1.0 - free.sum(),
            "jac": lambda free: -np.ones_like(free),
        },
        options={"ftol": 1e-9},
    )
    weights = np.clip(np.append(found.x, 1.0 - found.x.sum()), 0.0, 1.0)
    weights[weights < _ROUNDING] = 0.0
    return weights / weights.sum()
