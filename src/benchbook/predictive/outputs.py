"""Predictions of several numbers a case, such as the outputs of a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import Checker, FloatArray, IntArray


class Outputs(Predictive):
    """All probability on one point a case: P(Z_j = (value_j1, ..., value_jO)) = 1.

    value: shape [J, O], for O outputs in units of the targets.

    The targets are O numbers a case, so that mean and median have the shape [J, O] and draws [J, n, O]; several numbers
    at once have no quantiles and no cdf, and a point has no density.
    """

    __slots__ = ()
    kind: ClassVar[str] = "outputs"
    targets: ClassVar[Literal["real", "class", "outputs"]] = "outputs"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {"value": ("JO",)}

    def __init__(self, value: ArrayLike) -> None:
        super().__init__(value=value)

    def _rules(self, check: Checker) -> None:
        """Finite numbers of the right shape are all there is to ask for."""

    @property
    def value(self) -> FloatArray:
        """The outputs of every case, shape [J, O], read-only."""
        return self._parameters["value"]

    @property
    def outputs(self) -> int:
        """The number O of outputs."""
        return int(self.value.shape[1])

    def winner(self) -> IntArray:
        """The index of the largest output of every case, shape [J]; of equals, the first (winner takes all)."""
        return self.value.argmax(axis=1).astype(np.int64)

    def mean(self) -> FloatArray:
        """E[Z_j], which is value_j, shape [J, O]."""
        return self.value.copy()

    def median(self) -> FloatArray:
        """The median of every output by itself, which is value_j, shape [J, O]."""
        return self.value.copy()

    def variance(self) -> FloatArray:
        """The variance of every output by itself: 0, shape [J, O]."""
        return np.zeros_like(self.value)

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        return np.repeat(self.value[:, None, :], n, axis=1)

    def _affine(self, shift: float, scale: float) -> Self:
        return type(self)(shift + scale * self.value)

    def _checked(self, y: ArrayLike) -> FloatArray:
        self._undefined(
            "density and no cdf",
            "it is one point of several numbers; compare value with the targets",
        )

    def _log_density(self, y: FloatArray) -> FloatArray:
        self._unordered()

    def _cdf(self, y: FloatArray) -> FloatArray:
        self._unordered()

    def _quantile(self, levels: FloatArray) -> FloatArray:
        self._unordered()

    def _unordered(self) -> NoReturn:
        self._undefined("quantiles", "several numbers a case have no order; ask for value")
