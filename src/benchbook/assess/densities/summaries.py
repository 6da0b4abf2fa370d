"""Summaries of utilities over cases: the expected utilities of a model.

Each summary is a functional of a distribution on the cases, so it can be taken under equal weights 1/n as under the
weights that a Bayesian bootstrap draws.

Source: Vehtari and Lampinen (2001), equations 4, 5 and 23.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.densities.checks import Array, vector
from benchbook.errors import Fault, FaultyInput

Transform = Literal["none", "root", "exp"]
_TRANSFORMS: dict[str, Callable[[Any], Any]] = {"none": np.asarray, "root": np.sqrt, "exp": np.exp}
_EDGE = 1e-12  # cumulated weights are rounded; a level that they reach but for this is reached


class UtilitySummary(ABC):
    """A summary of utilities u [n] under weights g [n]."""

    def of(self, u: ArrayLike, weights: NDArray[np.float64] | None = None) -> float:
        """The summary.

        Args:
            u: [n] utilities.
            weights: [n], non-negative, not all zero; equal ones when left out.

        Raises:
            FaultyInput: not one number a case, nan, or such weights.
        """
        values = vector(u, "utilities", finite=False)
        return float(self._of(values, checked_weights(weights, values.size)))

    @abstractmethod
    def _of(self, u: Array, weights: Array) -> float:
        """The summary under weights that sum to 1."""


@dataclass(frozen=True)
class Mean(UtilitySummary):
    r"""f(Σ_i g_i u_i) / scale: equations 4 and 23 with f the identity.

    Attributes:
        transform: f. "root" makes the root mean square error of squared errors; "exp" the geometric mean of predictive
            likelihoods from their logarithms.
        scale: what the result is divided by; with the standard deviation of the targets and f the root, this is the
            normalised root mean square error.
    """

    transform: Transform = "none"
    scale: float = 1.0

    def __post_init__(self) -> None:
        faults = []
        if self.transform not in _TRANSFORMS:
            faults.append(
                Fault("transform", repr(self.transform), f"must be one of {', '.join(_TRANSFORMS)}")
            )
        if not (np.isfinite(self.scale) and self.scale > 0.0):
            faults.append(
                Fault(
                    "scale",
                    repr(self.scale),
                    "must be finite and above 0: are all targets the same?",
                )
            )
        if faults:
            raise FaultyInput("mean of utilities", faults)

    def finish(self, means: ArrayLike) -> Array:
        """f(means) / scale, any shape; nan where a corrected mean of squares is below 0 and has no root."""
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(_TRANSFORMS[self.transform](means), dtype=np.float64) / self.scale

    def _of(self, u: Array, weights: Array) -> float:
        return float(self.finish(weights @ u))


@dataclass(frozen=True)
class Quantile(UtilitySummary):
    r"""The α-quantile of u, equation 5: the smallest u_k with Σ_{i: u_i <= u_k} g_i >= α."""

    level: float

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise FaultyInput(
                "quantile of utilities",
                [Fault("level", repr(self.level), "must be between 0 and 1")],
            )

    def _of(self, u: Array, weights: Array) -> float:
        order = np.argsort(u, kind="stable")
        index = int(np.searchsorted(np.cumsum(weights[order]), self.level * (1.0 - _EDGE)))
        return float(u[order[min(index, u.size - 1)]])


@dataclass(frozen=True)
class FunctionOf(UtilitySummary):
    """Any function of utilities [n] and weights [n] that sum to 1. It is called once a replicate."""

    name: str
    function: Callable[[Array, Array], float]

    def _of(self, u: Array, weights: Array) -> float:
        return float(self.function(u, weights))


MEAN = Mean()
ROOT_MEAN = Mean("root")
GEOMETRIC_MEAN = Mean("exp")


def normalised_root_mean(targets: ArrayLike) -> Mean:
    r"""sqrt(Σ_i g_i u_i) / s with s² = Σ_i (y_i - ȳ)² / n; for squared errors, the mean of the targets reaches 1.

    The report uses the normalised root mean square error without defining it; this definition is ours, with s fixed.

    Args:
        targets: [n].

    Raises:
        FaultyInput: targets that are not finite numbers, or do not differ.
    """
    return Mean("root", float(vector(targets, "targets").std()))


def r_squared(targets: ArrayLike) -> FunctionOf:
    r"""1 - Σ_i g_i u_i / v_g of squared errors u, with v_g = Σ_i g_i (y_i - ȳ_g)² (1 - 1/n) / (1 - Σ_i g_i²).

    v_g is the variance of the targets, divisor n, under equal weights; under those of a Bayesian bootstrap the last
    factor takes away that a weighted variance is too small on average. 1 is perfect, 0 as good as the mean of the
    targets, which is not left out; below 0 is worse. The function loo_R2 of the R package rstantools has the variance
    of the errors in the place of their mean square, which forgives a bias.

    Args:
        targets: [n].

    Raises:
        FaultyInput: targets that are not finite numbers, or do not differ.
    """
    y = vector(targets, "targets")
    if np.ptp(y) == 0.0:
        rule = "must differ: R² is a share of their variance"
        raise FaultyInput("targets", [Fault("targets", f"all {y[0]:g}", rule)])

    def share(u: Array, g: Array) -> float:
        variance = float(g @ np.square(y - g @ y)) * (1.0 - 1.0 / y.size) / (1.0 - float(g @ g))
        return 1.0 - float(g @ u) / variance

    return FunctionOf("R²", share)


def mean_of_classes(targets: ArrayLike) -> FunctionOf:
    r"""(1 / C) Σ_c Σ_(i in c) g_i u_i / Σ_(i in c) g_i: the mean of the means within each class of the targets.

    Of hits it is the balanced accuracy. A class whose cases all have weight 0 does not count.

    Args:
        targets: [n], the class of each case.
    """
    labels, member = np.unique(np.asarray(targets), return_inverse=True)

    def mean(u: Array, g: Array) -> float:
        mass = np.bincount(member, g, len(labels))
        return float(
            (np.bincount(member, g * u, len(labels))[mass > 0.0] / mass[mass > 0.0]).mean()
        )

    return FunctionOf("mean of classes", mean)


def checked_weights(weights: object, cases: int) -> Array:
    """Weights [n] that sum to 1; equal ones for None.

    Raises:
        FaultyInput: not one a case, not finite, negative, or all zero.
    """
    if weights is None:
        return np.full(cases, 1.0 / cases)
    shares = vector(weights, "weights of cases", size=cases)
    bad = np.flatnonzero(shares < 0.0)
    if bad.size:
        raise FaultyInput(
            "weights of cases",
            [Fault(f"case {i}", str(shares[i]), "must be at least 0") for i in bad],
        )
    if not shares.any():
        raise FaultyInput(
            "weights of cases", [Fault("sum", "0", "at least one weight must be above 0")]
        )
    return shares / shares.sum()
