"""Finding every fault of a set of arrays at once, quickly when there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import Fault, FaultyInput

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

ADVICE = "Cases, components, draws, levels and classes are counted from 0."
_EXACT, _ROUNDED = 1e-9, 1e-5
"""How far the sum of shares may be from 1, and how far rounding to single precision or six digits takes it."""
_LEAST = {"J": 1, "M": 1, "K": 2, "C": 2, "O": 1}
_PLURAL = {
    "case": "cases",
    "component": "components",
    "draw": "draws",
    "level": "levels",
    "class": "classes",
    "output": "outputs",
}


def as_floats(values: object) -> FloatArray | str:
    """A fresh float64 array of the values, or what was found instead when they are not real numbers.

    Masked and missing entries become NaN.
    """
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            return f"values of type {array.dtype}"
        return np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        return "lists of unequal length, or values that are not numbers"


def without_rounding(shares: FloatArray) -> FloatArray:
    """Shares [J, K] with the traces of rounding taken away: those of single precision, or of six printed digits.

    Lines whose sum is between 1e-9 and 1e-5 away from 1 are divided by it, and numbers between -1e-6 and 0 become 0;
    all else stays as it is, also what is wrong, which a distribution names when it is made of them.
    """
    shares = np.where((shares < 0) & (shares >= -_ROUNDED / 10), 0.0, shares)
    with np.errstate(over="ignore", invalid="ignore"):
        total = shares.sum(axis=-1, keepdims=True)
        off = np.abs(total - 1)
    return np.divide(shares, total, out=shares, where=(off > _EXACT) & (off <= _ROUNDED))


class Checker:
    """Collects the faults of the arrays that make one object.

    Args:
        what: how the message calls the object.
        words: what one entry along each axis letter is called, for example ``{"J": "case", "M": "draw"}``.

    ``arrays`` holds the arrays whose number of axes makes sense; a rule about any other is passed over in silence,
    since its shape has been reported.
    """

    def __init__(self, what: str, words: Mapping[str, str]) -> None:
        self.what = what
        self.words = words
        self.arrays: dict[str, FloatArray] = {}
        self._axes: dict[str, str] = {}
        self._sizes: dict[str, tuple[int, str]] = {}
        self._found: list[tuple[int, Fault]] = []

    def add(self, name: str, values: ArrayLike, shapes: Sequence[str]) -> None:
        """Take an array, and report it when it is not numeric, not finite, or of none of the shapes allowed.

        Args:
            name: the name of the array.
            values: whatever the user gave.
            shapes: the shapes allowed, as strings of axis letters such as ``("JM", "M")``.
        """
        array = as_floats(values)
        allowed = " or ".join(
            f"[{', '.join(shape)}]" if shape else "one number" for shape in shapes
        )
        rule = f"must be numbers of shape {allowed}"
        if isinstance(array, str):
            self.fault(-1, name, array, rule)
            return
        axes = next((shape for shape in shapes if len(shape) == array.ndim), None)
        if axes is None:
            meaning = ", ".join(f"{letter} {_PLURAL[self.words[letter]]}" for letter in shapes[0])
            self.fault(-1, name, f"shape {array.shape}", f"{rule} ({meaning})")
            return
        self.arrays[name], self._axes[name] = array, axes
        self._check_sizes(name, array, axes)
        self.require(name, np.isfinite(array), "must be finite")

    def _check_sizes(self, name: str, array: FloatArray, axes: str) -> None:
        for letter, size in zip(axes, array.shape, strict=True):
            word = self.words[letter]
            least = _LEAST[letter]
            if size < least:
                rule = f"must have at least {least} {word if least == 1 else _PLURAL[word]}"
                self.fault(-1, name, f"{size} {_PLURAL[word]}", rule)
            expected, first = self._sizes.setdefault(letter, (size, name))
            if size != expected:
                self.fault(
                    -1, name, f"{size} {_PLURAL[word]}", f"must have as many as {first}, {expected}"
                )

    def fault(self, case: int, where: str, found: str, rule: str) -> None:
        """Add one fault; ``case`` is -1 when it is not about a single case."""
        self._found.append((case, Fault(where, found, rule)))

    def require(
        self, name: str, holds: BoolArray, rule: str | Callable[[tuple[int, ...]], str]
    ) -> None:
        """Report every entry of an array for which ``holds`` is false.

        Args:
            name: the array.
            holds: true where the entry is right, of the array's shape.
            rule: the rule in words, or a function from the entry's index to it.
        """
        if holds.all():
            return
        array, axes = self.arrays[name], self._axes[name]
        for position in np.argwhere(~holds):
            index = tuple(int(i) for i in position)
            words = [f"{self.words[letter]} {i}" for letter, i in zip(axes, index, strict=True)]
            message = bool(axes) and name == self.words[axes[-1]]
            where = ", ".join(words if message else [*words, name])
            text = rule if isinstance(rule, str) else rule(index)
            self.fault(
                index[0] if axes.startswith("J") else -1, where, repr(float(array[index])), text
            )

    def broadcast(self, name: str, axes: str) -> FloatArray:
        """The array spread over the axes given, once all is known to be right; axes it lacks have stride 0."""
        array = self.arrays[name]
        shape = tuple(self._sizes[letter][0] for letter in axes)
        return array if array.shape == shape else np.broadcast_to(array, shape)

    def positive(self, name: str) -> None:
        """Every finite entry must be greater than 0."""
        if (array := self.arrays.get(name)) is not None:
            self.require(name, (array > 0) | ~np.isfinite(array), "must be greater than 0")

    def shares(self, name: str) -> None:
        """Along the last axis the entries must be non-negative and sum to 1 within 1e-9."""
        if (array := self.arrays.get(name)) is None:
            return
        self.require(name, (array >= 0) | ~np.isfinite(array), "must not be negative")
        with np.errstate(over="ignore", invalid="ignore"):
            total = np.atleast_1d(array.sum(axis=-1))
        wrong = np.isfinite(total) & (np.abs(total - 1) > _EXACT)
        for case in np.flatnonzero(wrong):
            text = f"case {case}, {name}" if array.ndim == 2 else name
            actual = f"the sum {total[case]:.12g}"
            self.fault(int(case), text, actual, "must sum to 1 within 1e-9; divide by the sum")

    def finish(self) -> None:
        """Raise when there is any fault.

        Raises:
            FaultyInput: with all faults, those of the whole object first, the others case by case.
        """
        if self._found:
            ordered = [fault for _, fault in sorted(self._found, key=lambda pair: pair[0])]
            raise FaultyInput(self.what, ordered, ADVICE)


def real_targets(
    what: str, y: ArrayLike, cases: int, *, name: str = "y", finite: bool = True
) -> FloatArray:
    """The values as a float array with one number a case.

    Args:
        what: how a message calls the object that asks.
        y: values, shape [J].
        cases: the number J of cases.
        name: how a message calls the values.
        finite: whether an infinite value is a fault; NaN always is.

    Raises:
        FaultyInput: not numbers, of another shape, NaN, or infinite; all faults together.
    """
    array = as_floats(y)
    if isinstance(array, str) or array.shape != (cases,):
        actual = array if isinstance(array, str) else f"shape {array.shape}"
        raise FaultyInput(
            what, [Fault(name, actual, f"must be one number a case, shape ({cases},)")]
        )
    wrong = ~np.isfinite(array) if finite else np.isnan(array)
    if wrong.any():
        rule = "must be finite" if finite else "must be a number"
        faults = [
            Fault(f"case {j}, {name}", repr(float(array[j])), rule) for j in np.flatnonzero(wrong)
        ]
        raise FaultyInput(what, faults, ADVICE)
    return array


def output_targets(
    what: str, y: ArrayLike, cases: int, outputs: int, *, name: str = "y"
) -> FloatArray:
    """The values as a float array with O numbers a case.

    Args:
        what: how a message calls the object that asks.
        y: values, shape [J, O].
        cases, outputs: J and O.
        name: how a message calls the values.

    Raises:
        FaultyInput: not numbers, of another shape, or not finite; all faults together.
    """
    array = as_floats(y)
    if isinstance(array, str) or array.shape != (cases, outputs):
        actual = array if isinstance(array, str) else f"shape {array.shape}"
        raise FaultyInput(
            what,
            [Fault(name, actual, f"must be {outputs} numbers a case, shape ({cases}, {outputs})")],
        )
    faults = [
        Fault(f"case {j}, output {i}, {name}", repr(float(array[j, i])), "must be finite")
        for j, i in np.argwhere(~np.isfinite(array))
    ]
    if faults:
        raise FaultyInput(what, faults, ADVICE)
    return array


def class_targets(
    what: str, y: ArrayLike, cases: int, classes: int | None = None, *, name: str = "y"
) -> IntArray:
    """The values as an integer array with one class index a case.

    Args:
        what: how a message calls the object that asks.
        y: class indices 0..C-1, shape [J].
        cases: the number J of cases.
        classes: the number C of classes; None when any non-negative index will do.
        name: how a message calls the values.

    Raises:
        FaultyInput: of another shape, not whole numbers, or outside the classes; all faults together.
    """
    array = real_targets(what, y, cases, name=name)
    wrong = (
        (array != np.rint(array))
        | (array < 0)
        | (array >= (2.0**53 if classes is None else classes))
    )
    if wrong.any():
        limit = "..." if classes is None else str(classes - 1)
        rule = f"must be a class index, a whole number in 0..{limit}"
        faults = [
            Fault(f"case {j}, {name}", repr(float(array[j])), rule) for j in np.flatnonzero(wrong)
        ]
        raise FaultyInput(what, faults, ADVICE)
    return array.astype(np.int64)
