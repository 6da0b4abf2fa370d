"""What every predictive distribution can be asked, and how each is checked when it is made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import Fault, FaultyInput, Undefined
from benchbook.predictive.checks import (
    BoolArray,
    Checker,
    FloatArray,
    IntArray,
    as_floats,
    real_targets,
)


class Predictive(ABC):
    """The predictive distributions of J cases, one a case, all of one kind.

    Notation: case j = 0..J-1 has the distribution of a target Z_j; M components or draws, K levels, C classes, O
    outputs. A type lists its parameters in ``shapes``, from the name of each to the shapes a user may give, the first
    being the one it is held in. They are checked when the object is made and held as read-only float64 copies;
    ``_rules`` adds the type's own rules to those that hold for all: the right shape, and every number finite. What does
    not exist for a type raises :class:`~benchbook.errors.Undefined` with the reason.

    Raises:
        FaultyInput: with all faults of the object together, each with its case, what was found and the rule it breaks.
    """

    __slots__ = ("_parameters",)
    _parameters: dict[str, FloatArray]

    kind: ClassVar[str]
    targets: ClassVar[Literal["real", "class", "outputs"]] = "real"
    shapes: ClassVar[Mapping[str, tuple[str, ...]]]
    words: ClassVar[Mapping[str, str]] = {
        "J": "case",
        "M": "component",
        "K": "level",
        "C": "class",
        "O": "output",
    }

    def __init__(self, **parameters: ArrayLike) -> None:
        check = Checker(type(self).__name__, self.words)
        for name, shapes in self.shapes.items():
            check.add(name, parameters[name], shapes)
        self._rules(check)
        check.finish()
        self._parameters = {
            name: _locked(check.broadcast(name, shapes[0])) for name, shapes in self.shapes.items()
        }

    @abstractmethod
    def _rules(self, check: Checker) -> None:
        """Report what breaks the type's own rules."""

    @property
    def parameters(self) -> Mapping[str, FloatArray]:
        """The arrays the distribution was made from, by name, read-only."""
        return MappingProxyType(self._parameters)

    def __getstate__(self) -> dict[str, FloatArray]:
        return self._parameters

    def __setstate__(self, state: dict[str, FloatArray]) -> None:
        self._parameters = {name: _locked(array) for name, array in state.items()}

    def __len__(self) -> int:
        return next(
            len(self._parameters[name])
            for name, shapes in self.shapes.items()
            if shapes[0].startswith("J")
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Predictive) or type(self) is not type(other):
            return NotImplemented
        return all(
            np.array_equal(array, other._parameters[name])
            for name, array in self._parameters.items()
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}{list(array.shape)}" for name, array in self._parameters.items())
        return f"{type(self).__name__}({parts})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{' × '.join(map(str, array.shape)) or '1'}</td>"
            f"<td>{_range(array)}</td></tr>"
            for name, array in self._parameters.items()
        )
        return (
            f"<table><caption>{type(self).__name__}, {len(self)} case{'s' if len(self) != 1 else ''}</caption>"
            f"<tr><th>parameter</th><th>shape</th><th>values</th></tr>{rows}</table>"
        )

    @abstractmethod
    def mean(self) -> FloatArray:
        """E[Z_j], shape [J]."""

    @abstractmethod
    def variance(self) -> FloatArray:
        """E[(Z_j - E[Z_j])^2], shape [J], in squared units of the target."""

    def median(self) -> FloatArray:
        """The quantile at level 1/2, shape [J]."""
        return self.quantile([0.5])[:, 0]

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """The value q with P(Z_j <= q) = level, for levels of shape [K] strictly between 0 and 1; shape [J, K].

        Raises:
            FaultyInput: levels that are not a list of numbers strictly between 0 and 1.
        """
        checked = _between_0_and_1("quantile levels", "level", levels)
        with np.errstate(over="ignore"):
            return self._quantile(checked)

    def interval(self, coverage: float) -> tuple[FloatArray, FloatArray]:
        """The central interval that holds a share ``coverage`` of the probability.

        (q(a), q(1 - a)) with a = (1 - coverage)/2: as much probability is left out below as above.

        Returns:
            The lower and the upper ends, shape [J] each.

        Raises:
            FaultyInput: a coverage that is not strictly between 0 and 1.
        """
        outside = (1 - float(_between_0_and_1("interval", "coverage", [coverage])[0])) / 2
        ends = self.quantile([outside, 1 - outside])
        return ends[:, 0], ends[:, 1]

    def log_density(self, y: ArrayLike) -> FloatArray:
        """The natural logarithm of the density of Z_j at y_j, shape [J], in nats; -inf where the density is zero.

        For class predictions y holds class indices, and the result is the logarithm of the probability.

        Raises:
            FaultyInput: y is of another shape or holds NaN, or (class predictions) what is not a class index.
            Undefined: the distribution has no density.
        """
        checked = self._checked(y)
        with np.errstate(over="ignore", divide="ignore"):
            return self._log_density(checked)

    def cdf(self, y: ArrayLike) -> FloatArray:
        """P(Z_j <= y_j), shape [J], for y of shape [J]; infinite y are allowed.

        Raises:
            FaultyInput: y is of another shape or holds NaN.
        """
        checked = self._checked(y)
        with np.errstate(over="ignore"):
            return self._cdf(checked)

    def log_mass(self, low: ArrayLike, high: ArrayLike) -> FloatArray:
        r"""The natural logarithm of the probability between two ends, :math:`\log P(low_j < Z_j \le high_j)`.

        Measured from the side on which less lies beyond, and in logarithms, so that it is finite and keeps its digits
        where the probability itself is below the least float64.

        Args:
            low, high: the ends of each case, shape [J], low at most high; they may be infinite.

        Returns:
            Shape [J], in nats; -inf where the probability is zero.

        Raises:
            FaultyInput: ends of another shape, with NaN, or in the wrong order.
            Undefined: the distribution is not one of a single number.
        """
        if self.targets != "real":
            self._undefined("mass between two ends", "it is not one of a single number")
        start, end = self._checked(low), self._checked(high)
        if (wrong := np.flatnonzero(start > end)).size:
            rule = f"must be at most high, {float(end[wrong[0]])!r}"
            raise FaultyInput(
                "ends of an interval",
                [Fault(f"low of case {wrong[0]}", repr(float(start[wrong[0]])), rule)],
            )
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            upper = self._cdf(start) > 0.5
            more = self._log_tail(np.where(upper, start, end), upper)
            less = self._log_tail(np.where(upper, end, start), upper)
            return np.where(less < more, more + np.log(-np.expm1(less - more)), -np.inf)

    def sample(self, rng: np.random.Generator, n: int) -> FloatArray | IntArray:
        """n independent draws of every Z_j, shape [J, n].

        Raises:
            FaultyInput: n is not a whole number of at least 0.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise FaultyInput(
                "sample", [Fault("n", repr(n), "must be a whole number of at least 0")]
            )
        return self._sample(rng, int(n))

    def affine(self, shift: float, scale: float) -> Self:
        """The distributions of shift + scale * Z_j.

        Raises:
            FaultyInput: a shift or a scale that is not finite, a scale that is not greater than 0, or a result beyond
                what a float64 can hold.
        """
        faults = []
        if not (np.ndim(shift) == 0 and np.isfinite(shift)):
            faults.append(Fault("shift", repr(shift), "must be one finite number"))
        if not (np.ndim(scale) == 0 and np.isfinite(scale) and scale > 0):
            faults.append(Fault("scale", repr(scale), "must be one finite number greater than 0"))
        if faults:
            raise FaultyInput(f"affine map of {type(self).__name__}", faults)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._affine(float(shift), float(scale))

    @abstractmethod
    def _quantile(self, levels: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _log_density(self, y: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _cdf(self, y: FloatArray) -> FloatArray: ...

    def _log_tail(self, y: FloatArray, upper: BoolArray) -> FloatArray:
        """log P(Z_j <= y_j), or log P(Z_j > y_j) for the cases that are ``upper``."""
        below = self._cdf(y)
        return np.log(np.where(upper, 1 - below, below))

    @abstractmethod
    def _sample(self, rng: np.random.Generator, n: int) -> FloatArray | IntArray: ...

    @abstractmethod
    def _affine(self, shift: float, scale: float) -> Self: ...

    def _checked(self, y: ArrayLike) -> FloatArray:
        return real_targets(
            f"{type(self).__name__} of {len(self)} cases", y, len(self), finite=False
        )

    def take(self, index: ArrayLike) -> Self:
        """The same distributions for the chosen cases, in the order given.

        Args:
            index: case numbers, or a boolean array of shape [J]. A negative number counts from the end.

        Raises:
            FaultyInput: numbers outside the cases, or nothing chosen.
        """
        chosen = _case_numbers(type(self).__name__, np.asarray(index), len(self))
        arrays: dict[str, ArrayLike] = {}
        for name, shapes in self.shapes.items():
            array = self._parameters[name]
            of_cases = shapes[0].startswith("J")
            shared = of_cases and array.strides[0] == 0
            arrays[name] = array[0] if shared else array[chosen] if of_cases else array
        return type(self)(**arrays)

    def _undefined(self, what: str, reason: str) -> NoReturn:
        raise Undefined(f"a {self.kind} distribution has no {what}: {reason}")


def _range(array: FloatArray) -> str:
    low, high = float(array.min()), float(array.max())
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def _locked(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array


def _between_0_and_1(what: str, name: str, values: ArrayLike) -> FloatArray:
    rule = "must be strictly between 0 and 1"
    array = as_floats(values)
    if isinstance(array, str) or array.ndim != 1:
        actual = array if isinstance(array, str) else f"shape {array.shape}"
        raise FaultyInput(
            what, [Fault(name, actual, f"must be a list of numbers, each of which {rule}")]
        )
    wrong = np.flatnonzero(~((array > 0) & (array < 1)))
    if wrong.size:
        faults = [
            Fault(f"{name} {k}" if array.size > 1 else name, repr(float(array[k])), rule)
            for k in wrong
        ]
        raise FaultyInput(what, faults)
    return array


def _case_numbers(what: str, index: NDArray[Any], cases: int) -> NDArray[np.intp]:
    if index.dtype == np.bool_ and index.shape == (cases,):
        index = np.flatnonzero(index)
    if index.ndim != 1 or index.size == 0 or index.dtype.kind not in "iu":
        rule = f"must be a list of case numbers, or a boolean array of shape ({cases},) that chooses at least one case"
        raise FaultyInput(
            f"cases taken from {what}",
            [Fault("index", f"{index.dtype} of shape {index.shape}", rule)],
        )
    outside = np.flatnonzero((index < -cases) | (index >= cases))
    if outside.size:
        faults = [
            Fault(f"index {i}", str(index[i]), f"must be a case number in 0..{cases - 1}")
            for i in outside
        ]
        raise FaultyInput(f"cases taken from {what}", faults)
    return index.astype(np.intp)
