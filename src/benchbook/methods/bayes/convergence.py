"""How far to trust chains: split R-hat and effective sample size of their traces, one chain or several."""

from __future__ import annotations

import numpy as np

_FEWEST = 4  # draws of a chain


def split_rhat(trace: np.ndarray) -> float:
    """Rank-normalised split R-hat, the larger of that of the draws and that of their distances from the median.

    Each chain is cut into two halves. The n C values of all halves are replaced by normal scores
    z = Phi^-1((rank - 3/8) / (n C + 1/4)); then R^2 = (n - 1) / n + B / (n W), with n the length of a half, B / n the
    variance of the means of the halves and W the mean of their variances. The distances (folding) tell halves of one
    centre and different spread. About 1 when all halves agree; above 1.1 they do not. 1 for a constant trace, NaN below
    4 draws a chain, infinity when each half is constant and they differ.
    Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-normalization, folding, and localization, 2021,
    section 4.

    Args:
        trace: [n] draws of one chain in its order, or [chains, n]; of an odd number the middle one is left out.
    """
    halves = _halves(trace)
    if halves is None:
        return float("nan")
    return max(_rhat(_normal_scores(halves)), _rhat(_normal_scores(np.abs(halves - np.median(halves)))))


def effective_size(trace: np.ndarray) -> float:
    """Effective sample size of the mean, all chains pooled, after rank normalisation ("bulk").

    S / (1 + 2 sum of autocorrelations), S the number of draws. The autocorrelation at lag k is
    1 - (W - mean autocovariance at k) / V, with V = W (n - 1) / n + B / n and W, B, n of the halves as for
    ``split_rhat``. The sum goes over pairs of lags 2 k, 2 k + 1 by Geyer's initial monotone sequence, and takes the
    even lag after the last pair too when it is positive. At most S log10 S. NaN below 4 draws a chain; S for a constant
    trace.
    Source: as for ``split_rhat``, sections 3.2 and 4; its estimator is that of Stan and ArviZ.
    """
    halves = _halves(trace)
    if halves is None:
        return float("nan")
    total, scores = halves.size, _normal_scores(halves)
    if np.ptp(scores) == 0.0:
        return float(total)
    spread = max(_autocorrelation_time(_correlations(scores)), 1.0 / np.log10(total))
    return float(total / spread)


def _halves(trace: np.ndarray) -> np.ndarray | None:
    chains = np.atleast_2d(np.asarray(trace, dtype=float))
    if chains.shape[1] < _FEWEST:
        return None
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _normal_scores(values: np.ndarray) -> np.ndarray:
    from scipy.stats import norm, rankdata

    if np.ptp(values) == 0.0:
        return np.zeros_like(values)
    return norm.ppf((rankdata(values).reshape(values.shape) - 0.375) / (values.size + 0.25))


def _rhat(halves: np.ndarray) -> float:
    length = halves.shape[1]
    within = np.mean(np.var(halves, axis=1, ddof=1))
    if within == 0.0:
        return 1.0 if np.ptp(halves) == 0.0 else float("inf")
    return float(np.sqrt((length - 1) / length + np.var(halves.mean(axis=1), ddof=1) / within))


def _correlations(halves: np.ndarray) -> np.ndarray:
    """Autocorrelations at lags 0 to n - 1, about the mean of each half, with the variance of all."""
    length = halves.shape[1]
    centred = halves - halves.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, n=2 * length, axis=1)) ** 2
    covariance = np.mean(np.fft.irfft(power, axis=1)[:, :length], axis=0) / length
    within = covariance[0] * length / (length - 1)
    pooled = covariance[0] + np.var(halves.mean(axis=1), ddof=1)
    correlation = 1.0 - (within - covariance) / pooled
    correlation[0] = 1.0
    return correlation


def _autocorrelation_time(correlation: np.ndarray) -> float:
    """1 + 2 sum of autocorrelations, up to the first pair whose sum is negative, or to the last but one or two lags."""
    pairs = correlation[: len(correlation) // 2 * 2].reshape(-1, 2).sum(axis=1)
    last = max((len(correlation) - 1) // 2 - 1, 0)
    negative = np.flatnonzero(pairs[: last + 1] < 0)
    end = int(negative[0]) if negative.size else last
    after = max(float(correlation[2 * end]), 0.0)
    return 2.0 * float(np.minimum.accumulate(pairs[:end]).sum()) - 1.0 + after
