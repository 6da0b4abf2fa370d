"""Predictions of a class: a probability for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import Checker, FloatArray, IntArray, class_targets
from benchbook.predictive.choice import choose


class Categorical(Predictive):
    """P(Z_j = c) = probability_jc for the classes c = 0..C-1.

    probability: shape [J, C], C at least 2; non-negative, and summing to 1 within 1e-9 in every case. The probabilities
    are kept as given. Classes are names without an order, so that means, quantiles and a cdf do not exist.

    Example:
        >>> from benchbook.predictive import Categorical
        >>> rain = Categorical([[0.7, 0.3], [0.1, 0.9]])  # two days, dry or wet
        >>> rain.most_probable(), rain.probability[1]
        (array([0, 1]), array([0.1, 0.9]))
    """

    __slots__ = ()
    kind: ClassVar[str] = "categorical"
    targets: ClassVar[Literal["real", "class", "outputs"]] = "class"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {"probability": ("JC",)}

    def __init__(self, probability: ArrayLike) -> None:
        super().__init__(probability=probability)

    def _rules(self, check: Checker) -> None:
        check.shares("probability")

    @property
    def probability(self) -> FloatArray:
        """The probability of every class in every case, shape [J, C], read-only."""
        return self._parameters["probability"]

    @property
    def classes(self) -> int:
        """The number C of classes."""
        return int(self.probability.shape[1])

    def most_probable(self) -> IntArray:
        """The index of the most probable class of every case, shape [J]; of equals, the lowest index."""
        return self.probability.argmax(axis=1).astype(np.int64)

    def _checked(self, y: ArrayLike) -> FloatArray:
        return class_targets(
            f"Categorical of {len(self)} cases", y, len(self), self.classes
        ).astype(np.float64)

    def _log_density(self, y: FloatArray) -> FloatArray:
        return np.log(self.probability[np.arange(len(self)), y.astype(np.intp)])

    def _sample(self, rng: np.random.Generator, n: int) -> IntArray:
        return choose(self.probability, rng.random((len(self), n)))

    def mean(self) -> FloatArray:
        self._unordered("mean")

    def variance(self) -> FloatArray:
        self._unordered("variance")

    def _cdf(self, y: FloatArray) -> FloatArray:
        self._unordered("cdf")

    def _quantile(self, levels: FloatArray) -> FloatArray:
        self._unordered("quantiles")

    def _affine(self, shift: float, scale: float) -> Self:
        self._unordered("affine map")

    def _unordered(self, what: str) -> NoReturn:
        self._undefined(what, "its classes are names without an order; ask for most_probable()")
