"""Point predictions: a single value for every case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import Checker, FloatArray


class Point(Predictive):
    """All probability on one value a case: P(Z_j = value_j) = 1.

    value: shape [J], in units of the target.

    The distribution is degenerate: its variance is 0, its cdf a step, every quantile the value itself; it has no
    density.

    Example:
        >>> from benchbook.predictive import Point
        >>> Point([20.0, 22.0]).median()
        array([20., 22.])
    """

    __slots__ = ()
    kind: ClassVar[str] = "point"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {"value": ("J",)}

    def __init__(self, value: ArrayLike) -> None:
        super().__init__(value=value)

    @property
    def value(self) -> FloatArray:
        """The value of every case, shape [J], read-only."""
        return self._parameters["value"]

    def _rules(self, check: Checker) -> None:
        """Nothing beyond what holds for all types."""

    def mean(self) -> FloatArray:
        return self.value.copy()

    def variance(self) -> FloatArray:
        return np.zeros(len(self))

    def _cdf(self, y: FloatArray) -> FloatArray:
        return (self.value <= y).astype(np.float64)

    def _log_density(self, y: FloatArray) -> FloatArray:
        self._undefined(
            "density",
            "all probability is on one value; give a variance (Gaussian) or quantiles instead",
        )

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        return np.repeat(self.value[:, None], n, axis=1)

    def _quantile(self, levels: FloatArray) -> FloatArray:
        return np.repeat(self.value[:, None], levels.size, axis=1)

    def _affine(self, shift: float, scale: float) -> Self:
        return type(self)(shift + scale * self.value)
