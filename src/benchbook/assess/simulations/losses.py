"""Losses whose variance components are known, and what DELVE's estimates and tests make of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchbook.assess.anova.squares import (
    Array,
    Scheme,
    check_scheme,
    components,
    mean_squares,
    significance,
)
from benchbook.assess.two_means import paired_t
from benchbook.errors import Fault, FaultyInput
from benchbook.statistics import standard_error

_CHUNK = 1_000_000

Test = Literal["delve", "pooled t"]


@dataclass(frozen=True)
class Size:
    """How often a test rejects, and how honest the standard error is, over simulated assessments.

    Attributes:
        rate: share of replications with p below the level: the size of the test when the true difference is zero, its
            power when it is not.
        standard_error: of the rate, from the number of replications.
        replications, level: as asked.
        variance_ratio: mean of the squared standard error over the true variance of the mean; above 1 is conservative.
        ratio_error: its standard error, from the number of replications.
    """

    rate: float
    standard_error: float
    replications: int
    level: float
    variance_ratio: float
    ratio_error: float


def simulate_losses(
    rng: np.random.Generator,
    instances: int,
    cases: int,
    sd_instance: float,
    sd_case: float,
    sd_residual: float,
    scheme: str = "hierarchical",
    *,
    mean: float = 0.0,
    replications: int | None = None,
) -> Array:
    r"""Losses (or loss differences) with known sources of variation, all Gaussian.

    Common: y_ij = mean + a_i + b_j + e_ij.  Hierarchical: y_ij = mean + a_i + b_ij + e_ij, since every instance has
    test cases of its own. The standard deviations of a, b and e are those given.

    Returns:
        [I, J], or [replications, I, J].
    """
    kind = check_scheme(scheme)
    lead = () if replications is None else (replications,)
    shared = (1, cases) if kind == "common" else (instances, cases)
    losses = rng.normal(mean, sd_residual, (*lead, instances, cases))
    losses += rng.normal(0.0, sd_instance, (*lead, instances, 1))
    losses += rng.normal(0.0, sd_case, (*lead, *shared))
    return losses


def variance_of_mean(
    instances: int,
    cases: int,
    sd_instance: float,
    sd_case: float,
    sd_residual: float,
    scheme: str = "hierarchical",
) -> dict[str, float]:
    """True variance of a mean loss, by its source: training sets, test cases, and the rest.

    Training sets give σ_a²/I and the rest σ_ε²/(IJ). Test cases give σ_b²/J when they are common to all instances, and
    σ_b²/(IJ) when every instance has its own.

    Example:
        >>> from benchbook import assess
        >>> parts = assess.variance_of_mean(8, 512, sd_instance=0.1, sd_case=0.0, sd_residual=1.0)
        >>> {name: round(value, 5) for name, value in parts.items()}
        {'training sets': 0.00125, 'test cases': 0.0, 'rest': 0.00024}
    """
    divisor = cases if check_scheme(scheme) == "common" else instances * cases
    return {
        "training sets": sd_instance**2 / instances,
        "test cases": sd_case**2 / divisor,
        "rest": sd_residual**2 / (instances * cases),
    }


def size_of_test(
    rng: np.random.Generator,
    scheme: str,
    *,
    instances: int = 8,
    cases: int = 64,
    sd_instance: float = 1.0,
    sd_case: float = 1.0,
    sd_residual: float = 1.0,
    replications: int = 4000,
    level: float = 0.05,
    test: Test = "delve",
    difference: float = 0.0,
) -> Size:
    """How often a test of two methods rejects at a level, by simulating their loss differences.

    Args:
        rng: source of the losses.
        scheme: "hierarchical" or "common".
        instances, cases, sd_instance, sd_case, sd_residual: of the differences; see ``simulate_losses``.
        replications: how many assessments to simulate.
        level: reject when p is at most this.
        test: "delve", the scheme's own (paired t or quasi-F), or "pooled t": a t test on all IJ cases as if each were
            an independent trial, which is wrong whenever instances differ.
        difference: the true difference; zero asks for the size, anything else for the power.
    """
    kind = check_scheme(scheme)
    if test not in ("delve", "pooled t"):
        raise FaultyInput(
            "simulated test", [Fault("test", repr(test), "it is 'delve' or 'pooled t'")]
        )
    sds = sd_instance, sd_case, sd_residual
    true = sum(variance_of_mean(instances, cases, *sds, kind).values())
    step = max(1, _CHUNK // (instances * cases))
    rejected, ratios = 0, []
    for start in range(0, replications, step):
        count = min(step, replications - start)
        losses = simulate_losses(
            rng, instances, cases, *sds, kind, mean=difference, replications=count
        )
        squares, error = _judge(losses, kind, test)
        rejected += int((squares <= level).sum())
        ratios.append(error**2 / true)
    rate, every = rejected / replications, np.concatenate(ratios)
    return Size(
        rate,
        math.sqrt(rate * (1.0 - rate) / replications),
        replications,
        level,
        float(every.mean()),
        float(every.std() / math.sqrt(replications)),
    )


def _judge(losses: Array, kind: Scheme, test: Test) -> tuple[Array, Array]:
    """p values and standard errors of each replication."""
    if test == "delve":
        squares = mean_squares(losses, kind)
        return significance(squares).p, components(squares).standard_error
    pooled = losses.reshape(len(losses), -1)
    return paired_t(pooled)[1], standard_error(pooled)
