"""How far an expected utility of a posterior would move with other draws of it: Monte Carlo standard errors.

Source: Vehtari and Lampinen (2001), section 2.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from benchbook.assess.densities.bootstrap import dependent_weights
from benchbook.assess.densities.chains import FEWEST, effective_draws, halves
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.posterior_losses import Judge, Unit, judge, units
from benchbook.assess.densities.summaries import ROOT_MEAN, Mean
from benchbook.seeds import generator

if TYPE_CHECKING:
    from benchbook.assess.densities.posterior_assessment import PosteriorAssessment

_REPLICATES = 100
_PARTS = 20
_LAGS = 4.0  # times the autocorrelation time: the length over which resampled draws stay together


def monte_carlo_error(found: PosteriorAssessment) -> float | None:
    """Standard error of the expected utility due to the number of draws; None with fewer than four a chain.

    Of means of densities, squared and absolute errors by their derivatives (``_by_influence``). Of all else that hangs
    on means or on shares of classes by a bootstrap of the draws, in which neighbours stay together
    (``dependent_weights``). Of other losses by the spread of the estimates from 20 consecutive parts of the draws,
    divided by sqrt(20). Cases share the draws of the posterior, so that their errors are not independent; refits have
    draws of their own.
    """
    asked, (chains, draws, _) = found.question, found.posterior.values.shape
    if draws < FEWEST:
        return None
    smooth = asked.of_densities or (asked.loss is None and asked.code in ("S", "A"))
    if smooth and isinstance(asked.summary, Mean):
        return _by_influence(found)
    if chains * draws < 5 * _PARTS:
        return None
    judging = None if asked.of_densities else judge(asked, found.posterior)
    by_parts = asked.loss is not None and judging is not None and judging.labels is None
    resample = _parts if by_parts else _resampled
    return _by_replicates(found, judging, resample) / (math.sqrt(_PARTS) if by_parts else 1.0)


def _by_influence(found: PosteriorAssessment) -> float:
    """A draw j moves the estimate by I_j = Σ_i g_i u_i' w_ij (h_ij - Σ_l w_il h_il), with g the weights of the cases, h
    the likelihood or the predictive draw of the case, and u' the derivative of its utility. The error is
    sqrt(Σ_j I_j²), with the effective number of the I_j in the place of their number."""
    posterior, shares = found.posterior, found.shares
    common, separate = np.zeros(posterior.values.shape[0] * posterior.values.shape[1]), 0.0
    for unit in units(posterior, found.left_out):
        own = np.zeros(unit.weights.size)
        for place, case in enumerate(unit.cases):
            own += shares[case] * unit.weights * _slopes(found, unit, place)
        if unit.refitted:
            chains = found.left_out.refits[unit.number].values.shape[0]
            separate += _variance(own.reshape(chains, -1))
        else:
            common += own
    variance = _variance(common.reshape(posterior.values.shape[:2])) + separate
    scale = 2.0 * found.expected.estimate if found.question.summary is ROOT_MEAN else 1.0
    return math.sqrt(variance) / scale if scale else 0.0


def _variance(influence: Array) -> float:
    """Of the sum of influences [chains, draws]."""
    if influence.shape[1] < FEWEST or np.ptp(influence) == 0.0:
        return float(np.sum(influence**2))
    parts = halves(influence)
    return float(np.sum(influence**2) * parts.size / effective_draws(parts))


def _slopes(found: PosteriorAssessment, unit: Unit, place: int) -> Array:
    """[M], u' (h - its weighted mean): how the utility of a case moves with the draws."""
    asked, case = found.question, unit.cases[place]
    if asked.of_densities:
        log_density = found.left_out.log_density[case]
        slopes = np.exp(unit.log_likelihood[:, place] - log_density) - 1.0
        return slopes * (math.exp(log_density) if asked.of == "likelihood" else 1.0)
    assert unit.drawn is not None
    assert found.targets is not None
    drawn = unit.drawn[:, place].astype(np.float64)
    mean = float(unit.weights @ drawn)
    error = mean - float(found.targets[case])
    return (2.0 * error if asked.code == "S" else np.sign(error)) * (drawn - mean)


def _by_replicates(
    found: PosteriorAssessment, judging: Judge | None, resample: Callable[..., Array]
) -> float:
    """Standard deviation of the estimates by reweighted draws, [R, M] weights of ``resample``."""
    shape, size = found.posterior.values.shape[:2], found.utilities.size
    efficiency = float(np.clip(np.median(np.asarray(found.left_out.r_eff)), 0.01, 1.0))
    shared = resample(shape[0] * shape[1], efficiency, "posterior")
    utilities = np.empty((len(shared), size))
    for unit in units(found.posterior, found.left_out):
        kind = f"refit {unit.number}"
        factors = resample(unit.weights.size, 1.0, kind) if unit.refitted else shared
        weights = factors * unit.weights
        weights /= weights.sum(axis=1, keepdims=True)
        for place, case in enumerate(unit.cases):
            losses = _replicated(judging, unit, weights, place, int(case))
            utilities[:, case] = found.question.utility(losses)
    estimates = [found.question.summary.of(row, found.case_weights) for row in utilities]
    return float(np.std(estimates, ddof=1))


def _replicated(judging: Judge | None, unit: Unit, weights: Array, place: int, case: int) -> Array:
    if judging is None:
        return -np.log(weights @ np.exp(unit.log_likelihood[:, place]))
    assert unit.drawn is not None
    return judging.of(unit.drawn[:, place], weights, case)


def _resampled(draws: int, efficiency: float, name: str) -> Array:
    """[100, M] bootstrap weights of draws whose autocorrelation time is 1 / efficiency."""
    block = min(max(1, round(_LAGS / efficiency)) if efficiency < 0.8 else 1, max(draws // 10, 1))
    return dependent_weights(draws, block, _REPLICATES, generator(1, "Monte Carlo", name))


def _parts(draws: int, efficiency: float, name: str) -> Array:
    """[20, M]: 1 within a part of consecutive draws, 0 elsewhere."""
    del efficiency, name
    number = np.minimum(np.arange(draws) * _PARTS // draws, _PARTS - 1)
    return (number == np.arange(_PARTS)[:, None]).astype(np.float64)
