r"""Log marginal likelihoods from draws, for models without a formula: a path of posteriors with growing powers.

    p_t(θ) ∝ p(D | θ)^t p(θ),      z(t) = ∫ p(D | θ)^t p(θ) dθ,

with D the data, θ the parameters and t the power: 0 is the prior, 1 the posterior. Any sampler gives the draws; all
that is asked of it are the log likelihoods of all the data, log p(D | θ_j), in nats. The result is
log z(last) - log z(first):

* powers 0 to 1 give log p(D | M), of the (prior) Bayes factor;
* b to 1 the fractional likelihood, of the fractional Bayes factor;
* 1 to 2 log ∫ p(D | θ) p(θ | D) dθ, of the posterior Bayes factor;
* 0 to 1 the partial likelihood, with the posterior of a part of the data for a prior and the likelihood of the rest.

Sources: Vehtari and Lampinen (2001), section 2.7, for what is asked. Gelman and Meng, Simulating normalizing
constants (1998), and Friel and Pettitt, Marginal likelihood estimation via power posteriors (2008), for the path. Xie,
Lewis, Fan, Kuo and Chen, Improving marginal likelihood estimation for Bayesian phylogenetic model selection (2011), for
the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.assess.densities.chains import FEWEST, effective_draws, halves
from benchbook.assess.densities.checks import Array, vector
from benchbook.errors import Fault, FaultyInput, whole_number
from benchbook.predictive.checks import as_floats

_SURE = 6.0  # standard errors of a difference that is not chance


@dataclass(frozen=True)
class PowerMarginal:
    """log z(last) - log z(first) in nats, by two estimates from the same draws, with K steps between K + 1 powers.

    Attributes:
        powers: [K + 1].
        steps: [K] log z(t_k) - log z(t_k-1), by stepping stones.
        step_errors: [K] their standard errors.
        effective: [K] draws of t_k-1 that count in the step to t_k: (sum of weights)² / sum of squared weights.
        means: [K + 1] mean log likelihoods.
        thermodynamic: the second estimate, by integrating the means.
        thermodynamic_error: its standard error, of the draws alone; that of the integration does not show in it.
    """

    powers: Array
    steps: Array
    step_errors: Array
    effective: Array
    means: Array
    thermodynamic: float
    thermodynamic_error: float

    @property
    def log_marginal(self) -> float:
        """By stepping stones."""
        return float(self.steps.sum())

    @property
    def standard_error(self) -> float:
        """Of ``log_marginal``."""
        return float(np.sqrt(np.sum(self.step_errors**2)))

    def frame(self) -> pl.DataFrame:
        """A line for each step: ``power``, ``next_power``, ``mean``, ``log_ratio``, ``error``, ``effective``."""
        return pl.DataFrame(
            {
                "power": self.powers[:-1],
                "next_power": self.powers[1:],
                "mean": self.means[:-1],
                "log_ratio": self.steps,
                "error": self.step_errors,
                "effective": self.effective,
            }
        )


def power_ladder(steps: int, first: float = 0.0, last: float = 1.0, exponent: float = 5.0) -> Array:
    """Powers t_k = first + (last - first)(k / steps)^exponent, [steps + 1]: close where the likelihood changes fast.

    Args:
        steps: 1 or more.
        first, last: ends of the path.
        exponent: 5 from a wide prior (Friel and Pettitt 2008); 1, equal steps, between posteriors.
    """
    whole_number(steps, "powers", "steps", 1)
    if not (0.0 <= first < last < np.inf and 0.0 < exponent < np.inf):
        rule = "must rise from 0 or more, with an exponent above 0"
        raise FaultyInput(
            "powers", [Fault("ladder", f"{first:g} to {last:g}, exponent {exponent:g}", rule)]
        )
    return first + (last - first) * (np.arange(steps + 1) / steps) ** exponent


def log_marginal_by_powers(powers: ArrayLike, log_likelihoods: Sequence[Any]) -> PowerMarginal:
    r"""Log ratio of the normalising constants at the ends of a path of power posteriors.

    Stepping stones, with L_kj = log p(D | θ_j) of the draws with power t_k, and thermodynamic integration by the
    trapezium with the second-order correction by variances V_k of L_kj (Friel, Hurn and Wyse 2014):

        log z(t_k+1) - log z(t_k) = log mean_j exp((t_k+1 - t_k) L_kj),
        log z(last) - log z(first) = sum_k d_k (mean L_k + mean L_k+1) / 2 - d_k² (V_k+1 - V_k) / 12

    with d_k = t_k+1 - t_k.

    Standard errors allow for dependent draws by their autocorrelations.

    Args:
        powers: [K + 1], rising from 0 or more.
        log_likelihoods: for each power the log likelihood of all data under every draw, in nats, finite: [M], or
            [chains, M]; four or more draws a chain, and their numbers may differ between powers.

    Raises:
        FaultyInput: other shapes; powers that do not rise; mean log likelihoods that clearly fall while the power
            rises, which no posterior's do.
    """
    t = vector(powers, "powers")
    _rising(t, len(log_likelihoods))
    draws = [_chains(values, power) for power, values in zip(t, log_likelihoods, strict=True)]
    means = np.array([values.mean() for values in draws])
    errors = np.array([_error_of_mean(values) for values in draws])
    _growing(t, means, errors)
    widths = np.diff(t)
    stones = np.array(
        [_stone(width, values) for width, values in zip(widths, draws[:-1], strict=True)]
    )
    variances = np.array([values.var(ddof=1) for values in draws])
    shares = 0.5 * (np.append(widths, 0.0) + np.append(0.0, widths))
    thermodynamic = shares @ means - np.sum(widths**2 * np.diff(variances)) / 12.0
    return PowerMarginal(
        t,
        stones[:, 0],
        stones[:, 1],
        stones[:, 2],
        means,
        float(thermodynamic),
        float(np.sqrt(np.sum((shares * errors) ** 2))),
    )


def _stone(width: float, values: Array) -> tuple[float, float, float]:
    """Log mean weight, its standard error (of a logarithm: relative), and the effective number of draws."""
    logs = width * values
    weights = np.exp(logs - logs.max())
    mean = weights.mean()
    effective = weights.sum() ** 2 / np.sum(weights**2)
    return float(np.log(mean) + logs.max()), _error_of_mean(weights) / float(mean), float(effective)


def _error_of_mean(chains: Array) -> float:
    """Standard error of the mean of [chains, M] dependent draws."""
    if np.ptp(chains) == 0.0:
        return 0.0
    return float(chains.std(ddof=1) / np.sqrt(effective_draws(halves(chains))))


def _rising(powers: Array, given: int) -> None:
    faults = [
        Fault(f"power {k}", f"{powers[k]:g} after {powers[k - 1]:g}", "powers must rise")
        for k in range(1, powers.size)
        if powers[k] <= powers[k - 1]
    ]
    if powers[0] < 0.0:
        faults.append(Fault("power 0", f"{powers[0]:g}", "must be 0 or more"))
    if powers.size < 2 or powers.size != given:
        rule = "draws of each power, two or more powers"
        faults.append(Fault("powers", f"{powers.size}, and draws of {given}", rule))
    if faults:
        raise FaultyInput("power posteriors", faults)


def _chains(values: ArrayLike, power: float) -> Array:
    """The log likelihoods as [chains, M]."""
    array = as_floats(values)
    where = f"log likelihoods of power {power:g}"
    if (
        isinstance(array, str)
        or array.ndim not in (1, 2)
        or not array.size
        or array.shape[-1] < FEWEST
    ):
        actual = array if isinstance(array, str) else f"shape {array.shape}"
        rule = f"[draws] or [chains, draws], {FEWEST} draws or more a chain"
        raise FaultyInput("power posteriors", [Fault(where, actual, rule)])
    bad = array[~np.isfinite(array)]
    if bad.size:
        raise FaultyInput(
            "power posteriors", [Fault(where, f"{bad.size} values as {bad[0]}", "must be finite")]
        )
    return np.atleast_2d(array)


def _growing(powers: Array, means: Array, errors: Array) -> None:
    """The derivative of the mean log likelihood by the power is a variance."""
    falls = (means[:-1] - means[1:]) > _SURE * np.hypot(errors[:-1], errors[1:])
    if falls.any():
        faults = [
            Fault(
                f"power {powers[k + 1]:g}",
                f"mean log likelihood {means[k + 1]:.4g}",
                f"cannot be below the {means[k]:.4g} of power {powers[k]:g}",
            )
            for k in np.flatnonzero(falls)
        ]
        raise FaultyInput(
            "power posteriors",
            faults,
            "Are the draws in the order of the powers, of all the data, and have the chains converged?",
        )
