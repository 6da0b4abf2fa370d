"""Importance weights of one case after another, and Pareto smoothing of their upper tail.

With log ratios x_j of M draws, the raw weights are w_j = exp(x_j - max x). The T largest of them, those above the next
largest c, make the tail; a generalised Pareto distribution with shape k and scale s is fitted to their exceedances
w - c, and each is replaced by the quantile of its rank, c + (s / k) ((1 - (r - 1/2) / T)^-k - 1), but by no more than 1
(Vehtari, Simpson, Gelman, Yao and Gabry, Pareto smoothed importance sampling, 2024). The fit is that of Zhang and
Stephens (2009), with k drawn to 1/2 as by 10 further exceedances. The steps are those of the reference implementation
in ArviZ, but for the order of sums and logarithms of products, so that results agree to rounding.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.exponentials import exp, expm1, largest, log, moments, total

GRID = 30  # points of the profile, and one more for each unit of the root of the tail's length
FEWEST = 5  # exceedances that a fit needs
_PRIOR = 10.0
_NEGLIGIBLE = 10 * np.finfo(np.float64).eps
_TINY = 2.22507386e-308  # just above the least that a weight can be
_HUGE, _SMALL = 1e290, 1e-200
_BATCH = 12  # factors multiplied before a logarithm is taken
_WIDE = 1e20  # exceedances that differ by more get a logarithm each
_COUNTED = 1024  # up to so many numbers are sorted by counting
_PROBES = 512


class ImportanceScratch(NamedTuple):
    """Scratch for the weights of one case, changed in place.

    weights [M]; places [M + 1] and chosen [M], where the largest weights are and what they are; ordered [M] and
    moved [M], the same in increasing order; tail [M]; fit [4, G]; spans [M] and span_size [1], the logarithms for the
    quantiles and for how many they were made.
    """

    weights: np.ndarray
    places: np.ndarray
    chosen: np.ndarray
    ordered: np.ndarray
    moved: np.ndarray
    tail: np.ndarray
    fit: np.ndarray
    spans: np.ndarray
    span_size: np.ndarray


@njit(cache=True, error_model="numpy")
def scratch_for(draws):
    """Scratch for M draws."""
    grid = GRID + int(math.sqrt(draws)) + 1
    size = max(draws, _PROBES)
    return ImportanceScratch(
        np.empty(size),
        np.empty(size + 1, np.int64),
        np.empty(size),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty(size),
        np.empty((4, grid)),
        np.empty(size),
        np.zeros(1, np.int64),
    )


@njit(cache=True, error_model="numpy")
def _count_below(values, n, below):
    """below[i] <- how many of the first n values are below values[i]; four comparisons for each load and store."""
    for i in range(n):
        below[i] = 0.0
    whole = n - n % 4
    for j in range(0, whole, 4):
        a, b, c, d = values[j], values[j + 1], values[j + 2], values[j + 3]
        for i in range(n):
            v = values[i]
            below[i] += ((1.0 if a < v else 0.0) + (1.0 if b < v else 0.0)) + (
                (1.0 if c < v else 0.0) + (1.0 if d < v else 0.0)
            )
    for j in range(whole, n):
        a = values[j]
        for i in range(n):
            below[i] += 1.0 if a < values[i] else 0.0


@njit(cache=True, error_model="numpy")
def _sort(n, space):
    """ordered[:n] <- chosen[:n] in increasing order, moved <- their places; few numbers are sorted by counting."""
    chosen, places, ordered, moved = space.chosen, space.places, space.ordered, space.moved
    if n > _COUNTED:
        order = np.argsort(chosen[:n], kind="mergesort")
        for at in range(n):
            ordered[at] = chosen[order[at]]
            moved[at] = places[order[at]]
        return
    below = space.tail
    _count_below(chosen, n, below)
    for i in range(n):
        ordered[i] = -1.0
    for i in range(n):
        at = int(below[i])
        while ordered[at] >= 0.0:  # taken by one that is equal
            at += 1
        ordered[at] = chosen[i]
        moved[at] = places[i]


@njit(cache=True, error_model="numpy")
def _kth_largest(weights, step, probes, k, top):
    """The k-th largest of ``probes`` weights, ``step`` apart; top is scratch."""
    for i in range(k):
        top[i] = -1.0
    for i in range(probes):
        value = weights[i * step]
        if value > top[0]:  # top is in increasing order
            at = 1
            while at < k and top[at] < value:
                top[at - 1] = top[at]
                at += 1
            top[at - 1] = value
    return top[0]


@njit(cache=True, error_model="numpy")
def _candidates(draws, wanted, space):
    """Places of at least ``wanted`` of the largest weights and of no smaller one left out; returns how many.

    The pivot is taken from a few weights, and lowered when it left too few.
    """
    weights, places, chosen = space.weights, space.places, space.chosen
    probes = min(_PROBES, draws)
    step = draws // probes
    retained = int(1.25 * wanted * probes / draws) + 2
    while True:
        pivot = (
            _kth_largest(weights, step, probes, retained, space.tail) if retained < probes else -1.0
        )
        count = np.int64(0)
        for i in range(draws):
            places[count] = i
            count += np.int64(weights[i] >= pivot)
        if count >= wanted or retained >= probes:
            break
        retained += retained // 4 + 1
    for i in range(count):
        chosen[i] = weights[places[i]]
    return count


@njit(cache=True, error_model="numpy")
def _log_means(tail, n, bs, m, products, means):
    """means[k] <- mean_i log(1 - bs[k] tail[i])."""
    batch = _BATCH if largest(tail, n) < _WIDE * tail[(n - 1) // 4] else 1
    for k in range(m):
        means[k] = 0.0
        products[k] = 1.0
    first = 0
    while first < n:
        last = min(first + batch, n)
        for i in range(first, last):
            value = tail[i]
            for k in range(m):
                products[k] *= 1.0 - bs[k] * value
        for k in range(m):
            means[k] += log(products[k])
            products[k] = 1.0
        first = last
    for k in range(m):
        means[k] /= n


@njit(cache=True, error_model="numpy")
def fit_pareto(tail, n, scratch):
    """Shape k and scale s of the generalised Pareto distribution of exceedances, by Zhang and Stephens' profile.

    Args:
        tail: the first n numbers are the exceedances in increasing order, above 0.
        n: FEWEST or more.
        scratch: [4, GRID + sqrt(n) + 1].

    Returns:
        k, with its prior, and s; not finite when there is no fit.
    """
    bs, means, products, lengths = scratch[0], scratch[1], scratch[2], scratch[3]
    m = GRID + int(math.sqrt(n))
    quartile, most = tail[int(n / 4 + 0.5) - 1], tail[n - 1]
    for k in range(m):
        bs[k] = (1.0 - math.sqrt(m / (k + 0.5))) / (3.0 * quartile) + 1.0 / most
    _log_means(tail, n, bs, m, products, means)
    for k in range(m):
        lengths[k] = n * (math.log(-(bs[k] / means[k])) - means[k] - 1.0)
    top = largest(lengths, m)
    mass = 0.0
    for k in range(m):
        lengths[k] = math.exp(lengths[k] - top)
        mass += lengths[k]
    b, retained = 0.0, 0.0
    for k in range(m):
        if lengths[k] >= _NEGLIGIBLE * mass:
            retained += lengths[k]
            b += bs[k] * lengths[k]
    bs[0] = b / retained
    _log_means(tail, n, bs, 1, products, means)
    scale = -means[0] / bs[0]
    return (n * means[0] + 0.5 * _PRIOR) / (n + _PRIOR), scale


@njit(cache=True, error_model="numpy")
def _few_values(low, n, space):
    """Whether the tail, ``ordered`` from ``low`` on, repeats a few values, each come back to five times on average.

    Draws that follow each other and are equal count once: a chain that stands still repeats every value.
    """
    ordered, places = space.ordered, space.moved
    values, visits = 1, 1
    for at in range(low + 1, low + n):
        new = ordered[at] != ordered[at - 1]
        values += new
        visits += new or places[at] != places[at - 1] + 1
    return FEWEST * values <= visits


@njit(cache=True, error_model="numpy")
def _spans(n, space):
    """spans[r] = -log(1 - (r + 1/2) / n), the same for all cases whose tails are as long."""
    if space.span_size[0] != n:
        for r in range(n):
            space.spans[r] = -math.log1p(-(r + 0.5) / n)
        space.span_size[0] = n


@njit(cache=True, error_model="numpy")
def smooth(draws, longest, space):
    """Smooth the tail of ``space.weights``, whose largest is 1, in place.

    Returns:
        k (infinite when the tail is shorter than FEWEST, repeats a few values or cannot be fitted), and the sum of the
        tail's smoothed over raw weights less its length.
    """
    count = _candidates(draws, min(longest + 1, draws), space)
    _sort(count, space)
    ordered, places, tail, weights = space.ordered, space.moved, space.tail, space.weights
    cut = max(ordered[max(count - longest - 1, 0)], _TINY)
    low = max(count - longest, 0)
    while low < count and ordered[low] <= cut:
        low += 1
    n = count - low
    if n < FEWEST or _few_values(low, n, space):
        return np.inf, 0.0
    for i in range(n):
        tail[i] = ordered[low + i] - cut
    k, scale = fit_pareto(tail, n, space.fit)
    if not math.isfinite(k) or not math.isfinite(scale):
        return np.inf, 0.0
    _spans(n, space)
    spans = space.spans
    if abs(k) < np.finfo(np.float64).eps:
        for r in range(n):
            tail[r] = min(scale * spans[r] + cut, 1.0)
    else:
        for r in range(n):
            tail[r] = min(scale * (expm1(k * spans[r]) / k) + cut, 1.0)
    grown = 0.0
    for r in range(n):
        grown += tail[r] / ordered[low + r] - 1.0
        weights[places[low + r]] = tail[r]
    return k, grown


@njit(cache=True, error_model="numpy")
def raw_weights(ratios, space):
    """space.weights <- exp(x - max x); returns max x."""
    draws, weights = ratios.size, space.weights
    top = largest(ratios, draws)
    for j in range(draws):
        weights[j] = exp(ratios[j] - top)
    return top


@njit(cache=True, error_model="numpy")
def _posterior(row, top, space):
    """log of the mean of exp(-x), from the raw weights where their reciprocals do not overflow."""
    draws, weights, scratch = row.size, space.weights, space.tail
    for j in range(draws):
        scratch[j] = 1.0 / weights[j]
    whole = total(scratch, draws)
    if whole < _HUGE:
        return math.log(whole / draws) - top
    low = row.min()
    for j in range(draws):
        scratch[j] = exp(low - row[j])
    return math.log(total(scratch, draws) / draws) - low


@njit(cache=True, error_model="numpy")
def _scaled_moments(draws, space):
    """The sums of the weights and of their squares, in units of the largest."""
    weights, scratch = space.weights, space.tail
    unit = largest(weights, draws)
    for j in range(draws):
        scratch[j] = weights[j] / unit
    return moments(scratch, draws)


@njit(cache=True, error_model="numpy")
def leave_one_out(ratios, longest, space, terms):
    """What leave-one-out weights say of each case.

    Args:
        ratios: [n, M], minus the log likelihood of each case under each draw.
        longest: [n], T of each case; 0 leaves the weights as they are.
        space: ImportanceScratch.
        terms: [6, n], filled with the log predictive density by raw weights and by smoothed ones, that by equal weights
            (the posterior's), the effective number of draws, (Σ w)² / Σ w², by raw weights and by smoothed ones, and k.
    """
    draws, weights = ratios.shape[1], space.weights
    for i in range(ratios.shape[0]):
        top = raw_weights(ratios[i], space)
        terms[2, i] = _posterior(ratios[i], top, space)
        whole, squares = moments(weights, draws)
        terms[0, i] = terms[1, i] = math.log(draws / whole) - top
        terms[3, i] = terms[4, i] = whole * whole / squares
        terms[5, i] = np.inf
        if longest[i] > 0:
            terms[5, i], grown = smooth(draws, longest[i], space)
            whole, squares = moments(weights, draws)
            terms[1, i] = math.log((draws + grown) / whole) - top
            if squares < _SMALL:  # smoothing left weights whose squares vanish
                whole, squares = _scaled_moments(draws, space)
            terms[4, i] = whole * whole / squares


@njit(cache=True, error_model="numpy")
def normalised(ratios, longest, space, out, shapes):
    """Weights that sum to 1.

    Args:
        ratios: [n, M] log ratios.
        longest: [n], T of each; 0 leaves the weights raw.
        space: ImportanceScratch.
        out: [n, M], filled with the weights.
        shapes: [n], filled with k.
    """
    draws, weights = ratios.shape[1], space.weights
    for i in range(ratios.shape[0]):
        raw_weights(ratios[i], space)
        shapes[i] = np.inf
        if longest[i] > 0:
            shapes[i] = smooth(draws, longest[i], space)[0]
        whole = total(weights, draws)
        for j in range(draws):
            out[i, j] = weights[j] / whole


@njit(cache=True, error_model="numpy")
def negated(likelihood, begin, out):
    """out[i, j] <- -likelihood[j, begin + i]; returns whether all are finite.

    Args:
        likelihood: [M, N].
        begin: the first case taken.
        out: [n, M], of n cases.
    """
    n, draws = out.shape
    whole = draws - draws % 8
    sound = 0.0
    for j in range(0, whole, 8):  # eight draws at once fill a line of the cache
        for i in range(n):
            a, b = -likelihood[j, begin + i], -likelihood[j + 1, begin + i]
            c, d = -likelihood[j + 2, begin + i], -likelihood[j + 3, begin + i]
            e, f = -likelihood[j + 4, begin + i], -likelihood[j + 5, begin + i]
            g, h = -likelihood[j + 6, begin + i], -likelihood[j + 7, begin + i]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = a, b, c, d
            out[i, j + 4], out[i, j + 5], out[i, j + 6], out[i, j + 7] = e, f, g, h
            sound += ((0.0 * a + 0.0 * b) + (0.0 * c + 0.0 * d)) + (
                (0.0 * e + 0.0 * f) + (0.0 * g + 0.0 * h)
            )
    for j in range(whole, draws):
        for i in range(n):
            out[i, j] = -likelihood[j, begin + i]
            sound += 0.0 * out[i, j]
    return sound == 0.0
