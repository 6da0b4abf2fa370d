"""Mixtures of Gaussians: what a sampler of networks, or a kernel smoother, answers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.predictive.checks import Checker, FloatArray
from benchbook.predictive.components import ComponentMixture, MixtureComponents


class _Gaussians(MixtureComponents):
    norm = float(np.sqrt(2 * np.pi))

    def __init__(self, mean: FloatArray, variance: FloatArray) -> None:
        self.location, self.variance = mean, variance

    @cached_property
    def scale(self) -> FloatArray:  # type: ignore[override]
        return np.sqrt(self.variance)

    def log_density(self, y: FloatArray) -> FloatArray:
        z = (y - self.location) / self.scale
        return -0.5 * (np.log(self.variance) + z * z)

    def density(self, z: FloatArray, rows: NDArray[Any]) -> FloatArray:
        return np.exp(-0.5 * z * z)

    def cdf(self, z: FloatArray, rows: slice | NDArray[Any] = slice(None)) -> FloatArray:
        return scipy.special.ndtr(z)

    def log_cdf(self, z: FloatArray) -> FloatArray:
        return scipy.special.log_ndtr(z)

    def quantile(self, level: FloatArray) -> FloatArray:
        return scipy.special.ndtri(level)

    def draw(self, rng: np.random.Generator) -> FloatArray:
        return rng.standard_normal(self.location.shape)


class Mixture(ComponentMixture):
    """The density of case j at y is sum_m weight_jm N(y; mean_jm, variance_jm).

    mean: shape [J, M], in units of the target. weight: shape [J, M], or [M] for the same in all cases; non-negative and
    summing to 1 within 1e-9. variance: shape [J, M] or [M], in squared units, greater than 0.

    The moments are those of total expectation and total variance. Quantiles are found for all cases together by a
    safeguarded Newton iteration, to a relative 1e-12; where the cdf is flat to working precision (between modes far
    apart) a point of the flat part is returned. The work is done in blocks of cases, in memory that does not grow
    with J.

    Example:
        >>> from benchbook.predictive import Mixture
        >>> two = Mixture(weight=[0.5, 0.5], mean=[[-1.0, 1.0]], variance=[0.1, 0.1])
        >>> two.mean(), two.variance().round(2)
        (array([0.]), array([1.1]))
    """

    __slots__ = ()
    kind: ClassVar[str] = "mixture"
    family = _Gaussians
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "weight": ("JM", "M"),
        "mean": ("JM",),
        "variance": ("JM", "M"),
    }

    def __init__(self, weight: ArrayLike, mean: ArrayLike, variance: ArrayLike) -> None:
        super().__init__(weight=weight, mean=mean, variance=variance)

    def _rules(self, check: Checker) -> None:
        super()._rules(check)
        check.positive("variance")

    @property
    def component_mean(self) -> FloatArray:
        """The mean of every component in every case, shape [J, M], read-only."""
        return self._parameters["mean"]

    @property
    def component_variance(self) -> FloatArray:
        """The variance of every component in every case, shape [J, M], read-only."""
        return self._parameters["variance"]

    def _affine(self, shift: float, scale: float) -> Self:
        given = self._given()
        return type(self)(
            given["weight"], shift + scale * given["mean"], scale * (scale * given["variance"])
        )
