"""R-hat and effective size of many traces: ``split_rhat`` and ``effective_size`` of ``densities.chains``, compiled.

Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), sections 3.2 and 4. One sort a trace: distances from the median
are in order on either side of it, and are merged. Autocorrelations are summed lag by lag, as far as the sum needs them.
"""

import math

import numpy as np
from numba import njit

from benchbook.kernels.exponentials import total
from benchbook.kernels.products import inner

_SAME = 1e-25  # variance within of its between, below which each half is constant, to rounding
LAGS = 64  # so many are summed; a trace that needs more has an effective size of -1, for Fourier transforms are faster


@njit(cache=True, error_model="numpy")
def _halves_of(values, halves, means, centred):
    """means[h] <- mean of each half, centred <- values less these; returns the mean variance within, divisor length."""
    length = values.size // halves
    squares = 0.0
    for h in range(halves):
        begin = h * length
        mean = total(values[begin:], length) / length
        means[h] = mean
        for i in range(begin, begin + length):
            centred[i] = values[i] - mean
        squares += inner(centred, begin, centred, begin, length)
    return squares / (halves * length)


@njit(cache=True, error_model="numpy")
def _variance(means):
    """Of the means of the halves, divisor their number - 1."""
    centre, squares = means.sum() / means.size, 0.0
    for mean in means:
        squares += (mean - centre) ** 2
    return squares / (means.size - 1)


@njit(cache=True, error_model="numpy")
def _rhat(values, halves, means, centred):
    length = values.size // halves
    within = _halves_of(values, halves, means, centred) * length / (length - 1)
    between = _variance(means)
    if within <= _SAME * between:
        return np.nan if between == 0.0 else np.inf
    return math.sqrt((length - 1) / length + between / within)


@njit(cache=True, error_model="numpy")
def effective(values, halves, means, centred):
    """Effective number of draws of the mean of values [halves * length]; -1 where more than ``LAGS`` lags are needed.

    Args:
        values: [M], the halves of all chains one after another.
        halves: how many.
        means, centred: [halves] and [M], scratch.
    """
    length = values.size // halves
    biased = _halves_of(values, halves, means, centred)
    pooled = biased + _variance(means)
    if pooled == 0.0:
        return np.nan
    within = biased * length / (length - 1)
    last = max((length - 1) // 2 - 1, 0)
    summed, least = 0.0, np.inf
    for pair in range(last + 1):
        if 2 * pair >= LAGS:
            return -1.0
        even = _correlation(centred, halves, 2 * pair, within, pooled) if pair else 1.0
        both = even + _correlation(centred, halves, 2 * pair + 1, within, pooled)
        if both < 0.0 or pair == last:
            break
        least = min(least, both)
        summed += least
    time = 2.0 * summed - 1.0 + max(even, 0.0)
    return values.size / max(time, 1.0 / math.log10(values.size))


@njit(cache=True, error_model="numpy")
def _correlation(centred, halves, lag, within, pooled):
    """1 - (within - mean autocovariance) / pooled."""
    length = centred.size // halves
    products = 0.0
    for h in range(halves):
        begin = h * length
        products += inner(centred, begin, centred, begin + lag, length - lag)
    return 1.0 - (within - products / (halves * length)) / pooled


@njit(cache=True, error_model="numpy")
def _spread_scores(ordered, places, table, scores):
    """scores[places[i]] <- the normal score of the rank of ordered[i]; equal numbers share the mean of their ranks."""
    first, n = 0, ordered.size
    while first < n:
        last = first + 1
        while last < n and ordered[last] == ordered[first]:
            last += 1
        score = table[first + last - 1]
        for i in range(first, last):
            scores[places[i]] = score
        first = last


@njit(cache=True, error_model="numpy")
def _fold(ordered, places, distances, at):
    """distances <- those from the median in increasing order, at <- their places."""
    n = ordered.size
    right = n // 2
    left = right - 1
    median = (ordered[left] + ordered[right]) / 2.0
    for i in range(n):
        below = median - ordered[left] if left >= 0 else np.inf
        above = ordered[right] - median if right < n else np.inf
        if below <= above:
            distances[i], at[i] = below, places[left]
            left -= 1
        else:
            distances[i], at[i] = above, places[right]
            right += 1


@njit(cache=True, error_model="numpy")
def diagnose(values, order, halves, table, scores, rhat, size):
    """R-hat and effective size of each trace.

    Args:
        values: [n, M], of each trace the halves of all chains one after another.
        order: [n, M], the places of its numbers in increasing order.
        halves: how many, two or more, of two draws or more.
        table: [2 M - 1], normal scores of the ranks 1, 1.5, 2, ..., M.
        scores: [n, M], filled with the normal scores of those that have some.
        rhat: [n], filled; nan for a constant trace, infinite where a number is not finite.
        size: [n], filled; nan for a constant trace, 0 where a number is not finite, -1 where ``effective`` gave up.
    """
    draws = values.shape[1]
    ordered, centred, distances = np.empty(draws), np.empty(draws), np.empty(draws)
    folds, at, means = np.empty(draws), np.empty(draws, np.int64), np.empty(halves)
    for row in range(values.shape[0]):
        for i in range(draws):
            ordered[i] = values[row, order[row, i]]
        if ordered[0] == ordered[draws - 1]:
            rhat[row] = size[row] = np.nan
        elif not math.isfinite(ordered[0]) or not math.isfinite(ordered[draws - 1]):
            rhat[row], size[row] = np.inf, 0.0
        else:
            _spread_scores(ordered, order[row], table, scores[row])
            size[row] = effective(scores[row], halves, means, centred)
            rhat[row] = _rhat(scores[row], halves, means, centred)
            _fold(ordered, order[row], distances, at)
            _spread_scores(distances, at, table, folds)
            folded = _rhat(folds, halves, means, centred)
            if not folded <= rhat[row] and not math.isnan(folded):
                rhat[row] = folded


@njit(cache=True, error_model="numpy")
def efficiencies(values, halves, out):
    """out[n] <- effective over actual number of draws of the mean of each trace, 1 of a constant, below 0 where
    ``effective`` gave up; values [n, M] as for ``diagnose``."""
    draws = values.shape[1]
    centred, means = np.empty(draws), np.empty(halves)
    for row in range(values.shape[0]):
        number = effective(values[row], halves, means, centred)
        out[row] = 1.0 if math.isnan(number) else number / draws
