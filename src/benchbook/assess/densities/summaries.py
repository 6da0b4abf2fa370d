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

from benchbook.assess.densities.checks import Array, vector
from benchbook.errors import Fault, FaultyInput

Transform = Literal["none", "root", "exp"]
_TRANSFORMS: dict[str, Callable[[Any], Any]] = {"none": np.asarray, "root": np.sqrt, "exp": np.exp}
_EDGE = 1e-12  # cumulated weights are rounded; a level that they reach but for this is reached


class UtilitySummary(ABC):
    """A summary of utilities u [n] under weights g [n]."""

    def of(self, u: Any, weights: Any = None) -> float:
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

    def finish(self, means: Any) -> Array:
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


def normalised_root_mean(targets: Any) -> Mean:
    r"""sqrt(Σ_i g_i u_i) / s with s² = Σ_i (y_i - ȳ)² / n; for squared errors, the mean of the targets reaches 1.

    The report uses the normalised root mean square error without defining it; this definition is ours, with s fixed.

    Args:
        targets: [n].

    Raises:
        FaultyInput: targets that are not finite numbers, or do not differ.
    """
    return Mean("root", float(vector(targets, "targets").std()))


def checked_weights(weights: Any, cases: int) -> Array:
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
