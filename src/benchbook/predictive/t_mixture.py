"""Mixtures of Student's t: what a sampler answers whose residuals have long tails."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.predictive.checks import Checker, FloatArray
from benchbook.predictive.components import ComponentMixture, MixtureComponents
from benchbook.predictive.gaussian import log_t, log_t_cdf, log_t_constant, log_t_tail


class _StudentTs(MixtureComponents):
    def __init__(self, location: FloatArray, scale: FloatArray, degrees: FloatArray) -> None:
        self.location, self.scale, self.degrees = location, scale, degrees

    @property
    def variance(self) -> FloatArray:  # type: ignore[override]
        # A component without a variance is of weight 0, or the mixture has none either: any finite number will do.
        degrees = np.where(self.degrees > 2, self.degrees, 3.0)
        return self.scale**2 * (degrees / (degrees - 2))

    @cached_property
    def _log_constant(self) -> FloatArray:
        return log_t_constant(self.degrees)

    def log_density(self, y: FloatArray) -> FloatArray:
        return log_t(y, self.location, self.scale, self.degrees)

    def density(self, z: FloatArray, rows: NDArray[Any]) -> FloatArray:
        return np.exp(self._log_constant[rows] - log_t_tail(z, self.degrees[rows]))

    def cdf(self, z: FloatArray, rows: slice | NDArray[Any] = slice(None)) -> FloatArray:
        return scipy.special.stdtr(self.degrees[rows], z)

    def log_cdf(self, z: FloatArray) -> FloatArray:
        return log_t_cdf(z, self.degrees)

    def quantile(self, level: FloatArray) -> FloatArray:
        return scipy.special.stdtrit(self.degrees, level)

    def draw(self, rng: np.random.Generator) -> FloatArray:
        return rng.standard_t(self.degrees)


class StudentTMixture(ComponentMixture):
    """Case j has component m with probability weight_jm: location_jm + scale_jm T, T Student's t with df_jm.

    location: shape [J, M], in units of the target. weight, scale, df: shape [J, M], or [M] for the same in all
    cases; weights are non-negative and sum to 1 within 1e-9, scales (in units of the target, no standard deviations)
    and degrees of freedom are greater than 0.

    The mean exists where all components that count have more than 1 degree of freedom, the variance where they have
    more than 2; asking for what does not exist raises Undefined and names the case. Quantiles are found for all cases
    together by a safeguarded Newton iteration; where the cdf is flat to working precision a point of the flat part is
    returned. The work is done in blocks of cases, in memory that does not grow with J.
    """

    __slots__ = ()
    kind: ClassVar[str] = "student-t-mixture"
    family = _StudentTs
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "weight": ("JM", "M"),
        "location": ("JM",),
        "scale": ("JM", "M"),
        "df": ("JM", "M"),
    }

    def __init__(
        self, weight: ArrayLike, location: ArrayLike, scale: ArrayLike, df: ArrayLike
    ) -> None:
        super().__init__(weight=weight, location=location, scale=scale, df=df)

    def _rules(self, check: Checker) -> None:
        super()._rules(check)
        check.positive("scale")
        check.positive("df")

    @property
    def location(self) -> FloatArray:
        """The centre of every component in every case, shape [J, M], read-only."""
        return self._parameters["location"]

    @property
    def scale(self) -> FloatArray:
        """The scale of every component in every case, shape [J, M], read-only."""
        return self._parameters["scale"]

    @property
    def df(self) -> FloatArray:
        """The degrees of freedom of every component in every case, shape [J, M], read-only."""
        return self._parameters["df"]

    def mean(self) -> FloatArray:
        """sum_m weight_jm location_jm, shape [J]."""
        self._need("mean", 1.0)
        return super().mean()

    def variance(self) -> FloatArray:
        """sum_m weight_jm (scale_jm^2 v_jm / (v_jm - 2) + (location_jm - mean_j)^2), v = df, shape [J]."""
        self._need("variance", 2.0)
        return super().variance()

    def _need(self, what: str, least: float) -> None:
        for block in self._blocks():
            lacking = ((self.weight[block] > 0) & (self.df[block] <= least)).any(axis=1)
            if lacking.any():
                case = int(np.flatnonzero(lacking)[0]) + block.start
                smallest = float(self.df[case][self.weight[case] > 0].min())
                self._undefined(
                    what,
                    f"it needs components of more than {least:g} degrees of freedom, and case {case} "
                    f"has one of {smallest!r}; the median always exists",
                )

    def _affine(self, shift: float, scale: float) -> Self:
        given = self._given()
        return type(self)(
            given["weight"], shift + scale * given["location"], scale * given["scale"], given["df"]
        )
