"""Whether the chains of a posterior have met: R-hat and effective size of every log likelihood and every parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook import kernels
from benchbook.assess.convergence import Chains
from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.checks import Array
from benchbook.words import counted

FEWEST = 4  # draws of a chain
_BLOCK = 64  # traces that are looked at together


def relative_efficiency(log_likelihood: ArrayLike) -> Array:
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
    efficiencies = np.ones(flat.shape[1])
    if len(flat) // chains < FEWEST:
        return efficiencies
    for begin, ratios in likelihoods.blocks(flat):
        values = _in_halves(np.exp(ratios.min(axis=1, keepdims=True) - ratios), chains)
        part = efficiencies[begin : begin + len(values)]
        kernels.convergence.efficiencies(values, 2 * chains, part)
        for row in np.flatnonzero(part < 0.0):
            part[row] = effective_draws(values[row].reshape(2 * chains, -1)) / values.shape[1]
    return efficiencies


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
    size = scipy.fft.next_fast_len(2 * length, real=True)
    terms = scipy.fft.rfft(centred, n=size, axis=1)
    power = np.mean(terms.real**2 + terms.imag**2, axis=0)
    covariance = scipy.fft.irfft(power, n=size)[:length] / length
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


def split_rhat(trace: np.ndarray) -> float:
    """Rank-normalised split R-hat, the larger of that of the draws and that of their distances from the median.

    Each chain is cut into two halves. The n C values of all halves are replaced by normal scores
    z = Phi^-1((rank - 3/8) / (n C + 1/4)); then R^2 = (n - 1) / n + B / (n W), with n the length of a half, B / n the
    variance of the means of the halves and W the mean of their variances. The distances (folding) tell halves of one
    centre and different spread. About 1 when all halves agree; above 1.1 they do not. NaN for a constant trace, of
    which nothing can be said, and below 4 draws a chain; infinity when each half is constant and they differ.
    Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-normalization, folding, and localization, 2021,
    section 4.

    Args:
        trace: [n] draws of one chain in its order, or [chains, n]; of an odd number the middle one is left out.
    """
    parts = _halves(trace)
    if parts is None:
        return float("nan")
    return _largest(parts, _normal_scores(parts))


def effective_size(trace: np.ndarray) -> float:
    """Effective sample size of the mean, all chains pooled, after rank normalisation ("bulk").

    It is ``effective_draws`` of the halves' normal scores (see ``split_rhat``). NaN below 4 draws a chain and for a
    constant trace.
    Source: as for ``split_rhat``, sections 3.2 and 4.
    """
    parts = _halves(trace)
    if parts is None:
        return float("nan")
    return _size(_normal_scores(parts))


def largest_rhat(traces: Iterable[np.ndarray]) -> float:
    """The largest ``split_rhat`` of the traces that move; NaN where none does, or where one is undefined."""
    return float(np.max([split_rhat(trace) for trace in traces if np.ptp(trace) != 0.0] or np.nan))


def least_size(traces: Iterable[np.ndarray]) -> float:
    """The least ``effective_size`` of the traces that move; NaN where none does, or where one is undefined."""
    sizes = [effective_size(trace) for trace in traces if np.ptp(trace) != 0.0]
    return float(np.min(sizes or np.nan))


def stationary_pvalue(trace: np.ndarray) -> float:
    """p value of the Kolmogorov-Smirnov test that both halves of a chain have one distribution.

    The chain is thinned first: one draw is kept of every as many as the draws of a half are per effective one, so that
    those kept are nearly independent. Then sup |F1 - F2| of the empirical distribution functions of the two halves is
    compared with what it is for independent draws of one distribution. A small p value says that the chain was still on
    its way; a large one does not say that it has been everywhere. 1 for a constant trace, NaN when a number is not
    finite or fewer than 4 draws are left in a half.
    Source: C. P. Robert and G. Casella, Monte Carlo Statistical Methods, 1999, the chapter on diagnosing convergence.

    Args:
        trace: [n] draws of one chain in its order, or [chains, n], whose first halves are taken together.
    """
    chains = np.atleast_2d(np.asarray(trace, dtype=float))
    if chains.shape[1] < 2 * FEWEST or not np.isfinite(chains).all():
        return float("nan")
    if np.ptp(chains) == 0.0:
        return 1.0
    half = chains.shape[1] // 2
    parts = [*chains[:, :half], *chains[:, chains.shape[1] - half :]]
    effective = sum(1.0 if np.ptp(part) == 0.0 else effective_size(part) for part in parts)
    gap = max(1, int(np.ceil(len(parts) * half / effective)))
    first, second = chains[:, :half:gap], chains[:, chains.shape[1] - half :: gap]
    if first.size < FEWEST:
        return float("nan")
    return float(scipy.stats.ks_2samp(first.ravel(), second.ravel(), method="asymp").pvalue)


def least_pvalue(traces: Sequence[np.ndarray]) -> float:
    """The least ``stationary_pvalue`` of several traces times their number (Bonferroni), at most 1.

    1 for no trace; 0 where one leaves too few draws to be tested, as a chain that drifts all the way does.
    """
    least = float(np.min([stationary_pvalue(trace) for trace in traces], initial=1.0))
    return 0.0 if np.isnan(least) else min(1.0, max(1, len(traces)) * least)


def chains_of(log_likelihood: ArrayLike, name_of: Callable[[int], str] = str) -> Chains:
    """The worst R-hat and the least effective size of the log likelihoods of all cases.

    Log likelihoods are functions of the parameters, and the ones that matter here: chains that disagree on one of them
    cannot give its leave-one-out density.

    Args:
        log_likelihood: [chains, draws, N], or [draws, N] of one chain, whose halves are compared.
        name_of: gives the name of a case from its number.

    Raises:
        FaultyInput: another shape, or a log likelihood that is not finite.
    """
    array = np.asarray(log_likelihood)
    flat = likelihoods.shaped(array)
    count = 1 if array.ndim == 2 else array.shape[0]
    blocks = (
        (partial(_from, lambda case: f"log likelihood of case {name_of(case)}", begin), ratios)
        for begin, ratios in likelihoods.blocks(flat)
    )
    return _worst(blocks, count)


class Traces(NamedTuple):
    """Draws of one parameter, [chains, draws, ...], whose elements may have names."""

    name: str
    values: NDArray[Any]
    elements: tuple[str, ...] = ()

    def label(self, number: int) -> str:
        """The name of an element."""
        shape = self.values.shape[2:]
        if self.elements or not shape:
            return self.elements[number] if self.elements else self.name
        return f"{self.name}[{', '.join(str(place) for place in np.unravel_index(number, shape))}]"


def worst_of(parameters: Sequence[Traces]) -> Chains:
    """The worst of the parameters' elements: the largest R-hat and the least effective size, each with its name.

    A number that is not finite is the worst there is. What never changes is not looked at, for of a constant there is
    nothing to say; nor what is NaN in every draw (``undefined``). Where nothing changes the chains have not moved, and
    both are NaN.
    """
    blocks = (
        (partial(_from, trace.label, begin), rows)
        for trace in parameters
        for begin, rows in _rows(trace.values)
    )
    return _worst(blocks, len(parameters[0].values) if parameters else 1)


def _from(label: Callable[[int], str], begin: int, row: int) -> str:
    return label(begin + row)


def undefined(parameters: Sequence[Traces]) -> list[str]:
    """The elements that are NaN in every draw."""
    return [
        trace.label(begin + int(row))
        for trace in parameters
        for begin, rows in _rows(trace.values)
        for row in np.flatnonzero(np.isnan(rows).all(axis=1))
    ]


def _rows(values: NDArray[Any]) -> Iterator[tuple[int, Array]]:
    """Elements of [chains, draws, ...] as rows [n, chains * draws], block by block, with the number of the first."""
    flat = values.reshape(values.shape[0] * values.shape[1], -1)
    for begin in range(0, flat.shape[1], _BLOCK):
        yield begin, np.ascontiguousarray(flat[:, begin : begin + _BLOCK].T, dtype=np.float64)


def _worst(blocks: Iterable[tuple[Callable[[int], str], Array]], chains: int) -> Chains:
    rhat, size = ("", -np.inf), ("", np.inf)
    for name_of, rows in blocks:
        rhats, sizes = diagnose(rows, chains)
        moving = np.flatnonzero(~np.isnan(rhats) & ~np.isnan(rows).all(axis=1))
        if not moving.size:
            continue
        top, low = moving[np.argmax(rhats[moving])], moving[np.argmin(sizes[moving])]
        if rhats[top] > rhat[1]:
            rhat = (_flawed(name_of(int(top)), rows[top]), float(rhats[top]))
        if sizes[low] < size[1]:
            size = (_flawed(name_of(int(low)), rows[low]), float(sizes[low]))
    if rhat[1] == -np.inf:
        return Chains({"": np.nan}, {"": np.nan})
    return Chains(dict([rhat]), dict([size]))


def _flawed(name: str, row: Array) -> str:
    """The name, and in how many draws it is not finite."""
    count = int((~np.isfinite(row)).sum())
    return f"{name}, not finite in {counted(count, 'draw')}" if count else name


def diagnose(rows: Array, chains: int) -> tuple[Array, Array]:
    """R-hat and effective size of each trace, as by ``split_rhat`` and ``effective_size``; both NaN for a constant one.

    Infinite and 0 where a number is not finite, and for chains of fewer than four draws.

    Args:
        rows: [n, chains * draws], the chains of a trace one after another.
        chains: how many.
    """
    rhat, size = np.full(len(rows), np.inf), np.zeros(len(rows))
    if rows.shape[1] // chains < FEWEST:
        still = np.ptp(rows, axis=1) == 0.0
        rhat[still] = size[still] = np.nan
        return rhat, size
    values = _in_halves(rows, chains)
    order, scores = np.argsort(values, axis=1), np.empty_like(values)
    kernels.convergence.diagnose(
        values, order, 2 * chains, _score_table(values.shape[1]), scores, rhat, size
    )
    for row in np.flatnonzero(size < 0.0):
        size[row] = effective_draws(scores[row].reshape(2 * chains, -1))
    return rhat, size


def _in_halves(rows: Array, chains: int) -> Array:
    """[n, M] less the middle draw of each chain where their number is odd: the halves of all chains."""
    draws = rows.shape[1] // chains
    if draws % 2 == 0:
        return rows
    split = np.delete(rows.reshape(len(rows), chains, draws), draws // 2, axis=2)
    return split.reshape(len(rows), -1)


def _halves(trace: np.ndarray) -> np.ndarray | None:
    chains = np.atleast_2d(np.asarray(trace, dtype=float))
    half = chains.shape[1] // 2
    return (
        None if chains.shape[1] < FEWEST else np.concatenate([chains[:, :half], chains[:, -half:]])
    )


def _normal_scores(values: np.ndarray) -> np.ndarray:
    if np.isnan(values).any():
        return np.full_like(values, np.nan)
    if np.ptp(values) == 0.0:
        return np.zeros_like(values)
    flat = values.ravel()
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    scores = np.empty_like(flat)
    if (ordered[1:] > ordered[:-1]).all():
        scores[order] = _scores(flat.size)
    else:  # equal values share the mean of their ranks
        ranks = scipy.stats.rankdata(flat)
        scores = scipy.special.ndtri((ranks - 0.375) / (flat.size + 0.25))
    return scores.reshape(values.shape)


@lru_cache(maxsize=8)
def _scores(count: int) -> np.ndarray:
    """Normal scores of the ranks 1 to ``count``."""
    return _score_table(count)[::2].copy()


@lru_cache(maxsize=8)
def _score_table(count: int) -> np.ndarray:
    """Normal scores of the ranks 1, 1.5, 2 to ``count``."""
    return scipy.special.ndtri((np.arange(2.0, 2.0 * count + 1.0) / 2.0 - 0.375) / (count + 0.25))


def _largest(parts: np.ndarray, scores: np.ndarray) -> float:
    """The larger R-hat of the two: of the draws, by their scores, and of their distances from the median."""
    folded = _rhat(_normal_scores(np.abs(parts - np.median(parts))))
    return float(np.fmax(_rhat(scores), folded))  # distances may all be equal, and say nothing then


def _size(scores: np.ndarray) -> float:
    return float("nan") if np.ptp(scores) == 0.0 else effective_draws(scores)


def _rhat(parts: np.ndarray) -> float:
    length = parts.shape[1]
    within = np.mean(np.var(parts, axis=1, ddof=1))
    between = np.var(parts.mean(axis=1), ddof=1)
    if within <= 1e-25 * between or within == 0.0:  # each half is constant, to rounding
        return float("nan") if np.ptp(parts) == 0.0 else float("inf")
    return float(np.sqrt((length - 1) / length + between / within))
