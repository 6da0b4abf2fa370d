"""Distributions given by a location and a spread: the Gaussian and Student's t."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.errors import Undefined
from benchbook.predictive.base import Predictive
from benchbook.predictive.checks import BoolArray, Checker, FloatArray

_LOG_2PI = float(np.log(2 * np.pi))


class Gaussian(Predictive):
    """Z_j ~ N(mean_j, variance_j), with density exp(-(y - mean_j)^2 / (2 variance_j)) / sqrt(2 pi variance_j).

    mean: shape [J], in units of the target. variance: shape [J], in squared units, greater than 0.

    Example:
        >>> from benchbook.predictive import Gaussian
        >>> forecast = Gaussian(mean=[20.0, 22.0], variance=[4.0, 1.0])  # two cases
        >>> low, high = forecast.interval(0.9)
        >>> low.round(1), high.round(1)
        (array([16.7, 20.4]), array([23.3, 23.6]))
        >>> forecast.log_density([21.0, 25.0]).round(2)
        array([-1.74, -5.42])
    """

    __slots__ = ()
    kind: ClassVar[str] = "gaussian"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {"mean": ("J",), "variance": ("J",)}

    def __init__(self, mean: ArrayLike, variance: ArrayLike) -> None:
        super().__init__(mean=mean, variance=variance)

    def _rules(self, check: Checker) -> None:
        check.positive("variance")

    @property
    def _sd(self) -> FloatArray:
        return np.sqrt(self._parameters["variance"])

    def mean(self) -> FloatArray:
        return self._parameters["mean"].copy()

    def variance(self) -> FloatArray:
        return self._parameters["variance"].copy()

    def median(self) -> FloatArray:
        return self.mean()

    def _cdf(self, y: FloatArray) -> FloatArray:
        return scipy.special.ndtr((y - self._parameters["mean"]) / self._sd)

    def _log_tail(self, y: FloatArray, upper: BoolArray) -> FloatArray:
        z = (y - self._parameters["mean"]) / self._sd
        return scipy.special.log_ndtr(np.where(upper, -z, z))

    def _log_density(self, y: FloatArray) -> FloatArray:
        z = (y - self._parameters["mean"]) / self._sd
        return -0.5 * (_LOG_2PI + np.log(self._parameters["variance"]) + z * z)

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        noise = rng.standard_normal((len(self), n))
        return self._parameters["mean"][:, None] + self._sd[:, None] * noise

    def _quantile(self, levels: FloatArray) -> FloatArray:
        return self._parameters["mean"][:, None] + self._sd[:, None] * scipy.special.ndtri(levels)

    def _affine(self, shift: float, scale: float) -> Self:
        return type(self)(
            shift + scale * self._parameters["mean"], scale * (scale * self._parameters["variance"])
        )


class StudentT(Predictive):
    """Z_j = location_j + scale_j T_j, where T_j has Student's t distribution with df_j degrees of freedom.

    With z = (y - location)/scale and v = df the density is
    Gamma((v + 1)/2) / (Gamma(v/2) sqrt(pi v) scale) * (1 + z^2/v)^(-(v + 1)/2).

    location, scale: shape [J], in units of the target, scale greater than 0. df: shape [J] or one number, greater
    than 0. The mean exists where df > 1 only, the variance scale^2 df/(df - 2) where df > 2 only; asking for one that
    does not exist in some case raises Undefined and names the case.

    Example:
        >>> from benchbook.predictive import StudentT
        >>> wide = StudentT(location=[0.0], scale=[1.0], df=4)
        >>> low, high = wide.interval(0.95)
        >>> wide.variance(), high.round(2)
        (array([2.]), array([2.78]))
    """

    __slots__ = ()
    kind: ClassVar[str] = "student-t"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "location": ("J",),
        "scale": ("J",),
        "df": ("J", ""),
    }

    def __init__(self, location: ArrayLike, scale: ArrayLike, df: ArrayLike) -> None:
        super().__init__(location=location, scale=scale, df=df)

    def _rules(self, check: Checker) -> None:
        check.positive("scale")
        check.positive("df")

    @property
    def location(self) -> FloatArray:
        """The centre of every case, shape [J], read-only."""
        return self._parameters["location"]

    @property
    def scale(self) -> FloatArray:
        """The scale of every case, shape [J], read-only; it is not the standard deviation."""
        return self._parameters["scale"]

    @property
    def df(self) -> FloatArray:
        """The degrees of freedom of every case, shape [J], read-only."""
        return self._parameters["df"]

    def mean(self) -> FloatArray:
        self._need("mean", self.df > 1, "greater than 1")
        return self.location.copy()

    def variance(self) -> FloatArray:
        self._need("variance", self.df > 2, "greater than 2")
        return self.scale**2 * (self.df / (self.df - 2))

    def _need(self, what: str, exists: BoolArray, rule: str) -> None:
        if exists.all():
            return
        missing = np.flatnonzero(~exists)
        others = f", and {missing.size - 1} more" if missing.size > 1 else ""
        raise Undefined(
            f"a student-t distribution has no {what} unless its df is {rule}: "
            f"case {missing[0]} has df {float(self.df[missing[0]])!r}{others}; the median always exists"
        )

    def _cdf(self, y: FloatArray) -> FloatArray:
        return scipy.special.stdtr(self.df, (y - self.location) / self.scale)

    def _log_tail(self, y: FloatArray, upper: BoolArray) -> FloatArray:
        z = (y - self.location) / self.scale
        return log_t_cdf(np.where(upper, -z, z), self.df)

    def _log_density(self, y: FloatArray) -> FloatArray:
        return log_t(y, self.location, self.scale, self.df)

    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        noise = rng.standard_t(self.df[:, None], (len(self), n))
        return self.location[:, None] + self.scale[:, None] * noise

    def _quantile(self, levels: FloatArray) -> FloatArray:
        return self.location[:, None] + self.scale[:, None] * scipy.special.stdtrit(
            self.df[:, None], levels
        )

    def _affine(self, shift: float, scale: float) -> Self:
        return type(self)(shift + scale * self.location, scale * self.scale, self.df)


def log_t(
    y: FloatArray, location: FloatArray, scale: FloatArray, degrees: FloatArray
) -> FloatArray:
    """The log density at y of location + scale T, T Student's t with ``degrees`` of freedom; arrays broadcast.

    With z = (y - location) / scale and v = degrees:
    log Gamma((v + 1)/2) - log Gamma(v/2) - log(pi v)/2 - log scale - (v + 1)/2 log(1 + z^2/v), in nats.
    """
    return log_t_constant(degrees) - np.log(scale) - log_t_tail((y - location) / scale, degrees)


def log_t_cdf(z: FloatArray, degrees: FloatArray) -> FloatArray:
    r"""log P(T <= z), T Student's t with v = ``degrees`` of freedom; arrays broadcast, in nats.

    Where P is below 1e-290 it is the leading term of the tail, :math:`f(z) (v + z^2) / (v |z|)` with the density f. Its
    relative error is at most 1/z^2, below 1e-3 there: P lies between 1 - 1/z^2 of it and itself.
    """
    below = scipy.special.stdtr(degrees, z)
    far = (below < 1e-290) & np.isfinite(z)
    away = np.where(far, np.abs(z), 1.0)
    tail = (
        log_t_constant(degrees)
        - log_t_tail(away, degrees)
        + np.logaddexp(-np.log(away), np.log(away / degrees))
    )
    return np.where(far, tail, np.log(np.where(far, 1.0, below)))


def log_t_constant(degrees: FloatArray) -> FloatArray:
    """The part of the log density of Student's t that z has no part in: its value at 0."""
    return _log_gamma_step(degrees / 2) - 0.5 * np.log(np.pi * degrees)


def log_t_tail(z: FloatArray, degrees: FloatArray) -> FloatArray:
    """How far the log density of Student's t at z lies below that at 0."""
    return 0.5 * (degrees + 1) * _log1p_square_over(z, degrees)


def _log1p_square_over(z: FloatArray, df: FloatArray) -> FloatArray:
    """log(1 + z^2/df), also where the square overflows."""
    root = np.abs(z) / np.sqrt(df)
    far = root > 1e100
    return np.where(
        far, 2 * np.log(np.where(far, root, 1.0)), np.log1p(np.where(far, 0.0, root) ** 2)
    )


def _log_gamma_step(x: FloatArray) -> FloatArray:
    """log Gamma(x + 1/2) - log Gamma(x), without the loss of digits of a plain difference at large x.

    From x = 50 on, the asymptotic series log(x)/2 - 1/(8x) + 1/(192x^3) - 1/(640x^5) + 17/(14336x^7).
    """
    small = np.minimum(x, 50.0)
    large = np.maximum(x, 50.0)
    series = (
        0.5 * np.log(large)
        - (1 / 8 - (1 / 192 - (1 / 640 - 17 / 14336 / large**2) / large**2) / large**2) / large
    )
    return np.where(
        x < 50, scipy.special.gammaln(small + 0.5) - scipy.special.gammaln(small), series
    )
