"""The Bayesian bootstrap of expected utilities: cases weighted by draws from a uniform Dirichlet distribution.

Source: Vehtari and Lampinen (2001), section 2.5, after Rubin (1981).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook import kernels
from benchbook.assess.densities.checks import Array, matrix, vector
from benchbook.assess.densities.distribution import Distribution
from benchbook.assess.densities.summaries import (
    MEAN,
    Mean,
    Quantile,
    UtilitySummary,
    checked_weights,
)
from benchbook.errors import Fault, FaultyInput, whole_number
from benchbook.folds import group_labels
from benchbook.seeds import generator

REPLICATES = 10_000
_BLOCK = 2**20  # weights held at once where a summary needs them all


def bayesian_bootstrap(
    u: ArrayLike,
    summary: UtilitySummary = MEAN,
    *,
    replicates: int = REPLICATES,
    seed: int = 1,
    name: str = "",
    case_weights: ArrayLike | None = None,
    sources: object = None,
    groups: ArrayLike | None = None,
) -> Distribution:
    r"""Draws from the distribution of an expected utility: φ_b = summary(u) under weights g_b ~ Dirichlet(1, ..., 1).

    Given several draws of the utilities, each replicate takes one of them, so that the Monte Carlo variability of the
    utilities is carried; the weights g_b carry that of the future data. The weights depend on the seed, the replicate
    and the place of the case alone: two models with the same seed get the same ones, and the difference of their
    replicates is that of equation 27. The variance of a mean is Σ (u_i - ū)² / (n (n + 1)).

    One case has the summary itself in every replicate.

    Args:
        u: [n] utilities, or [D, n] draws of them (see ``reweighted``).
        summary: Mean, Quantile, or any other.
        replicates: B.
        seed: of the weights.
        name: of the model, on which depends which draw of the utilities a replicate takes: Monte Carlo errors of
            different models are independent.
        case_weights: [n], how often cases like each will come, where the future is to differ from the data; equal
            when left out (section 2.2).
        sources: [n], labels of the chains that the utilities come from, for example the folds: cases of one chain
            share its Monte Carlo error, and take the same draw. One chain when left out.
        groups: [n] labels of what future cases come in: persons, images, blocks of time. The cases of a group share
            their weight, and deviations from the estimate are widened for few groups (``few_groups_factor``).
            Every case by itself when left out, which is much too narrow where cases of a group resemble each other.

    Raises:
        FaultyInput: utilities that are not finite, a single replicate or less, such weights, or a single group.
    """
    return bootstrap_columns(
        [u],
        summary,
        [(name,)],
        replicates=replicates,
        seed=seed,
        case_weights=case_weights,
        sources=sources,
        groups=groups,
    )[0]


def few_groups_factor(groups: int) -> float:
    """By how much deviations from the estimate are widened when G groups are weighted: sqrt((G+1)/(G-1)) t / z.

    The variance of a mean under Dirichlet weights has the divisor G + 1 for G - 1, and its tails are Gaussian; with
    t and z the 95 % quantiles of Student's t with G - 1 degrees of freedom and of the Gaussian, the 90 % interval of a
    mean over Gaussian groups is the exact one. 1.07 for 30 groups, 1.31 for 8, 2.5 for 3.
    """
    wide = float(scipy.special.stdtrit(groups - 1, 0.95) / scipy.special.ndtri(0.95))
    return math.sqrt((groups + 1) / (groups - 1)) * wide


@dataclass(frozen=True)
class _Weighting:
    """What is weighted: the shares of the cases [n], their units [n], and by how much deviations are widened."""

    shares: Array
    units: NDArray[np.int64]
    factor: float

    def widened(self, replicates: Array, middles: Array, least: float) -> Array:
        """Deviations [B, K] from the middles [1, K] made wider; no value falls below ``least``."""
        if self.factor == 1.0:
            return replicates
        return np.maximum(middles + self.factor * (replicates - middles), least)


def _weighting(case_weights: ArrayLike | None, groups: object, cases: int) -> _Weighting:
    shares = checked_weights(case_weights, cases) * cases
    if groups is None:
        return _Weighting(shares, np.arange(cases), 1.0)
    labels, member = group_labels(groups, cases)
    if len(labels) < 2:
        rule = "groups are what is weighted: there must be two at least, better twenty"
        raise FaultyInput("Bayesian bootstrap", [Fault("groups", str(len(labels)), rule)])
    return _Weighting(shares, member.astype(np.int64), few_groups_factor(len(labels)))


def bootstrap_columns(
    columns: Sequence[Any],
    summary: UtilitySummary,
    names: Sequence[tuple[str, ...]],
    *,
    replicates: int = REPLICATES,
    seed: int = 1,
    case_weights: ArrayLike | None = None,
    sources: Any = None,
    groups: ArrayLike | None = None,
    choice: NDArray[np.int64] | None = None,
    finish: Callable[[Array], Array] | None = None,
) -> list[Distribution]:
    """``bayesian_bootstrap`` of several columns of utilities of the same cases, under the same weights.

    Args:
        columns: C of [n] or [D, n]; D may differ.
        summary: as there. Of a Mean, the transform comes after ``finish``.
        names: the name of each, for its own stream of draws.
        replicates, seed, case_weights, sources, groups: as there.
        choice: [B, C, G], the draw that each replicate takes of each column for each source, in place of random ones.
        finish: makes of [B, C] replicates, or [1, C] estimates, [B, K] others, for example corrected ones.

    Returns:
        C or K distributions.
    """
    what = "Bayesian bootstrap"
    count = whole_number(replicates, what, "replicates", 2)
    values = [_draws(column) for column in columns]
    cases = values[0].shape[1]
    faults = [
        Fault(str(name[0] or index), f"{value.shape[1]} cases", f"the first has {cases}")
        for index, (name, value) in enumerate(zip(names, values, strict=True))
        if value.shape[1] != cases
    ]
    if faults:
        raise FaultyInput(
            "utilities to bootstrap together", faults, "They must be of the same cases."
        )
    weighting = _weighting(case_weights, groups, cases)
    labels, member = group_labels(np.zeros(cases) if sources is None else sources, cases)
    if choice is None:
        choice = _choices(values, names, count, len(labels), seed)
    keys = generator(seed, "Bayesian bootstrap").integers(0, 2**64, size=count, dtype=np.uint64)
    drawn = _replicates(values, summary, weighting, member, choice, keys)
    equal = weighting.shares / cases
    middles = np.array([[_plain(summary, value.mean(axis=0), equal) for value in values]])
    if finish is not None:
        drawn, middles = finish(drawn), finish(middles)
    if isinstance(summary, Mean):
        drawn, middles = summary.finish(drawn), summary.finish(middles)
    drawn = weighting.widened(drawn, middles, _least(summary, values))
    origin = (
        f"seed {seed}, {cases} cases, shares {zlib.crc32(weighting.shares.tobytes())}, "
        f"units {zlib.crc32(weighting.units.tobytes())}, {count} replicates"
    )
    return [
        Distribution(column, float(middle), origin)
        for column, middle in zip(drawn.T, middles[0], strict=True)
    ]


def reweighted(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    draws: int = 200,
    seed: int = 1,
    name: str = "",
    block: int = 1,
) -> Array:
    r"""Draws from the Monte Carlo distribution of posterior expectations, by a Bayesian bootstrap of the draws.

        E_r[h_i] = Σ_j v_rj w_ij h_ij / Σ_j v_rj w_ij,      v_r ~ Dirichlet(1, ..., 1), or dependent weights.

    For the utility of a log likelihood take the logarithm of the result for h the likelihoods; for a squared error,
    its squared distance to the target for h the means.

    Args:
        values: h, [M, n], at the draws of the posterior.
        weights: w, [M, n], importance weights; equal when left out.
        draws: R.
        seed, name: of the stream.
        block: length over which the draws of the chain are dependent; 1 when they are not (see ``dependent_weights``).

    Returns:
        [R, n], each row from one v shared by all cases, as they share the draws of the posterior.

    Source: section 2.5; section 3.2 has the Monte Carlo variability computed this way.
    """
    h = matrix(values, "values at the draws", "[M draws, n cases]")
    w = (
        np.ones_like(h)
        if weights is None
        else matrix(weights, "importance weights", "[M draws, n cases]")
    )
    if w.shape != h.shape:
        raise FaultyInput(
            "importance weights", [Fault("array", f"shape {w.shape}", f"the values have {h.shape}")]
        )
    v = dependent_weights(len(h), block, draws, generator(seed, "Monte Carlo", name))
    return (v @ (w * h)) / (v @ w)


def dependent_weights(count: int, block: int, replicates: int, rng: np.random.Generator) -> Array:
    r"""Bootstrap weights for a series whose neighbours depend on each other; Dirichlet(1, ..., 1) for block 1.

        g_t ∝ (1/l) Σ_(s=0..l-1) e_(t+s),      e ~ Gamma(shape 1/l, scale l).

    Before they are normalised, g_t has mean 1 and Cov(g_s, g_t) = max(1 - |s - t| / l, 0), so that the variance of the
    bootstrapped mean is the long-run variance with Bartlett's window of length l, divided by the number of draws. The
    report points to Künsch (1989, 1994); this construction is ours.

    Args:
        count: n, numbers in the series.
        block: l, from 1 to n.
        replicates: B.
        rng: where chance comes from.

    Returns:
        [B, n], each summing to 1.

    Raises:
        FaultyInput: a block shorter than 1 or longer than the series, or no replicates.
    """
    what = "dependent weights"
    n = whole_number(count, what, "count", 1)
    length = whole_number(block, what, "block", 1, n, ", the length of the series")
    rows = whole_number(replicates, what, "replicates", 1)
    innovations = rng.gamma(1.0 / length, length, size=(rows, n + length - 1))
    if length > 1:
        sums = np.concatenate(
            [np.zeros((len(innovations), 1)), np.cumsum(innovations, axis=1)], axis=1
        )
        innovations = sums[:, length:] - sums[:, :-length]
    return innovations / innovations.sum(axis=1, keepdims=True)


def _draws(u: ArrayLike) -> Array:
    """[D, n] of [n] or [D, n]."""
    return vector(u, "utilities")[None] if np.ndim(u) == 1 else matrix(u, "utilities")


def _choices(
    values: Sequence[Array], names: Sequence[tuple[str, ...]], count: int, sources: int, seed: int
) -> NDArray[np.int64]:
    """[B, C, G], the draw that a replicate takes of each column for each source."""
    if all(len(value) == 1 for value in values):
        return np.zeros((count, len(values), 1), dtype=np.int64)
    parts = [
        generator(seed, "Monte Carlo draw", *name).integers(len(value), size=(count, sources))
        for value, name in zip(values, names, strict=True)
    ]
    return np.stack(parts, axis=1)


def _replicates(
    values: list[Array],
    summary: UtilitySummary,
    weighting: _Weighting,
    member: NDArray[np.intp],
    choice: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> Array:
    """[B, C]; of a Mean, the means."""
    out = np.empty((len(keys), len(values)))
    if isinstance(summary, Mean):
        kernels.dirichlet.means(
            _stacked(values),
            weighting.shares,
            weighting.units,
            member.astype(np.int64),
            choice,
            keys,
            out,
        )
    elif isinstance(summary, Quantile) and choice.shape[2] == 1:
        stacked = _stacked(values)
        orders = np.argsort(stacked, axis=2, kind="stable")
        ordered = np.take_along_axis(stacked, orders, axis=2)
        kernels.dirichlet.quantiles(
            ordered,
            orders.astype(np.int32),
            summary.level,
            weighting.shares,
            weighting.units,
            choice,
            keys,
            out,
        )
    else:
        _one_by_one(values, summary, weighting, member, choice, keys, out)
    return out


def _one_by_one(
    values: list[Array],
    summary: UtilitySummary,
    weighting: _Weighting,
    member: NDArray[np.intp],
    choice: NDArray[np.int64],
    keys: NDArray[np.uint64],
    out: Array,
) -> None:
    """Any summary, replicate by replicate; fills out [B, C]."""
    cases = np.arange(member.size)
    member = member if choice.shape[2] > 1 else np.zeros_like(member)
    size = max(1, _BLOCK // member.size)
    for begin in range(0, len(keys), size):
        weights = np.empty((len(keys[begin : begin + size]), member.size))
        kernels.dirichlet.weights_of(
            keys[begin : begin + size], weighting.shares, weighting.units, weights
        )
        for b, row in enumerate(weights, begin):
            for c, value in enumerate(values):
                out[b, c] = summary._of(value[choice[b, c, member], cases], row)


def _least(summary: UtilitySummary, values: list[Array]) -> float:
    """What a summary cannot fall below: 0 for a root or an exponential, the least utility for a quantile."""
    if isinstance(summary, Quantile):
        return min(float(value.min()) for value in values)
    return 0.0 if isinstance(summary, Mean) and summary.transform != "none" else -math.inf


def _plain(summary: UtilitySummary, u: Array, weights: Array) -> float:
    """The summary under fixed weights; of a Mean, the mean."""
    return float(weights @ u) if isinstance(summary, Mean) else summary._of(u, weights)


def _stacked(values: list[Array]) -> Array:
    """[C, D, n], with the draws of the shorter columns repeated; none of the repetitions is chosen."""
    most = max(len(value) for value in values)
    return np.stack([np.resize(value, (most, value.shape[1])) for value in values])
