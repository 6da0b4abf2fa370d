"""Leave-one-out predictive densities by importance sampling from the posterior, and whether they can be trusted.

Source: Vehtari and Lampinen (2001), section 2.3, equations 9 to 17; the smoothing is that of Vehtari, Simpson, Gelman,
Yao and Gabry, Pareto smoothed importance sampling (2024), and Vehtari, Gelman and Gabry (2017) for its use here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook import kernels
from benchbook.assess.convergence import RULE, Chains
from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.chains import chains_of, relative_efficiency, worst_of
from benchbook.assess.densities.checks import Array, names_of, targets_of
from benchbook.assess.densities.plain import FEWEST
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_files import from_inference_data
from benchbook.assess.densities.weights import tail_length, tail_lengths
from benchbook.words import counted, some

_LARGEST_ERROR = 0.1  # of a density by weights that nothing was fitted to, relative


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
        refits: posteriors without a case, by its number (``refits``): its density is theirs, and not by weights.
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
    r_eff: ArrayLike = 1.0
    chains: Chains | None = None
    refits: Mapping[int, LogLikelihood] = field(default_factory=dict)

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
        """[N], whether the weights can be trusted (see ``reliable``)."""
        by_weights = reliable(self.k_hat, self.raw_effective, self.draws)
        return well_refitted(self.refits, self.effective, by_weights)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """[N], whether the case has been refitted."""
        return np.isin(np.arange(self.k_hat.size), list(self.refits))

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
    refitted = int(estimate.exact.sum())
    if not bad and refitted:
        others = (
            f"Importance sampling can be trusted in {counted(count - refitted, 'other')}; {least}."
        )
        return f"{counted(refitted, unit)} refitted. {others if refitted < count else ''}".strip()
    if not bad:
        every = "all " * (count > 1)
        return f"Importance sampling can be trusted in {every}{counted(count, unit)}; {least}."
    if tail_length(estimate.draws) < FEWEST:
        return (
            f"{estimate.draws} draws are too few to judge importance sampling by: draw more, hundreds if you can, "
            "or use k-fold cross-validation."
        )
    few = [names[unit] for unit in estimate.refits if not estimate.reliable[unit]]
    if len(few) == bad:
        return (
            f"The refit without {some(few)} has too few draws for the density of what it left out, which hangs on a "
            f"few of them; {least}. Draw more."
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

    A tail of a few values that come back again and again ends at the largest of them; nothing is fitted, and k-hat is
    infinite. Then the standard error that the weights give the density, sqrt(1 / m_eff - 1 / M) of it, must be at most
    a tenth; that bound is ours.

    Args:
        k_hat, effective: [N], shape of the tail and effective number; equal weights have no tail, and k-hat infinite.
        draws: M.
    """
    equal = (effective >= draws * (1.0 - 1e-9)) & (draws > 10)
    error = np.sqrt(np.maximum(1.0 / effective - 1.0 / draws, 0.0))
    no_tail = np.isinf(k_hat) & (error <= _LARGEST_ERROR) & (tail_length(draws) >= FEWEST)
    return (k_hat < k_threshold(draws)) | equal | no_tail


def well_refitted(
    refits: Mapping[int, LogLikelihood], effective: Array, by_weights: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether units can be trusted: refitted ones where the relative standard error of the mean of their likelihoods
    is at most a tenth, a bound of ours, and the others by their weights.

    Args:
        refits: by the number of the unit.
        effective: [units], of a refit the effective number of equation 17 with likelihoods in the place of weights.
        by_weights: [units], whether the weights can be trusted.
    """
    result = by_weights.copy()
    for unit, part in refits.items():
        draws = part.values.shape[0] * part.values.shape[1]
        result[unit] = 1.0 / effective[unit] - 1.0 / draws <= _LARGEST_ERROR**2
    return result


def loo(
    log_likelihood: object,
    r_eff: ArrayLike | None = None,
    *,
    cases: Sequence[Any] | NDArray[Any] | None = None,
    targets: ArrayLike | None = None,
    variable: str | Sequence[str] = "",
    check_chains: bool = True,
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
        check_chains: whether R-hat and effective sizes are computed, which takes most of the time; without them the
            result's ``chains`` are None.

    Raises:
        FaultyInput: another shape, a log likelihood that is not finite (with its draw and case), or such an r_eff;
            other numbers of ids or targets.
    """
    posterior, efficiency, chains = as_posterior(log_likelihood, r_eff, variable, check_chains)
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


def is_array(values: ArrayLike) -> bool:
    """Whether values are an array or lists, and no object with groups."""
    return isinstance(values, np.ndarray | list | tuple) or (
        hasattr(values, "__array__") and not hasattr(values, "children")
    )


def as_posterior(
    data: Any,
    r_eff: ArrayLike | None = None,
    variable: str | Sequence[str] = "",
    check_chains: bool = True,
) -> tuple[LogLikelihood, Any, Chains | None]:
    """What ``loo`` is given, as a ``LogLikelihood``, with the relative efficiency of its draws, and what its chains are
    worth: the log likelihoods of all cases, and the parameters where they are there; None of an array without chains.

    Raises:
        FaultyInput: as for ``loo``.
    """
    if is_array(data):
        flat = likelihoods.shaped(data)
        values = flat[None] if np.ndim(data) == 2 else np.asarray(data)
        bare = LogLikelihood(values, (), "")
        chains = (
            chains_of(values) if check_chains and np.ndim(data) == 3 and not bare.fixed else None
        )
        return bare, 1.0 if r_eff is None else r_eff, chains
    posterior = data if isinstance(data, LogLikelihood) else from_inference_data(data, variable)
    efficiency = relative_efficiency(posterior.values) if r_eff is None else r_eff
    return posterior, efficiency, _chains(posterior) if check_chains else None


def _chains(posterior: LogLikelihood) -> Chains | None:
    """The worst of log likelihoods and parameters; None of a model without parameters."""
    if posterior.fixed:
        return None
    chains = chains_of(posterior.values, lambda case: posterior.cases[case])
    if not posterior.parameters:
        return chains
    known = worst_of(posterior.parameters)
    return Chains({**chains.rhat, **known.rhat}, {**chains.size, **known.size})
