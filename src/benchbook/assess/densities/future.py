"""Leave-future-out cross-validation of a model of a time series, from posteriors of its first cases.

A posterior of the first cases also predicts what comes a little later, by weights that add the cases in between. Where
these weights are not good any more, the model has to be fitted again to all cases up to there.

Source: Buerkner, Gabry and Vehtari, Approximate leave-future-out cross-validation for Bayesian time series models,
Journal of Statistical Computation and Simulation 90 (2020), sections 2 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook.assess.convergence import Chains
from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.distribution import GaussianApproximation, gaussian
from benchbook.assess.densities.importance import as_posterior, k_threshold
from benchbook.assess.densities.weights import smoothed_log_weights, tail_length
from benchbook.errors import Fault, FaultyInput, whole_number


@dataclass(frozen=True)
class FutureLoo:
    """Log densities of the next cases of a time series, each time given the cases before.

    Attributes:
        log_density: [T], log p(y_(t+1), ..., y_(t+ahead) | y_1, ..., y_t) for t = first, first + 1, ..., in nats.
        k_hat: [T], of the weights that lead to the first t cases; 0 where the model was fitted to just these.
        fitted: [T], to how many cases the posterior in use was fitted.
        first, ahead: the cases before the first prediction, and how many are predicted each time.
        threshold: of k-hat.
        needed: to how many cases the model has to be fitted next; 0 where all predictions could be made.
        chains: the worst diagnostics of the posteriors in use.
    """

    log_density: Array
    k_hat: Array
    fitted: NDArray[np.intp]
    first: int
    ahead: int
    threshold: float
    needed: int = 0
    chains: Chains | None = field(default=None)

    @property
    def total(self) -> float:
        """Σ_t log p(y_(t+1), ..., y_(t+ahead) | y_1, ..., y_t)."""
        return float(self.log_density.sum())

    @property
    def expected(self) -> GaussianApproximation:
        """The mean over t and its standard error; too small where predictions overlap or errors persist."""
        return gaussian(self.log_density)

    @property
    def shortfall(self) -> str:
        """Why the chains allow no verdict; empty where they pass the rule or are not known."""
        return self.chains.shortfall() if self.chains else ""

    @property
    def trusted(self) -> bool:
        """Whether every prediction was made, with good weights, from chains that have met."""
        return not self.shortfall and not self.needed

    @property
    def refits(self) -> tuple[int, ...]:
        """To how many cases each of the posteriors in use was fitted."""
        return tuple(np.unique(self.fitted).tolist())

    def frame(self) -> pl.DataFrame:
        """A line for each t: ``given`` (cases before), ``log_density_nats``, ``k_hat``, ``fitted``."""
        return pl.DataFrame(
            {
                "given": self.first + np.arange(self.log_density.size),
                "log_density_nats": self.log_density,
                "k_hat": self.k_hat,
                "fitted": self.fitted,
            }
        )


def leave_future_out(
    posteriors: Mapping[int, Any] | Callable[[int], Any],
    first: int,
    *,
    cases: int = 0,
    ahead: int = 1,
    threshold: float | None = None,
) -> FutureLoo:
    r"""Predict each case, or the next few together, from those before, with as few fits as the weights allow.

        p(y_(t+1..t+M) | y_(1..t)) ≈ Σ_j w_j Π_(l=t+1..t+M) p(y_l | y_(1..l-1), θ_j) / Σ_j w_j,
        w_j = Π_(l=s+1..t) p(y_l | y_(1..l-1), θ_j)     for draws of the posterior of the first s <= t cases.

    A fit to s cases serves until k-hat is above the threshold at some t; then the model is fitted to the first t.

    Args:
        posteriors: by s, to how many cases each was fitted; each with the log likelihoods of all cases in their order,
            those that it has not seen too, given the cases before them. Or a function of s that fits one, which is
            called for ``first`` and where weights fail.
        first: L, how many cases come before the first prediction.
        cases: N; needed for a function whose posteriors hold more.
        ahead: M, how many cases are predicted together.
        threshold: of k-hat; the usual one for the number of draws (``k_threshold``) when left out.

    Returns:
        With all predictions that could be made: where a fit is missing they end, and ``needed`` says which.

    Raises:
        FaultyInput: no posterior of the first L cases, one with another number of cases, or such numbers.
    """
    begin = whole_number(first, "leave-future-out", "first", 1)
    steps = whole_number(ahead, "leave-future-out", "ahead", 1)
    ask = posteriors if callable(posteriors) else posteriors.get
    at, ll, chains = begin, *_read(ask(begin), begin)
    total = cases or ll.shape[1]
    if total < begin + steps or ll.shape[1] < total:
        rule = f"there must be {begin + steps} at least, and as many in every posterior"
        raise FaultyInput("leave-future-out", [Fault("cases", f"{ll.shape[1]} of {total}", rule)])
    limit = k_threshold(len(ll)) if threshold is None else threshold
    known, rows, needed = [chains], [], 0
    for given in range(begin, total - steps + 1):
        log_weights, k_hat = _weights(ll[:, at:given])
        if k_hat > limit:
            other = ask(given)
            if other is None:
                needed = given
                break
            at, (ll, chains) = given, _read(other, given, total)
            known.append(chains)
            log_weights, k_hat = _weights(ll[:, :0])
        ahead_density = ll[:, given : given + steps].sum(axis=1)
        rows.append((float(scipy.special.logsumexp(ahead_density + log_weights)), k_hat, at))
    density, shapes, used = (np.array(column) for column in zip(*rows, strict=True))
    return FutureLoo(
        density, shapes, used.astype(np.intp), begin, steps, limit, needed, _worst(known)
    )


def _read(data: object, given: int, total: int = 0) -> tuple[Array, tuple[int, Chains | None]]:
    if data is None:
        rule = f"there must be one that was fitted to the first {given} cases"
        raise FaultyInput("leave-future-out", [Fault("posterior", "none", rule)])
    posterior, _, chains = as_posterior(data, 1.0)
    values = np.asarray(likelihoods.shaped(posterior.values), dtype=np.float64)
    if values.shape[1] < total or not np.isfinite(values).all():
        actual = f"{values.shape[1]} cases" if values.shape[1] < total else "not finite"
        rule = f"finite log likelihoods of all {total or values.shape[1]} cases"
        where = f"posterior of the first {given} cases"
        raise FaultyInput("leave-future-out", [Fault(where, actual, rule)])
    return values, (given, chains)


def _weights(between: Array) -> tuple[Array, float]:
    """Logarithms of the normalised weights [M] that add cases [M, n], and k-hat: equal and 0 where none is added."""
    draws = len(between)
    if not between.shape[1]:
        return np.full(draws, -math.log(draws)), 0.0
    return smoothed_log_weights(between.sum(axis=1), tail_length(draws))


def _worst(known: list[tuple[int, Chains | None]]) -> Chains | None:
    each = [(given, chains) for given, chains in known if chains is not None]
    if not each:
        return None
    rhat = {f"{name}, fit to {given}": v for given, item in each for name, v in item.rhat.items()}
    size = {f"{name}, fit to {given}": v for given, item in each for name, v in item.size.items()}
    return Chains(rhat, size)
