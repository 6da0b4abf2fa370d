"""Predictions given by draws: the empirical distribution of a sampler's values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import Checker, FloatArray


class Draws(Predictive):
    """Probability 1/M on each of M draws: P(Z_j <= y) = #{m : value_jm <= y} / M.

    value: shape [J, M], in units of the target, in any order; equal draws are allowed.

    Quantiles: with the draws of a case in order, x_1 <= ... <= x_M, the quantile at level p is x_ceil(pM); where pM
    is a whole number k (to a relative 1e-12) every value between x_k and x_(k+1) would do, and the middle of the two
    is returned. Hence the median is the middle draw, or the mean of the two middle ones (Hyndman and Fan 1996,
    definition 2). The variance is that of the empirical distribution, with divisor M. There is no density.

    Example:
        >>> from benchbook.predictive import Draws
        >>> Draws([[1.0, 2.0, 4.0, 8.0]]).median()
        array([3.])
    """

    __slots__ = ()
    kind: ClassVar[str] = "draws"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {"value": ("JM",)}
    words: ClassVar[Mapping[str, str]] = {"J": "case", "M": "draw"}

    def __init__(self, value: ArrayLike) -> None:
        super().__init__(value=value)

    def _rules(self, check: Checker) -> None:
        """Nothing beyond what holds for all types."""

    @property
    def value(self) -> FloatArray:
        """The draws of every case, shape [J, M], read-only."""
        return self._parameters["value"]

    def mean(self) -> FloatArray:
        return self.value.mean(axis=1)

    def variance(self) -> FloatArray:
        return self.value.var(axis=1)

    def _cdf(self, y: FloatArray) -> FloatArray:
        return (self.value <= y[:, None]).mean(axis=1)

    def _log_density(self, y: FloatArray) -> FloatArray:
        self._undefined(
            "density",
            "its probability is on single values; give Gaussians (Mixture) or quantiles instead",
        )

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        cases, draws = self.value.shape
        return np.take_along_axis(self.value, rng.integers(draws, size=(cases, n)), axis=1)

    def _quantile(self, levels: FloatArray) -> FloatArray:
        draws = self.value.shape[1]
        index = levels * draws
        whole = np.rint(index)
        even = (np.abs(index - whole) <= 1e-12 * index) & (whole >= 1) & (whole < draws)
        lower = np.where(even, whole, np.ceil(index)).astype(np.intp) - 1
        ordered = np.sort(self.value, axis=1)
        return 0.5 * ordered[:, lower] + 0.5 * ordered[:, lower + even]

    def _affine(self, shift: float, scale: float) -> Self:
        return type(self)(shift + scale * self.value)
