"""Predictions given by quantiles, with exponential tails beyond the outermost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import BoolArray, Checker, FloatArray, IntArray

_FEW = 5
"""Crossings that a message names one by one; of more it says how many cases have some, and what undoes them."""


def _crossing(holds: BoolArray) -> tuple[str, str, str]:
    """Where, what and which rule of quantiles [J, K] that cross in many places."""
    cases = np.flatnonzero(~holds.all(axis=1))
    first = int(np.flatnonzero(~holds[cases[0]])[0])
    return (
        f"value of {len(cases)} of {len(holds)} cases",
        f"quantiles that cross or are equal, first in case {cases[0]} at level {first}",
        "must increase in every case; np.sort(value, axis=1) undoes crossings, and "
        "methods.from_quantiles makes a method of fitted quantiles that does this",
    )


class Quantiles(Predictive):
    """The density of the PASCAL challenge: constant between quantiles, exponential beyond them.

    With levels a_1 < ... < a_K and the values q_1 < ... < q_K of one case the density at y is

    * (a_(i+1) - a_i) / (q_(i+1) - q_i) for q_i <= y < q_(i+1);
    * z_1 exp(-(q_1 - y)/b_1) for y < q_1, where z_1 is the first inner density and b_1 = a_1/z_1;
    * z_K exp(-(y - q_K)/b_K) for y >= q_K, where z_K is the last inner density and b_K = (1 - a_K)/z_K.

    level: shape [K] for the same in all cases, or [J, K]; K at least 2, strictly increasing, strictly between 0 and 1.
    value: shape [J, K], in units of the target, strictly increasing in every case; values that cross or are equal are
    faults.

    Example:
        >>> from benchbook.predictive import Quantiles
        >>> rent = Quantiles(level=[0.1, 0.5, 0.9], value=[[400.0, 600.0, 1000.0]])
        >>> rent.cdf([500.0]).round(2), rent.quantile([0.95]).round(0)
        (array([0.3]), array([[1069.]]))

    Source: Evaluating Predictive Uncertainty Challenge, section 3, equations 4 to 9, of which the conditions of 4 and
    6 and the last forms of 8 and 9 are corrected here: as printed no y satisfies the former, and the latter square
    what integration leaves to the first power.
    """

    __slots__ = ()
    kind: ClassVar[str] = "quantiles"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {"level": ("JK", "K"), "value": ("JK",)}

    def __init__(self, level: ArrayLike, value: ArrayLike) -> None:
        super().__init__(level=level, value=value)

    def _rules(self, check: Checker) -> None:
        for name, what in (("level", "level"), ("value", "quantile")):
            if (array := check.arrays.get(name)) is None:
                continue
            holds = np.ones(array.shape, dtype=np.bool_)
            finite = np.isfinite(array)
            comparable = finite[..., 1:] & finite[..., :-1]
            holds[..., 1:] = ~comparable | (array[..., 1:] > array[..., :-1])
            before = np.roll(array, 1, axis=-1)

            def rule(index: tuple[int, ...], before: FloatArray = before, what: str = what) -> str:
                return f"must be greater than the {what} before it, {float(before[index])!r}"

            if name == "value" and array.ndim == 2 and np.count_nonzero(~holds) > _FEW:
                check.fault(-1, *_crossing(holds))
            else:
                check.require(name, holds, rule)
        if (level := check.arrays.get("level")) is not None:
            check.require(
                "level",
                ((level > 0) & (level < 1)) | ~np.isfinite(level),
                "must be strictly between 0 and 1",
            )

    @property
    def level(self) -> FloatArray:
        """The levels, shape [K] when all cases share them, else [J, K]; read-only."""
        levels = self._parameters["level"]
        return levels[0] if levels.strides[0] == 0 else levels

    @property
    def _levels(self) -> FloatArray:
        """The levels, shape [1, K] when all cases share them, else [J, K]."""
        return np.atleast_2d(self.level)

    @property
    def value(self) -> FloatArray:
        """The quantile of every case at every level, shape [J, K], read-only."""
        return self._parameters["value"]

    def _tails(self) -> tuple[FloatArray, FloatArray]:
        """The scales b_1 and b_K of the two exponential tails, shape [J] each, in units of the target."""
        a, q = self._levels, self.value
        lower = a[:, 0] * ((q[:, 1] - q[:, 0]) / (a[:, 1] - a[:, 0]))
        upper = (1 - a[:, -1]) * ((q[:, -1] - q[:, -2]) / (a[:, -1] - a[:, -2]))
        return lower, upper

    def mean(self) -> FloatArray:
        """sum_i (a_(i+1) - a_i)(q_i + q_(i+1))/2 + a_1 (q_1 - b_1) + (1 - a_K)(q_K + b_K), shape [J]."""
        a, q = self._levels, self.value
        below, above = self._tails()
        inner = ((0.5 * q[:, 1:] + 0.5 * q[:, :-1]) * np.diff(a)).sum(axis=1)
        return inner + a[:, 0] * (q[:, 0] - below) + (1 - a[:, -1]) * (q[:, -1] + above)

    def variance(self) -> FloatArray:
        """The second moment about the mean, shape [J].

        A piece of mass p, mean c and variance v adds p (v + (c - mean)^2): v is (q_(i+1) - q_i)^2/12 for an inner
        piece and b^2 for a tail, whose mean is q_1 - b_1 or q_K + b_K.
        """
        a, q = self._levels, self.value
        below, above = self._tails()
        centre = self.mean()
        middle = 0.5 * q[:, 1:] + 0.5 * q[:, :-1] - centre[:, None]
        inner = ((middle**2 + np.diff(q, axis=1) ** 2 / 12) * np.diff(a)).sum(axis=1)
        lower = a[:, 0] * ((q[:, 0] - below - centre) ** 2 + below**2)
        upper = (1 - a[:, -1]) * ((q[:, -1] + above - centre) ** 2 + above**2)
        return inner + lower + upper

    def _place(
        self, y: FloatArray
    ) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Where y falls: how many quantiles are at or below it; then the piece's width and mass, and both ends of it.

        For a tail the piece is the inner one next to it, whose density the tail continues.
        """
        count = (self.value <= y[:, None]).sum(axis=1).astype(np.int64)
        piece = np.clip(count, 1, self.value.shape[1] - 1)
        case = np.arange(len(self))
        left, right = self.value[case, piece - 1], self.value[case, piece]
        return count, right - left, self._level_at(piece) - self._level_at(piece - 1), left, right

    def _level_at(self, number: IntArray) -> FloatArray:
        """The level with the number of each case, shape [J]."""
        levels = self._levels
        return levels[0 if len(levels) == 1 else np.arange(len(self)), number]

    def _log_density(self, y: FloatArray) -> FloatArray:
        count, width, mass, left, right = self._place(y)
        below, above = self._tails()
        lower, upper = count == 0, count == self.value.shape[1]
        fall = np.zeros(len(self))
        fall[lower] = (left - y)[lower] / below[lower]
        fall[upper] = (y - right)[upper] / above[upper]
        return np.log(mass) - np.log(width) - fall

    def _cdf(self, y: FloatArray) -> FloatArray:
        count, width, mass, left, right = self._place(y)
        below, above = self._tails()
        lower, upper = count == 0, count == self.value.shape[1]
        inner = ~(lower | upper)
        result = np.empty(len(self))
        start = self._level_at(np.clip(count, 1, None) - 1)
        outside = 1 - self._levels[:, -1] + np.zeros(len(self))
        result[inner] = start[inner] + mass[inner] * ((y - left)[inner] / width[inner])
        result[lower] = start[lower] * np.exp((y - left)[lower] / below[lower])
        result[upper] = 1 - outside[upper] * np.exp((right - y)[upper] / above[upper])
        return result

    def _log_tail(self, y: FloatArray, upper: BoolArray) -> FloatArray:
        count, width, mass, left, right = self._place(y)
        below, above = self._tails()
        lowest, highest = count == 0, count == self.value.shape[1]
        piece = np.clip(count, 1, self.value.shape[1] - 1)
        inner_below = self._level_at(piece - 1) + mass * ((y - left) / width)
        inner_beyond = 1 - self._level_at(piece) + mass * ((right - y) / width)
        result = np.log(np.where(upper, inner_beyond, inner_below))
        low = np.log(self._levels[:, 0]) + (y - left) / below
        high = np.log1p(-self._levels[:, -1]) + (right - y) / above
        result = np.where(lowest, np.where(upper, np.log1p(-np.exp(low)), low), result)
        return np.where(highest, np.where(upper, high, np.log1p(-np.exp(high))), result)

    def _quantile(self, levels: FloatArray) -> FloatArray:
        return self._inverse(np.broadcast_to(levels, (len(self), levels.size)))

    def _inverse(self, p: FloatArray) -> FloatArray:
        """The value with cdf p, for p of shape [J, n] strictly between 0 and 1."""
        a, q = np.broadcast_to(self._levels, self.value.shape), self.value
        below, above = self._tails()
        piece = np.clip(self._levels_up_to(p), 1, q.shape[1] - 1)
        left, right = np.take_along_axis(q, piece - 1, axis=1), np.take_along_axis(q, piece, axis=1)
        start, end = np.take_along_axis(a, piece - 1, axis=1), np.take_along_axis(a, piece, axis=1)
        share = np.clip((p - start) / (end - start), 0, 1)
        inner = np.where(share < 1, left + share * (right - left), right)
        lower = q[:, :1] + below[:, None] * np.log(np.minimum(p / a[:, :1], 1))
        upper = q[:, -1:] - above[:, None] * np.log(np.minimum((1 - p) / (1 - a[:, -1:]), 1))
        return np.where(p < a[:, :1], lower, np.where(p > a[:, -1:], upper, inner))

    def _levels_up_to(self, p: FloatArray) -> IntArray:
        """How many levels of a case are at most p, for p of shape [J, n]; shape [J, n]."""
        if len(self._levels) == 1:
            return np.searchsorted(self._levels[0], p, side="right").astype(np.int64)
        count = np.zeros(p.shape, dtype=np.int64)
        for k in range(self._levels.shape[1]):
            count += self._levels[:, k, None] <= p
        return count

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        return self._inverse(np.maximum(rng.random((len(self), n)), 2.0**-54))

    def _affine(self, shift: float, scale: float) -> Self:
        return type(self)(self.level, shift + scale * self.value)
