"""What mixtures have in common, whatever the family of their components."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import BoolArray, Checker, FloatArray
from benchbook.predictive.choice import choose

_STEPS = 400


def solve_increasing(
    function: Callable[[FloatArray, NDArray[Any]], tuple[FloatArray, FloatArray]],
    low: FloatArray,
    high: FloatArray,
    start: FloatArray,
    margin: FloatArray,
) -> FloatArray:
    """The root of each of B increasing functions, by Newton's method inside a shrinking bracket.

    A Newton step is taken when it stays in the bracket and is at most half as long as the step before, else the bracket
    is halved. Every Newton step goes past the root by ``margin``, so that the bracket closes from both sides; a last
    Newton step from inside the closed bracket is the answer. Functions that are done drop out of the work.

    Args:
        function: (x[b], index[b]) -> (value[b], slope[b]) of the functions with the numbers ``index``.
        low, high: the brackets, shape [B]; a root of each lies within.
        start: where to begin, inside the brackets, shape [B].
        margin: a distance over which the slope hardly changes, shape [B]; at least a few units in the last place of x
            are taken in its stead.

    Returns:
        Roots, shape [B].
    """
    low, high, x = low.copy(), high.copy(), start.copy()
    root = start.copy()
    before = high - low
    active = np.flatnonzero(low < high)
    for _ in range(_STEPS):
        if active.size == 0:
            break
        at = x[active]
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            value, slope = function(at, active)
            step = -value / slope
        newton = at + step
        low[active] = np.where(value <= 0, at, low[active])
        high[active] = np.where(value >= 0, at, high[active])
        floor, ceiling = low[active], high[active]
        slack = np.maximum(margin[active], 4 * np.spacing(np.abs(at)))
        middle = floor + 0.5 * (ceiling - floor)
        inside = (newton >= floor) & (newton <= ceiling)
        root[active] = np.where(inside, newton, middle)
        beyond = newton + np.where(value > 0, -slack, slack)
        quick = (beyond > floor) & (beyond < ceiling) & (np.abs(step) <= 0.5 * before[active])
        x[active] = np.where(quick, beyond, middle)
        before[active] = np.abs(x[active] - at)
        active = active[ceiling - floor > 4 * slack]
    return root


_BLOCK = 1 << 16
_ALL = slice(None)


class MixtureComponents(ABC):
    """B rows of M variables location + scale T, where T is of one family; z stands for (y - location) / scale.

    location, scale, variance: shape [B, M]. ``norm`` is a constant factor that densities leave to the mixture.
    """

    norm: ClassVar[float] = 1.0
    location: FloatArray
    scale: FloatArray
    variance: FloatArray

    @abstractmethod
    def log_density(self, y: FloatArray) -> FloatArray:
        """log(norm x density) at y of shape [B, 1], in nats, shape [B, M]."""

    @abstractmethod
    def density(self, z: FloatArray, rows: NDArray[Any]) -> FloatArray:
        """norm x the density of T at z, for some of the rows."""

    @abstractmethod
    def cdf(self, z: FloatArray, rows: slice | NDArray[Any] = _ALL) -> FloatArray:
        """P(T <= z), for some of the rows."""

    @abstractmethod
    def log_cdf(self, z: FloatArray) -> FloatArray:
        """log P(T <= z), finite where P itself is below the least number there is, in nats."""

    @abstractmethod
    def quantile(self, level: FloatArray) -> FloatArray:
        """The quantile of T at the level of each row, levels of shape [B, 1], shape [B, M] or [B, 1]."""

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> FloatArray:
        """A draw of every T, shape [B, M]."""


class ComponentMixture(Predictive):
    """Case j is of component m with probability weight_jm; a type names the family that its other parameters make.

    Those parameters are given to ``family`` in the order of ``shapes``. Quantiles are found for all cases together by a
    safeguarded Newton iteration; the work is done in blocks of cases, in memory that does not grow with J.
    """

    __slots__ = ()
    family: ClassVar[Callable[..., MixtureComponents]]

    def _rules(self, check: Checker) -> None:
        check.shares("weight")

    @property
    def weight(self) -> FloatArray:
        """The weight of every component in every case, shape [J, M], read-only."""
        return self._parameters["weight"]

    def mean(self) -> FloatArray:
        """sum_m weight_jm location_jm, shape [J]."""
        return np.einsum("jm,jm->j", self.weight, self._at(_ALL).location) / self.weight.sum(axis=1)

    def variance(self) -> FloatArray:
        """sum_m weight_jm (variance_jm + (location_jm - mean_j)^2), shape [J]: the law of total variance."""
        centre, total = self.mean(), np.empty(len(self))
        for block in self._blocks():
            weight, parts = self.weight[block], self._at(block)
            away = parts.location - centre[block, None]
            total[block] = (weight * (parts.variance + away * away)).sum(axis=1) / weight.sum(
                axis=1
            )
        return total

    def _cdf(self, y: FloatArray) -> FloatArray:
        result = np.empty(len(self))
        for block in self._blocks():
            weight, parts = self.weight[block], self._at(block)
            shares = weight * parts.cdf((y[block, None] - parts.location) / parts.scale)
            result[block] = np.minimum(shares.sum(axis=1) / weight.sum(axis=1), 1.0)
        return result

    def _log_density(self, y: FloatArray) -> FloatArray:
        result = np.empty(len(self))
        for block in self._blocks():
            parts = self._at(block)
            result[block] = _log_weighted(
                self.weight[block], parts.log_density(y[block, None])
            ) - np.log(parts.norm)
        return result

    def _log_tail(self, y: FloatArray, upper: BoolArray) -> FloatArray:
        result = np.empty(len(self))
        for block in self._blocks():
            parts = self._at(block)
            z = (y[block, None] - parts.location) / parts.scale
            result[block] = _log_weighted(
                self.weight[block], parts.log_cdf(np.where(upper[block, None], -z, z))
            )
        return result

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        chosen = choose(self.weight, rng.random((len(self), n)))
        parts = self._components(lambda array: np.take_along_axis(array, chosen, axis=1))
        return parts.location + parts.scale * parts.draw(rng)

    def _quantile(self, levels: FloatArray) -> FloatArray:
        wanted = np.tile(levels, len(self))
        owner = np.repeat(np.arange(len(self)), levels.size)
        result = np.empty(wanted.size)
        for block in self._blocks(wanted.size):
            case = owner[block]
            result[block] = _quantiles(self.weight[case], self._at(case), wanted[block])
        return result.reshape(len(self), levels.size)

    def _given(self) -> dict[str, FloatArray]:
        """The parameters as they were given: without the axis of cases where all have the same."""
        return {
            name: array[0] if array.strides[0] == 0 else array
            for name, array in self._parameters.items()
        }

    def _at(self, cases: slice | NDArray[Any]) -> MixtureComponents:
        return self._components(lambda array: array[cases])

    def _components(self, pick: Callable[[FloatArray], FloatArray]) -> MixtureComponents:
        return type(self).family(
            *(pick(array) for name, array in self._parameters.items() if name != "weight")
        )

    def _blocks(self, items: int | None = None) -> Iterator[slice]:
        size = max(1, _BLOCK // self.weight.shape[1])
        return (
            slice(start, start + size)
            for start in range(0, len(self) if items is None else items, size)
        )


def _log_weighted(weight: FloatArray, terms: FloatArray) -> FloatArray:
    """log(sum_m weight_m exp(term_m) / sum_m weight_m) of every row, shape [B]; the terms are changed."""
    terms += np.log(weight)
    top = terms.max(axis=1)
    reference = np.where(np.isfinite(top), top, 0.0)
    shares = np.exp(terms - reference[:, None]).sum(axis=1)
    return reference + np.log(shares) - np.log(weight.sum(axis=1))


def _quantiles(weight: FloatArray, parts: MixtureComponents, level: FloatArray) -> FloatArray:
    """The quantile of each of B mixtures at its own level, shape [B], for weights of shape [B, M] and levels [B].

    The root lies between the least and the greatest quantile of the components that count.
    """
    total = weight.sum(axis=1)
    counts = weight > 0
    location, scale = parts.location, parts.scale
    own = location + scale * parts.quantile(level[:, None])
    low = np.where(counts, own, np.inf).min(axis=1)
    high = np.where(counts, own, -np.inf).max(axis=1)
    start = np.clip((weight * own).sum(axis=1) / total, low, high)
    narrowest = np.where(counts, scale, np.inf).min(axis=1)

    def excess(x: FloatArray, index: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        w, s = weight[index], scale[index]
        z = (x[:, None] - location[index]) / s
        # Mass beyond x is subtracted for the components below x: a difference from 1 would lose the digits of the tail.
        left = z < 0
        tail = w * parts.cdf(-np.abs(z), index)
        below = np.where(left, 0.0, w).sum(axis=1) - level[index] * total[index]
        value = np.where(left, tail, -tail).sum(axis=1) + below
        return value, (w / s * parts.density(z, index)).sum(axis=1) / parts.norm

    return solve_increasing(excess, low, high, start, 1e-9 * narrowest)
