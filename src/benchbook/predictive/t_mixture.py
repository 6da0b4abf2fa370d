"""Mixtures of Student's t: what a sampler answers whose residuals have long tails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import Checker, FloatArray
from benchbook.predictive.choice import choose
from benchbook.predictive.gaussian import _log1p_square_over, _log_gamma_step
from benchbook.predictive.roots import solve_increasing

_BLOCK = 1 << 16


class StudentTMixture(Predictive):
    """Case j has component m with probability weight_jm, and then location_jm + scale_jm T with degrees_jm of freedom.

    location: shape [J, M], in units of the target. weight, scale, degrees: shape [J, M], or [M] for the same in all
    cases; weights are non-negative and sum to 1 within 1e-9, scales (in units of the target, no standard deviations)
    and degrees of freedom are greater than 0.

    The mean exists where all components that count have more than 1 degree of freedom, the variance where they have
    more than 2; asking for what does not exist raises Undefined and names the case. Quantiles are found for all cases
    together by a safeguarded Newton iteration; where the cdf is flat to working precision a point of the flat part is
    returned. The work is done in blocks of cases, in memory that does not grow with J.
    """

    __slots__ = ()
    kind: ClassVar[str] = "student-t-mixture"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "weight": ("JM", "M"),
        "location": ("JM",),
        "scale": ("JM", "M"),
        "degrees": ("JM", "M"),
    }

    def __init__(self, weight: ArrayLike, location: ArrayLike, scale: ArrayLike, degrees: ArrayLike) -> None:
        super().__init__(weight=weight, location=location, scale=scale, degrees=degrees)

    def _rules(self, check: Checker) -> None:
        check.shares("weight")
        check.positive("scale")
        check.positive("degrees")

    @property
    def weight(self) -> FloatArray:
        """The weight of every component in every case, shape [J, M], read-only."""
        return self._parameters["weight"]

    @property
    def location(self) -> FloatArray:
        """The centre of every component in every case, shape [J, M], read-only."""
        return self._parameters["location"]

    @property
    def scale(self) -> FloatArray:
        """The scale of every component in every case, shape [J, M], read-only."""
        return self._parameters["scale"]

    @property
    def degrees(self) -> FloatArray:
        """The degrees of freedom of every component in every case, shape [J, M], read-only."""
        return self._parameters["degrees"]

    def mean(self) -> FloatArray:
        """sum_m weight_jm location_jm, shape [J]."""
        self._need("mean", 1.0)
        return np.einsum("jm,jm->j", self.weight, self.location) / self.weight.sum(axis=1)

    def variance(self) -> FloatArray:
        """sum_m weight_jm (scale_jm^2 v_jm / (v_jm - 2) + (location_jm - mean_j)^2), v = degrees, shape [J]."""
        self._need("variance", 2.0)
        centre, total = self.mean(), np.empty(len(self))
        for block in self._blocks():
            weight, away = self.weight[block], self.location[block] - centre[block, None]
            degrees = np.where(weight > 0, self.degrees[block], 3.0)
            own = self.scale[block] ** 2 * (degrees / (degrees - 2))
            total[block] = (weight * (own + away * away)).sum(axis=1) / weight.sum(axis=1)
        return total

    def _need(self, what: str, least: float) -> None:
        for block in self._blocks():
            lacking = ((self.weight[block] > 0) & (self.degrees[block] <= least)).any(axis=1)
            if lacking.any():
                case = int(np.flatnonzero(lacking)[0]) + block.start
                found = float(self.degrees[case][self.weight[case] > 0].min())
                self._undefined(what, f"it needs components of more than {least:g} degrees of freedom, and case {case} "
                                      f"has one of {found!r}; the median always exists")

    def _cdf(self, y: FloatArray) -> FloatArray:
        result = np.empty(len(self))
        for block in self._blocks():
            z = (y[block, None] - self.location[block]) / self.scale[block]
            weight = self.weight[block]
            shares = weight * special.stdtr(self.degrees[block], z)
            result[block] = np.minimum(shares.sum(axis=1) / weight.sum(axis=1), 1.0)
        return result

    def _log_density(self, y: FloatArray) -> FloatArray:
        result = np.empty(len(self))
        for block in self._blocks():
            weight, scale, degrees = self.weight[block], self.scale[block], self.degrees[block]
            terms = np.log(weight) + log_t(y[block, None], self.location[block], scale, degrees)
            top = terms.max(axis=1)
            reference = np.where(np.isfinite(top), top, 0.0)
            shares = np.exp(terms - reference[:, None]).sum(axis=1)
            result[block] = reference + np.log(shares) - np.log(weight.sum(axis=1))
        return result

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        component = choose(self.weight, rng.random((len(self), n)))
        location, scale, degrees = (np.take_along_axis(array, component, axis=1)
                                    for array in (self.location, self.scale, self.degrees))
        return location + scale * rng.standard_t(degrees)

    def _quantile(self, levels: FloatArray) -> FloatArray:
        wanted = np.tile(levels, len(self))
        owner = np.repeat(np.arange(len(self)), levels.size)
        result = np.empty(wanted.size)
        for block in self._blocks(wanted.size):
            case = owner[block]
            result[block] = _quantiles(self.weight[case], self.location[case], self.scale[case], self.degrees[case],
                                       wanted[block])
        return result.reshape(len(self), levels.size)

    def _affine(self, shift: float, scale: float) -> Self:
        arrays = {name: array[0] if array.strides[0] == 0 else array for name, array in self._parameters.items()}
        return type(self)(arrays["weight"], shift + scale * arrays["location"], scale * arrays["scale"],
                          arrays["degrees"])

    def _blocks(self, items: int | None = None) -> Iterator[slice]:
        size = max(1, _BLOCK // self.weight.shape[1])
        return (slice(start, start + size) for start in range(0, len(self) if items is None else items, size))


def log_t(y: FloatArray, location: FloatArray, scale: FloatArray, degrees: FloatArray) -> FloatArray:
    """The log density at y of location + scale T, T Student's t with ``degrees`` of freedom; arrays broadcast.

    With z = (y - location) / scale and v = degrees:
    log Gamma((v + 1)/2) - log Gamma(v/2) - log(pi v)/2 - log scale - (v + 1)/2 log(1 + z^2/v), in nats.
    """
    z = (y - location) / scale
    tail = 0.5 * (degrees + 1) * _log1p_square_over(z, degrees)
    return _log_gamma_step(degrees / 2) - 0.5 * np.log(np.pi * degrees) - np.log(scale) - tail


def _quantiles(
    weight: FloatArray, location: FloatArray, scale: FloatArray, degrees: FloatArray, level: FloatArray
) -> FloatArray:
    """The quantile of each of B mixtures at its own level, shape [B], for arrays of shape [B, M] and levels [B].

    The root lies between the least and the greatest quantile of the components that count.
    """
    total = weight.sum(axis=1)
    counts = weight > 0
    components = location + scale * special.stdtrit(degrees, level[:, None])
    low = np.where(counts, components, np.inf).min(axis=1)
    high = np.where(counts, components, -np.inf).max(axis=1)
    start = np.clip((weight * components).sum(axis=1) / total, low, high)
    narrowest = np.where(counts, scale, np.inf).min(axis=1)
    log_constant = _log_gamma_step(degrees / 2) - 0.5 * np.log(np.pi * degrees)

    def excess(x: FloatArray, index: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        w, s, v = weight[index], scale[index], degrees[index]
        z = (x[:, None] - location[index]) / s
        # Mass beyond x is subtracted for the components below x: a difference from 1 would lose the digits of the tail.
        left = z < 0
        tail = w * special.stdtr(v, -np.abs(z))
        below = np.where(left, 0.0, w).sum(axis=1) - level[index] * total[index]
        value = np.where(left, tail, -tail).sum(axis=1) + below
        falling = 0.5 * (v + 1) * _log1p_square_over(z, v)
        return value, (w / s * np.exp(log_constant[index] - falling)).sum(axis=1)

    return solve_increasing(excess, low, high, start, 1e-9 * narrowest)
