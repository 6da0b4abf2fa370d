"""Leave-one-out predictive densities by importance sampling from the posterior, and whether they can be trusted.

Source: Vehtari and Lampinen (2001), section 2.3, equations 9 to 17; the smoothing is that of Vehtari, Simpson, Gelman,
Yao and Gabry, Pareto smoothed importance sampling (2024), and Vehtari, Gelman and Gabry (2017) for its use here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook import kernels
from benchbook.assess.convergence import RULE, Chains
from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.chains import chains_of, relative_efficiency
from benchbook.assess.densities.checks import Array, matrix, names_of, targets_of, vector
from benchbook.assess.densities.plain import FEWEST
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_files import from_inference_data
from benchbook.errors import Fault, FaultyInput
from benchbook.predictive import Mixture
from benchbook.predictive.choice import choose
from benchbook.words import counted


@dataclass(frozen=True)
class Loo:
    """Leave-one-out log predictive densities of N cases from M draws of the posterior, in nats; larger is better.

    Attributes:
        log_density: [N], log p(y_i | x_i, D without i), by smoothed weights unless they were not wanted.
        raw_log_density: [N], the same by raw weights: the harmonic mean of the likelihoods.
        posterior_log_density: [N], log p(y_i | x_i, D), what the case is given by a model that has seen it.
        k_hat: [N], shape of the Pareto tail of the weights; infinite where fewer than five draws are in the tail.
        effective: [N], the effective number of draws: by the weights of ``log_density``, equation 17, times ``r_eff``.
        raw_effective: [N], by raw weights, of draws taken for independent.
        draws: M.
        cases: [N] ids of the cases, none when they were not given.
        targets: [N], None when they were not given.
        r_eff: relative efficiency of the draws, [N] or one for all.
        chains: the worst diagnostics of the chains; None where chains were not given.
    """

    log_density: Array
    raw_log_density: Array
    posterior_log_density: Array
    k_hat: Array
    effective: Array
    raw_effective: Array
    draws: int
    cases: tuple[str, ...] = ()
    targets: NDArray[Any] | None = None
    r_eff: Any = 1.0
    chains: Chains | None = None

    @property
    def shortfall(self) -> str:
        """Why the chains allow no verdict, by their worst scalars; empty where they pass the rule or are not known."""
        return self.chains.shortfall() if self.chains else ""

    @property
    def trusted(self) -> bool:
        """Whether the chains have met and the weights are good in all cases."""
        return not self.shortfall and bool(self.reliable.all())

    @property
    def total(self) -> float:
        """Σ_i log p(y_i | x_i, D without i)."""
        return float(self.log_density.sum())

    @property
    def standard_error(self) -> float:
        """Of the total: sqrt(N s²) with s² the variance over cases, divisor N - 1 (equation 24); nan for one case."""
        cases = self.log_density.size
        return math.sqrt(cases * self.log_density.var(ddof=1)) if cases > 1 else math.nan

    @property
    def effective_parameters(self) -> float:
        """Σ_i (log p(y_i | x_i, D) - log p(y_i | x_i, D without i))."""
        return float((self.posterior_log_density - self.log_density).sum())

    @property
    def reliable(self) -> NDArray[np.bool_]:
        """[N], whether k-hat is below ``k_threshold(M)``, or all of more than ten weights are equal."""
        return reliable(self.k_hat, self.raw_effective, self.draws)

    def frame(self) -> pl.DataFrame:
        """A line for each case, with its id, or its number from 0 where there are no ids.

        Returns:
            ``case``, ``log_density_nats``, ``raw_log_density_nats``, ``posterior_log_density_nats``, ``k_hat``,
            ``effective_draws``, ``reliable``.
        """
        names = self.cases or [str(case) for case in range(self.k_hat.size)]
        return pl.DataFrame(
            {
                "case": names,
                "log_density_nats": self.log_density,
                "raw_log_density_nats": self.raw_log_density,
                "posterior_log_density_nats": self.posterior_log_density,
                "k_hat": self.k_hat,
                "effective_draws": self.effective,
                "reliable": self.reliable,
            }
        )

    def verdict(self) -> str:
        """Whether to trust the estimate, in a sentence or two."""
        return verdict_on(
            self, self.cases or [str(case) for case in range(self.k_hat.size)], "case"
        )


def verdict_on(estimate: Any, names: Sequence[str], unit: str) -> str:
    """``Loo.verdict`` of what has been left out: cases or groups of them, by their names."""
    if estimate.shortfall:
        return (
            f"No verdict: the chains have not met ({estimate.shortfall}). The rule is {RULE}. Run longer chains, or "
            "look for what keeps them apart."
        )
    count, bad = estimate.reliable.size, int((~estimate.reliable).sum())
    least = (
        f"the least effective number of draws is {estimate.effective.min():.0f} of {estimate.draws}"
    )
    if not bad:
        every = "all " * (count > 1)
        return f"Importance sampling can be trusted in {every}{counted(count, unit)}; {least}."
    if tail_length(estimate.draws) < FEWEST:
        return (
            f"{estimate.draws} draws are too few to judge importance sampling by: draw more, hundreds if you can, "
            "or use k-fold cross-validation."
        )
    worst = int(np.argmax(np.where(estimate.reliable, -np.inf, estimate.k_hat)))
    return (
        f"Importance sampling cannot be trusted in {bad} of {counted(count, unit)} (the worst is {unit} "
        f"{names[worst]}, k-hat {estimate.k_hat[worst]:.2f}); {least}. Fit the model "
        f"without {'them' if bad > 1 else 'it'}, or use k-fold cross-validation."
    )


def k_threshold(draws: int) -> float:
    """Below min(1 - 1 / log10 M, 0.7), smoothed weights are good; with 10 draws or fewer nothing is: minus infinity.

    Source: Vehtari, Simpson, Gelman, Yao and Gabry (2024), section 3.2.4.
    """
    return min(1.0 - 1.0 / math.log10(draws), 0.7) if draws > 10 else -math.inf


def reliable(k_hat: Array, effective: Array, draws: int) -> NDArray[np.bool_]:
    """Whether weights can be trusted, [N]: k-hat below ``k_threshold(M)``, or all of more than ten of them equal.

    Args:
        k_hat, effective: [N], shape of the tail and effective number; equal weights have no tail, and k-hat infinite.
        draws: M.
    """
    return (k_hat < k_threshold(draws)) | ((effective >= draws * (1.0 - 1e-9)) & (draws > 10))


def tail_length(draws: int, r_eff: float = 1.0) -> int:
    """T = ceil(min(M / 5, 3 sqrt(M / r_eff))), the number of weights that are smoothed."""
    return math.ceil(min(draws / 5.0, 3.0 * math.sqrt(draws / r_eff)))


def loo(
    log_likelihood: Any,
    r_eff: Any = None,
    *,
    cases: Sequence[Any] | NDArray[Any] | None = None,
    targets: Any = None,
    variable: str | Sequence[str] = "",
) -> Loo:
    r"""Leave-one-out predictive densities from one posterior, equations 11, 14 and 16 with h = p(y_i | x_i, θ):

        p(y_i | x_i, D without i) ≈ Σ_j w_j p(y_i | x_i, θ_j) / Σ_j w_j,      w_j = 1 / p(y_i | x_i, θ_j).

    For a model whose predictions depend on the data given its parameters, as a Gaussian process, the likelihoods are
    the densities p(y_i | x_i, θ_j, D without i) of ``gp_leave_one_out``.

    Limits: with one draw the weight is 1, the density the likelihood, the effective number 1 and k-hat infinite. With
    all weights of a case equal, the densities are the posterior's, the effective number M, k-hat infinite (nothing to
    fit) and the case reliable. With one weight that outweighs all others, the effective number is 1 and k-hat infinite.

    Args:
        log_likelihood: log p(y_i | x_i, θ_j), [M draws, N cases] or [chains, draws, N], finite, in nats; it may be an
            ``np.memmap``, which is read in blocks of cases. Or a ``LogLikelihood``, an ArviZ ``InferenceData`` or an
            xarray ``DataTree``: these bring cases and targets along. Where chains are given, the result says whether
            they have met: R-hat at most 1.01 and 400 effective draws of every log likelihood, and of every parameter
            where the posterior is there.
        r_eff: relative efficiency of the draws, effective over actual number: one for all, or [N]. When left out, 1 for
            arrays, and what the chains are worth (``relative_efficiency``) for the other objects.
        cases: [N] ids of the cases.
        targets: [N] targets. ``compare_models`` compares both where they were given.
        variable: which log likelihoods of an ``InferenceData`` or ``DataTree``, where there are several.

    Raises:
        FaultyInput: another shape, a log likelihood that is not finite (with its draw and case), or such an r_eff;
            other numbers of ids or targets.
    """
    posterior, efficiency, chains = as_posterior(log_likelihood, r_eff, variable)
    array = likelihoods.shaped(posterior.values)
    draws, count = array.shape
    names = names_of(posterior.cases or None if cases is None else cases, count)
    known = posterior.targets if targets is None else targets_of(targets, count)
    longest = tail_lengths(draws, count, efficiency)
    estimates, space = np.empty((6, count)), kernels.importance.scratch_for(draws)
    for begin, ratios in likelihoods.blocks(array):
        part = np.empty((6, len(ratios)))
        kernels.importance.leave_one_out(ratios, longest[begin : begin + len(ratios)], space, part)
        estimates[:, begin : begin + len(ratios)] = part
    return Loo(
        estimates[1],
        estimates[0],
        estimates[2],
        estimates[5],
        estimates[4] * np.asarray(efficiency, dtype=np.float64),
        estimates[3],
        draws,
        names,
        known,
        efficiency,
        chains,
    )


def _is_array(values: Any) -> bool:
    return isinstance(values, np.ndarray | list | tuple) or (
        hasattr(values, "__array__") and not hasattr(values, "children")
    )


def as_posterior(
    data: Any, r_eff: Any = None, variable: str | Sequence[str] = ""
) -> tuple[LogLikelihood, Any, Chains | None]:
    """What ``loo`` is given, as a ``LogLikelihood``, with the relative efficiency of its draws, and what its chains are
    worth: the log likelihoods of all cases, and the parameters where they are there; None of an array without chains.

    Raises:
        FaultyInput: as for ``loo``.
    """
    if _is_array(data):
        flat = likelihoods.shaped(data)
        values = flat[None] if np.ndim(data) == 2 else np.asarray(data)
        chains = chains_of(values) if np.ndim(data) == 3 else None
        return LogLikelihood(values, (), ""), 1.0 if r_eff is None else r_eff, chains
    posterior = data if isinstance(data, LogLikelihood) else from_inference_data(data, variable)
    chains = chains_of(posterior.values, lambda case: posterior.cases[case])
    known = posterior.parameters
    if known is not None:
        chains = Chains({**chains.rhat, **known.rhat}, {**chains.size, **known.size})
    efficiency = relative_efficiency(posterior.values) if r_eff is None else r_eff
    return posterior, efficiency, chains


def loo_weights(
    log_likelihood: Any, cases: Any = None, *, smooth: bool = True, r_eff: Any = 1.0
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


def effective_number(weights: Any) -> Array:
    """m_eff = 1 / Σ_j w_j², equation 17: from 1, all weight on one draw, to M, all weights equal.

    It cannot tell that the variance of the weights is infinite; k-hat can.

    Args:
        weights: [M, n], normalised over draws or not.
    """
    shares = _shares(weights)
    return 1.0 / np.einsum("mn,mn->n", shares, shares)


def cumulative_weights(weights: Any) -> Array:
    """Mass of the k largest weights, [M, n] for k = 1..M: the curves of figure 2's upper plots.

    Args:
        weights: [M, n], normalised over draws or not.
    """
    curves = np.cumsum(-np.sort(-_shares(weights), axis=0), axis=0)
    return np.minimum(curves, 1.0)


def expectation(values: Any, weights: Any) -> Array:
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


def resample(weights: Any, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
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


def mixture(mean: Any, variance: Any, weights: Any = None) -> Mixture:
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


def predictive_expectation(values: Any) -> Array:
    """E_y[g(y)] ≈ (1 / m) Σ_j g(y_j), equations 2 and 15: the mean over draws from a predictive distribution.

    Args:
        values: g at the draws, [m, n].
    """
    return matrix(values, "values at the draws", "[m draws, n cases]").mean(axis=0)


def _shares(weights: Any) -> Array:
    array = matrix(weights, "importance weights", "[M draws, n cases]")
    bad = np.flatnonzero((array < 0.0).any(axis=0) | ~array.any(axis=0))
    if bad.size:
        rule = "weights must be at least 0, one of them above"
        raise FaultyInput(
            "importance weights",
            [Fault(f"case {i}", f"least {array[:, i].min()}", rule) for i in bad],
        )
    return array / array.sum(axis=0)


def tail_lengths(draws: int, cases: int, r_eff: Any) -> NDArray[np.int64]:
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
