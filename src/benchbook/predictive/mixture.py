"""Mixtures of Gaussians: what a sampler of networks, or a kernel smoother, answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import Checker, FloatArray
from benchbook.predictive.choice import choose
from benchbook.predictive.roots import solve_increasing

_LOG_SQRT_2PI = 0.5 * float(np.log(2 * np.pi))
_SQRT_2PI = float(np.sqrt(2 * np.pi))
_BLOCK = 1 << 16


class Mixture(Predictive):
    """The density of case j at y is sum_m weight_jm N(y; mean_jm, variance_jm).

    mean: shape [J, M], in units of the target. weight: shape [J, M], or [M] for the same in all cases; non-negative and
    summing to 1 within 1e-9. variance: shape [J, M] or [M], in squared units, greater than 0.

    The moments are those of total expectation and total variance. Quantiles are found for all cases together by a
    safeguarded Newton iteration, to a relative 1e-12; where the cdf is flat to working precision (between modes far
    apart) a point of the flat part is returned. The work is done in blocks of cases, in memory that does not grow
    with J.
    """

    __slots__ = ()
    kind: ClassVar[str] = "mixture"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "weight": ("JM", "M"),
        "mean": ("JM",),
        "variance": ("JM", "M"),
    }

    def __init__(self, weight: ArrayLike, mean: ArrayLike, variance: ArrayLike) -> None:
        super().__init__(weight=weight, mean=mean, variance=variance)

    def _rules(self, check: Checker) -> None:
        check.shares("weight")
        check.positive("variance")

    @property
    def weight(self) -> FloatArray:
        """The weight of every component in every case, shape [J, M], read-only."""
        return self._parameters["weight"]

    @property
    def component_mean(self) -> FloatArray:
        """The mean of every component in every case, shape [J, M], read-only."""
        return self._parameters["mean"]

    @property
    def component_variance(self) -> FloatArray:
        """The variance of every component in every case, shape [J, M], read-only."""
        return self._parameters["variance"]

    def mean(self) -> FloatArray:
        """sum_m weight_jm mean_jm, shape [J]."""
        return np.einsum("jm,jm->j", self.weight, self.component_mean) / self.weight.sum(axis=1)

    def variance(self) -> FloatArray:
        """sum_m weight_jm (variance_jm + (mean_jm - mean_j)^2), shape [J]: the law of total variance."""
        centre, total = self.mean(), np.empty(len(self))
        for block in self._blocks():
            away = self.component_mean[block] - centre[block, None]
            weight = self.weight[block]
            total[block] = (weight * (self.component_variance[block] + away * away)).sum(axis=1) / weight.sum(axis=1)
        return total

    def _cdf(self, y: FloatArray) -> FloatArray:
        result = np.empty(len(self))
        for block in self._blocks():
            z = (y[block, None] - self.component_mean[block]) / np.sqrt(self.component_variance[block])
            weight = self.weight[block]
            result[block] = np.minimum((weight * special.ndtr(z)).sum(axis=1) / weight.sum(axis=1), 1.0)
        return result

    def _log_density(self, y: FloatArray) -> FloatArray:
        result = np.empty(len(self))
        for block in self._blocks():
            weight, variance = self.weight[block], self.component_variance[block]
            z = (y[block, None] - self.component_mean[block]) / np.sqrt(variance)
            terms = np.log(weight) - 0.5 * (np.log(variance) + z * z)
            top = terms.max(axis=1)
            reference = np.where(np.isfinite(top), top, 0.0)
            shares = np.exp(terms - reference[:, None]).sum(axis=1)
            result[block] = reference + np.log(shares) - np.log(weight.sum(axis=1)) - _LOG_SQRT_2PI
        return result

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        component = choose(self.weight, rng.random((len(self), n)))
        mean = np.take_along_axis(self.component_mean, component, axis=1)
        variance = np.take_along_axis(self.component_variance, component, axis=1)
        return mean + np.sqrt(variance) * rng.standard_normal((len(self), n))

    def _quantile(self, levels: FloatArray) -> FloatArray:
        wanted = np.tile(levels, len(self))
        owner = np.repeat(np.arange(len(self)), levels.size)
        result = np.empty(wanted.size)
        for block in self._blocks(wanted.size):
            case = owner[block]
            sd = np.sqrt(self.component_variance[case])
            result[block] = _quantiles(self.weight[case], self.component_mean[case], sd, wanted[block])
        return result.reshape(len(self), levels.size)

    def _affine(self, shift: float, scale: float) -> Self:
        arrays = {name: array[0] if array.strides[0] == 0 else array for name, array in self._parameters.items()}
        return type(self)(arrays["weight"], shift + scale * arrays["mean"], scale * (scale * arrays["variance"]))

    def _blocks(self, items: int | None = None) -> Iterator[slice]:
        size = max(1, _BLOCK // self.weight.shape[1])
        return (slice(start, start + size) for start in range(0, len(self) if items is None else items, size))


def _quantiles(weight: FloatArray, mean: FloatArray, sd: FloatArray, level: FloatArray) -> FloatArray:
    """The quantile of each of B mixtures at its own level, shape [B], for arrays of shape [B, M] and levels [B].

    The root lies between the least and the greatest quantile of the components that count.
    """
    total = weight.sum(axis=1)
    counts = weight > 0
    components = mean + sd * special.ndtri(level)[:, None]
    low = np.where(counts, components, np.inf).min(axis=1)
    high = np.where(counts, components, -np.inf).max(axis=1)
    start = np.clip((weight * components).sum(axis=1) / total, low, high)
    narrowest = np.where(counts, sd, np.inf).min(axis=1)

    def excess(x: FloatArray, index: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        w, s = weight[index], sd[index]
        z = (x[:, None] - mean[index]) / s
        # Mass beyond x is subtracted for the components below x: a difference from 1 would lose the digits of the tail.
        left = z < 0
        tail = w * special.ndtr(-np.abs(z))
        below = np.where(left, 0.0, w).sum(axis=1) - level[index] * total[index]
        value = np.where(left, tail, -tail).sum(axis=1) + below
        slope = (w / s * np.exp(-0.5 * z * z)).sum(axis=1) / _SQRT_2PI
        return value, slope

    return solve_increasing(excess, low, high, start, 1e-9 * narrowest)
