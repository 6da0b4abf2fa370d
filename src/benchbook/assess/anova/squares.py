"""Mean squares of an array of losses, and what DELVE's analysis of variance makes of them.

Everything here works on a last pair of axes ``[I, J]`` (task instances, test cases) with any leading axes, is finite
in and may be ``nan`` out; the callers turn each ``nan`` into ``None`` or null with its reason.

Source: the DELVE 1.1 sources (delveAnova.c); Neal (1998), section 2.3, for the paired t test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.two_means import two_sided
from benchbook.errors import Fault, FaultyInput

Scheme = Literal["hierarchical", "common"]
SCHEMES: tuple[Scheme, ...] = ("hierarchical", "common")
Array = NDArray[np.float64]

_SAFE = 2.0**450


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of losses y_ij of I instances and J cases, for any number of sets of losses at once.

    Attributes:
        scheme: "hierarchical" (new test cases for every instance) or "common" (the same ones).
        instances, cases: I and J.
        mean: grand mean.
        between_instances: MS_A; nan when I = 1.
        between_cases: MS_B; nan unless the scheme is "common" and J > 1.
        residual: MS_E; nan when its degrees of freedom are zero.
    """

    scheme: Scheme
    instances: int
    cases: int
    mean: Array
    between_instances: Array
    between_cases: Array
    residual: Array


@dataclass(frozen=True)
class Components:
    """Standard deviations behind a mean loss and its standard error; nan where not to be had."""

    instances: Array
    cases: Array
    residual: Array
    standard_error: Array


@dataclass(frozen=True)
class Tested:
    """A test of "the expected difference is zero": signed t with one number of degrees of freedom, or F with two."""

    statistic: Array
    df_1: Array
    df_2: Array
    p: Array


def check_scheme(scheme: str) -> Scheme:
    """The scheme, when it is one of the two."""
    if scheme == "folds":
        rule = "their training sets share cases, and are no replications: use `benchbook assess cv`"
        raise FaultyInput("test scheme", [Fault("scheme", "folds of one data set", rule)])
    if scheme not in SCHEMES:
        rule = "the test scheme is 'hierarchical' (new test cases for every instance) or 'common' (the same ones)"
        raise FaultyInput("test scheme", [Fault("scheme", repr(scheme), rule)])
    return scheme


def safe_unit(peak: float) -> float:
    """A power of two that keeps squares of losses of size ``peak`` from overflowing or vanishing; usually 1."""
    if peak == 0.0 or 1.0 / _SAFE < peak < _SAFE:
        return 1.0
    return math.ldexp(1.0, math.frexp(peak)[1])


def degrees_of_freedom(scheme: Scheme, instances: int, cases: int) -> tuple[int, int, int]:
    """Degrees of freedom of MS_A, MS_B and MS_E."""
    if scheme == "hierarchical":
        return instances - 1, 0, instances * (cases - 1)
    return instances - 1, cases - 1, (instances - 1) * (cases - 1)


def divide(numerator: ArrayLike, denominator: ArrayLike) -> Array:
    """Quotient that is nan, without a warning, where the denominator is zero."""
    bottom = np.asarray(denominator, dtype=float)
    return np.divide(numerator, np.where(bottom == 0.0, np.nan, bottom))


def centred(losses: Array, scheme: Scheme) -> tuple[Array, Array, Array, Array]:
    """Grand mean [...], instance effects [..., I], case effects [..., J] and residuals [..., I, J].

    Means are subtracted before anything is squared, so no digits are lost to a large common offset. Case effects are
    empty under the hierarchical scheme.
    """
    by_instance = losses.mean(axis=-1)
    mean = by_instance.mean(axis=-1)
    residual = losses - by_instance[..., None]
    if scheme == "hierarchical":
        by_case = np.zeros((*mean.shape, 0))
    else:
        by_case = residual.mean(axis=-2)
        residual -= by_case[..., None, :]
    return mean, by_instance - mean[..., None], by_case, residual


def mean_squares(losses: Array, scheme: Scheme) -> MeanSquares:
    r"""Mean squares of finite losses.

    Hierarchical: MS_A = J/(I-1) Σ_i (ȳ_i - ȳ)²,  MS_E = Σ_ij (y_ij - ȳ_i)² / (I(J-1)).
    Common: MS_A as above,  MS_B = I/(J-1) Σ_j (ȳ_j - ȳ)²,
    MS_E = Σ_ij (y_ij - ȳ_i - ȳ_j + ȳ)² / ((I-1)(J-1)).

    Args:
        losses: [..., I, J], finite.
        scheme: "hierarchical" or "common".
    """
    mean, by_instance, by_case, residual = centred(losses, scheme)
    flat = residual.reshape(*mean.shape, losses.shape[-2] * losses.shape[-1])
    return from_sums(
        scheme,
        losses.shape[-2:],
        mean,
        np.vecdot(by_instance, by_instance),
        np.vecdot(by_case, by_case),
        np.vecdot(flat, flat),
    )


def from_sums(
    scheme: Scheme,
    shape: tuple[int, ...],
    mean: Array,
    instance_squares: Array,
    case_squares: Array,
    residual_squares: Array,
) -> MeanSquares:
    """Mean squares from sums of squared instance effects, case effects and residuals."""
    instances, cases = shape
    df_a, df_b, df_e = degrees_of_freedom(scheme, instances, cases)
    return MeanSquares(
        scheme,
        instances,
        cases,
        mean,
        divide(cases * instance_squares, df_a),
        divide(instances * case_squares, df_b),
        divide(residual_squares, df_e),
    )


def components(ms: MeanSquares) -> Components:
    r"""Variance components and the standard error of the mean.

    σ_ε² = MS_E,  σ_a² = max(MS_A - MS_E, 0)/J,  σ_b² = max(MS_B - MS_E, 0)/I (common only),
    standard error = sqrt(σ_a²/I + σ_b²/J + σ_ε²/(IJ)).

    With one case an instance (hierarchical, J = 1) σ_a and σ_ε cannot be separated, but the standard error still can:
    it is sqrt(MS_A/I). Negative variance estimates are set to zero, which makes the standard error conservative.
    """
    i, j = ms.instances, ms.cases
    variance_a = np.maximum(ms.between_instances - ms.residual, 0.0) / j
    if ms.scheme == "hierarchical":
        variance_b = np.full_like(ms.mean, np.nan)
        square = np.fmax(ms.between_instances, ms.residual) / (i * j)
        square = np.where(np.isnan(ms.between_instances), np.nan, square)
    else:
        variance_b = np.maximum(ms.between_cases - ms.residual, 0.0) / i
        square = variance_a / i + variance_b / j + ms.residual / (i * j)
    return Components(
        np.sqrt(variance_a), np.sqrt(variance_b), np.sqrt(ms.residual), np.sqrt(square)
    )


def significance(ms: MeanSquares, scale: ArrayLike = 0.0) -> Tested:
    r"""Test that the expected value behind ``ms.mean`` is zero.

    Hierarchical, Neal's paired t test on I-1 degrees of freedom: t = ȳ sqrt(IJ/MS_A), two-sided p.
    Common, quasi-F: with SS = IJȳ²,  F = (SS + MS_E)/(MS_A + MS_B),
    ν_1 = (SS + MS_E)²/(SS² + MS_E²/((I-1)(J-1))),  ν_2 = (MS_A + MS_B)²/(MS_A²/(I-1) + MS_B²/(J-1)),
    p the upper tail of F(ν_1, ν_2).

    Args:
        ms: mean squares of differences.
        scale: size of the losses that were subtracted; a spread of the differences below the rounding error of numbers
            of that size counts as zero, and the test as undefined.
    """
    denominator = ms.between_instances
    if ms.scheme == "common":
        denominator = denominator + ms.between_cases
    rounding = (16.0 * np.finfo(float).eps * np.asarray(scale)) ** 2 * ms.cases
    denominator = np.where(denominator > rounding, denominator, np.nan)
    return _paired_t(ms, denominator) if ms.scheme == "hierarchical" else _quasi_f(ms, denominator)


def _paired_t(ms: MeanSquares, denominator: Array) -> Tested:
    statistic = ms.mean * np.sqrt(ms.instances * ms.cases / denominator)
    df = np.where(np.isnan(statistic), np.nan, float(ms.instances - 1))
    return Tested(statistic, df, np.full_like(df, np.nan), two_sided(statistic, df))


def _quasi_f(ms: MeanSquares, denominator: Array) -> Tested:
    df_a, df_b, df_e = degrees_of_freedom(ms.scheme, ms.instances, ms.cases)
    square = ms.instances * ms.cases * ms.mean**2
    numerator = square + ms.residual
    statistic = numerator / denominator
    df_1 = divide(numerator**2, square**2 + divide(ms.residual**2, df_e))
    df_2 = denominator**2 / (
        divide(ms.between_instances**2, df_a) + divide(ms.between_cases**2, df_b)
    )
    p = scipy.special.fdtrc(df_1, df_2, statistic)
    return Tested(np.where(np.isnan(p), np.nan, statistic), df_1, df_2, p)
