"""How many independent draws the dependent draws of chains are worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.checks import Array

FEWEST = 4  # draws of a chain


def relative_efficiency(log_likelihood: Any) -> Array:
    """Effective over actual number of draws of each case's likelihood, [N]: the r_eff of ``loo``.

    The effective number is that of the mean of p(y_i | x_i, θ_j) over the draws, from the autocorrelations within the
    chains and the distance between them (``effective_draws``). 1 for a likelihood that never changes, and for chains of
    fewer than four draws, of which nothing can be said.

    Args:
        log_likelihood: [chains, draws, N], in nats, finite; [draws, N] is one chain.

    Raises:
        FaultyInput: another shape, or a log likelihood that is not finite.
    """
    array = np.asarray(log_likelihood)
    flat = likelihoods.shaped(array)
    chains = 1 if array.ndim == 2 else array.shape[0]
    efficiencies = np.empty(flat.shape[1])
    for begin, ratios in likelihoods.blocks(flat):
        for index, row in enumerate(ratios):
            values = np.exp(row.min() - row).reshape(chains, -1)
            efficiencies[begin + index] = _efficiency(values)
    return efficiencies


def _efficiency(values: Array) -> float:
    if values.shape[1] < FEWEST or np.ptp(values) == 0.0:
        return 1.0
    return effective_draws(halves(values)) / values.size


def halves(chains: Array) -> Array:
    """Each chain of [chains, n] cut into two, [2 chains, n // 2]; of an odd number the middle draw is left out."""
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def effective_draws(chains: Array) -> float:
    """Effective number of draws of the mean of [chains, n], S / (1 + 2 sum of autocorrelations), at most S log10 S.

    The autocorrelation at lag k is 1 - (W - mean autocovariance at k) / V, with V = W (n - 1) / n + B / n, W the mean
    variance within chains and B / n the variance of their means. The sum goes over pairs of lags 2 k, 2 k + 1 by
    Geyer's initial monotone sequence, and takes the even lag after the last pair too when it is positive.
    Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-normalization, folding, and localization, 2021,
    section 3.2; the estimator is that of Stan and ArviZ.
    """
    spread = max(_autocorrelation_time(_correlations(chains)), 1.0 / np.log10(chains.size))
    return float(chains.size / spread)


def _correlations(chains: Array) -> Array:
    """Autocorrelations at lags 0 to n - 1, about the mean of each chain, with the variance of all."""
    length = chains.shape[1]
    centred = chains - chains.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, n=2 * length, axis=1)) ** 2
    covariance = np.mean(np.fft.irfft(power, axis=1)[:, :length], axis=0) / length
    within = covariance[0] * length / (length - 1)
    pooled = covariance[0] + np.var(chains.mean(axis=1), ddof=1)
    correlation = 1.0 - (within - covariance) / pooled
    correlation[0] = 1.0
    return correlation


def _autocorrelation_time(correlation: Array) -> float:
    """1 + 2 sum of autocorrelations, up to the first pair whose sum is negative, or to the last but one or two lags."""
    pairs = correlation[: len(correlation) // 2 * 2].reshape(-1, 2).sum(axis=1)
    last = max((len(correlation) - 1) // 2 - 1, 0)
    negative = np.flatnonzero(pairs[: last + 1] < 0)
    end = int(negative[0]) if negative.size else last
    after = max(float(correlation[2 * end]), 0.0)
    return 2.0 * float(np.minimum.accumulate(pairs[:end]).sum()) - 1.0 + after
