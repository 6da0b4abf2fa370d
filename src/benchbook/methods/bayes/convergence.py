"""How far to trust a chain: split R-hat and effective sample size of its traces."""

from __future__ import annotations

import numpy as np


def split_rhat(trace: np.ndarray) -> float:
    """Rank-normalised split R-hat of one chain, from its two halves.

    Values are replaced by normal scores z = Phi^-1((rank - 3/8) / (n + 1/4)); then
    R^2 = (n - 1) / n + B / (n W), with n the length of a half, B / n the variance of the two means and W the mean of
    the two variances. About 1 when the halves agree; above 1.1 they do not. 1 for a constant trace, NaN below 4 values.
    Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-normalization, folding, and localization, 2021.

    Args:
        trace: [n] draws in the order of the chain; an odd last one is left out.
    """
    return _rhat(_halves(_normal_scores(trace)))


def effective_size(trace: np.ndarray) -> float:
    """Effective sample size of the mean of one chain, both halves pooled, after rank normalisation.

    n / (1 + 2 sum of autocorrelations), the sum ended by Geyer's initial monotone sequence of pairs, autocorrelations
    about the common mean with R-hat's variance. At most n log10 n. NaN below 4 values; n for a constant trace.
    Source: as for ``split_rhat``, sections 3 and 4.
    """
    halves = _halves(_normal_scores(trace))
    length = halves.shape[1]
    if length < 2:
        return float("nan")
    total = halves.size
    within = np.mean(np.var(halves, axis=1, ddof=1))
    pooled = within * (length - 1) / length + np.var(halves.mean(axis=1), ddof=1)
    if pooled == 0.0:
        return float(total)
    centred = halves - halves.mean(axis=1, keepdims=True)
    padded = np.fft.rfft(centred, n=2 * length, axis=1)
    covariance = np.mean(np.fft.irfft(np.abs(padded) ** 2, axis=1)[:, :length], axis=0) / length
    correlation = 1.0 - (within - covariance * length / (length - 1)) / pooled
    correlation[0] = 1.0
    pairs = correlation[: length // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    pairs = np.minimum.accumulate(pairs[: negative[0]] if negative.size else pairs)
    spread = max(2.0 * float(pairs.sum()) - 1.0, 1.0 / np.log10(max(total, 2)))
    return float(total / spread)


def _normal_scores(trace: np.ndarray) -> np.ndarray:
    from scipy.stats import norm, rankdata

    trace = np.asarray(trace, dtype=float)
    if np.ptp(trace) == 0.0:
        return np.zeros_like(trace)
    return norm.ppf((rankdata(trace) - 0.375) / (len(trace) + 0.25))


def _halves(trace: np.ndarray) -> np.ndarray:
    half = len(trace) // 2
    return np.stack([trace[:half], trace[half : 2 * half]])


def _rhat(halves: np.ndarray) -> float:
    length = halves.shape[1]
    if length < 2:
        return float("nan")
    within = np.mean(np.var(halves, axis=1, ddof=1))
    if within == 0.0:
        return 1.0 if np.ptp(halves) == 0.0 else float("inf")
    return float(np.sqrt((length - 1) / length + np.var(halves.mean(axis=1), ddof=1) / within))
