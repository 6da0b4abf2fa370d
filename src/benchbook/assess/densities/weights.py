"""Importance weights of the draws of a posterior: smoothed, normalised, and what is taken under them.

Source: Vehtari and Lampinen (2001), section 2.3, equations 14 to 18; Vehtari, Simpson, Gelman, Yao and Gabry (2024).
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook import kernels
from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.checks import Array, matrix, vector
from benchbook.errors import Fault, FaultyInput
from benchbook.predictive import Mixture
from benchbook.predictive.choice import choose


def tail_length(draws: int, r_eff: float = 1.0) -> int:
    """T = ceil(min(M / 5, 3 sqrt(M / r_eff))), the number of weights that are smoothed."""
    return math.ceil(min(draws / 5.0, 3.0 * math.sqrt(draws / r_eff)))


def loo_weights(
    log_likelihood: ArrayLike,
    cases: ArrayLike | None = None,
    *,
    smooth: bool = True,
    r_eff: ArrayLike = 1.0,
) -> tuple[Array, Array]:
    """Normalised leave-one-out weights of the draws, equation 16.

    Args:
        log_likelihood: as for ``loo``.
        cases: which ones, all when left out; the result holds M numbers for each.
        smooth: whether the tail is smoothed.
        r_eff: one for all, or one for each of the N cases.

    Returns:
        weights [M, n] that sum to 1 over draws, and k-hat [n], infinite where nothing was fitted.

    Raises:
        FaultyInput: as for ``loo``, or a case that is not there.
    """
    array = likelihoods.shaped(log_likelihood)
    chosen = np.arange(array.shape[1]) if cases is None else np.atleast_1d(np.asarray(cases))
    bad = [case for case in chosen if not 0 <= case < array.shape[1]]
    if bad or chosen.dtype.kind not in "iu":
        rule = f"cases are counted from 0 to {array.shape[1] - 1}"
        raise FaultyInput(
            "cases to weigh", [Fault("case", str(case), rule) for case in bad or chosen]
        )
    longest = tail_lengths(len(array), array.shape[1], r_eff)[chosen]
    return weights_of(
        likelihoods.chosen(array, chosen), longest if smooth else np.zeros_like(longest)
    )


def weights_of(ratios: Array, longest: NDArray[np.int64]) -> tuple[Array, Array]:
    """Normalised weights [M, n] of log ratios [n, M] with tails of given lengths [n], and k-hat [n]."""
    out, k_hat = np.empty_like(ratios), np.empty(len(ratios))
    scratch = kernels.importance.scratch_for(ratios.shape[1])
    kernels.importance.normalised(np.ascontiguousarray(ratios), longest, scratch, out, k_hat)
    return out.T, k_hat


def smoothed_log_weights(log_ratios: Array, longest: int) -> tuple[Array, float]:
    """Logarithms of the normalised weights of the draws, and k-hat, infinite where nothing was fitted.

    Only the tail leaves the logarithms, to be smoothed: weights too small for a floating-point number keep theirs.

    Args:
        log_ratios: [M].
        longest: T; 0 leaves the weights raw.
    """
    ratios = np.ascontiguousarray(log_ratios)
    draws, k_hat = ratios.size, math.inf
    log_weights = ratios - np.max(ratios)
    if longest:
        space = kernels.importance.scratch_for(draws)
        kernels.importance.raw_weights(ratios, space)
        raw = space.weights[:draws].copy()
        k_hat = float(kernels.importance.smooth(draws, longest, space)[0])
        moved = space.weights[:draws] != raw
        log_weights[moved] = np.log(space.weights[:draws][moved])
    return log_weights - scipy.special.logsumexp(log_weights), k_hat


def effective_number(weights: ArrayLike) -> Array:
    """m_eff = 1 / Σ_j w_j², equation 17: from 1, all weight on one draw, to M, all weights equal.

    It cannot tell that the variance of the weights is infinite; k-hat can.

    Args:
        weights: [M, n], normalised over draws or not.
    """
    shares = _shares(weights)
    return 1.0 / np.einsum("mn,mn->n", shares, shares)


def cumulative_weights(weights: ArrayLike) -> Array:
    """Mass of the k largest weights, [M, n] for k = 1..M: the curves of figure 2's upper plots.

    Args:
        weights: [M, n], normalised over draws or not.
    """
    curves = np.cumsum(-np.sort(-_shares(weights), axis=0), axis=0)
    return np.minimum(curves, 1.0)


def expectation(values: ArrayLike, weights: ArrayLike) -> Array:
    """E[h(θ)] ≈ Σ_l h(θ_l) w_l / Σ_l w_l, equation 14, for each case with its weights.

    Args:
        values: h, [M] for a function of the parameters alone, or [M, n] for one of the case too.
        weights: [M, n].
    """
    shares = _shares(weights)
    h = np.asarray(values, dtype=np.float64)
    if h.shape not in ((len(shares),), shares.shape):
        rule = f"must be [M] or [M, n] with the weights' M, n = {shares.shape}"
        raise FaultyInput("values at the draws", [Fault("array", f"shape {h.shape}", rule)])
    return np.einsum(
        "mn,mn->n", shares, h if h.ndim == 2 else np.broadcast_to(h[:, None], shares.shape)
    )


def resample(weights: ArrayLike, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draws θ_(i,j) from p(θ | D without i) by importance resampling with replacement, for equations 15 and 16.

    Args:
        weights: [M, n].
        size: draws for each case.
        rng: where chance comes from.

    Returns:
        [size, n], the places of the draws among the M.
    """
    shares = np.ascontiguousarray(_shares(weights).T)
    return choose(shares, rng.random((len(shares), size))).T


def mixture(
    mean: ArrayLike,
    variance: ArrayLike,
    weights: ArrayLike | None = None,
) -> Mixture:
    r"""Predictive distributions Σ_j w_j N(y; μ_ij, v_ij) / Σ_j w_j of n cases, for utilities; equations 1, 11 and 18.

    Args:
        mean, variance: [M, n], of the residual model under each draw.
        weights: [M, n] for leave-one-out from one posterior; equal when left out, for draws from the posterior that the
            prediction is of.

    Raises:
        FaultyInput: shapes that differ, or such weights.
    """
    means, variances = (
        matrix(mean, "means", "[M draws, n cases]"),
        matrix(variance, "variances", "[M draws, n cases]"),
    )
    shares = _shares(np.ones_like(means) if weights is None else weights)
    if not means.shape == variances.shape == shares.shape:
        actual = f"means {means.shape}, variances {variances.shape}, weights {shares.shape}"
        rule = "all must be [M draws, n cases]; were the draws of different lengths?"
        raise FaultyInput("mixture of draws", [Fault("shapes", actual, rule)])
    return Mixture(shares.T, means.T, variances.T)


def predictive_expectation(values: ArrayLike) -> Array:
    """E_y[g(y)] ≈ (1 / m) Σ_j g(y_j), equations 2 and 15: the mean over draws from a predictive distribution.

    Args:
        values: g at the draws, [m, n].
    """
    return matrix(values, "values at the draws", "[m draws, n cases]").mean(axis=0)


def _shares(weights: ArrayLike) -> Array:
    array = matrix(weights, "importance weights", "[M draws, n cases]")
    bad = np.flatnonzero((array < 0.0).any(axis=0) | ~array.any(axis=0))
    if bad.size:
        rule = "weights must be at least 0, one of them above"
        raise FaultyInput(
            "importance weights",
            [Fault(f"case {i}", f"least {array[:, i].min()}", rule) for i in bad],
        )
    return array / array.sum(axis=0)


def tail_lengths(draws: int, cases: int, r_eff: ArrayLike) -> NDArray[np.int64]:
    """T of each case, [N]."""
    item = np.ndim(r_eff) == 0
    values = vector(
        [r_eff] if item else r_eff, "relative efficiency of the draws", size=None if item else cases
    )
    if (values <= 0.0).any():
        bad = np.flatnonzero(values <= 0.0)
        raise FaultyInput(
            "relative efficiency of the draws",
            [Fault(f"case {i}", str(values[i]), "must be above 0") for i in bad],
        )
    lengths = np.array([tail_length(draws, value) for value in values], dtype=np.int64)
    return np.full(cases, lengths[0]) if item else lengths
