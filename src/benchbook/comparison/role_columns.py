"""The columns of a user's table that are no inputs, the target among them, and what is wrong with them."""

from __future__ import annotations

import difflib
from types import GeneratorType
from typing import Any

import numpy as np
import sklearn.utils
from numpy.typing import NDArray

from benchbook.comparison import tables
from benchbook.comparison.tables import Values
from benchbook.errors import Fault, shortened

_SHOWN = 10


def row_words(rows: NDArray[Any], index: Any = None) -> str:
    """Rows for a message: their numbers from 0, or their labels; ten at most."""
    names = [str(row if index is None else index[int(row)]) for row in rows[:_SHOWN]]
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return shortened(", ".join(names), 120) + more


class RoleColumns:
    """The columns that play another part than that of an input, and what is wrong with them."""

    def __init__(
        self, X: Any, names: tuple[Any, ...], rows: int | None, index: Any, faults: list[Fault]
    ) -> None:
        self.X, self.names, self.rows, self.index, self.faults = X, names, rows, index, faults
        self.taken: list[Any] = []

    def known(self, where: str, name: object) -> bool:
        """Whether there is a column of that name; if not, that is a fault."""
        if name in self.names:
            return True
        if self.X is None:
            return False
        if not self.names:
            rule = f"X has no names of columns; give the values of {where} as an array"
        else:
            texts = [str(name) for name in self.names]
            near = difflib.get_close_matches(str(name), texts[:1000], n=3, cutoff=0.4) or texts[:10]
            rule = f"a column of X: {shortened(', '.join(near))}"
        self.faults.append(Fault(where, repr(name), rule))
        return False

    def column(self, where: str, given: object) -> Any:
        """The column that a name stands for, or the array itself; None when there is none."""
        if given is None:
            return None
        if not isinstance(given, str | int):
            return given
        if not self.known(where, given):
            return None
        if given in self.taken:
            self.faults.append(Fault(where, repr(given), "a column that has no other part"))
            return None
        self.taken.append(given)
        return self.X[given]

    def flat(self, where: str, given: Any) -> Any:
        """A series or an array of one dimension and the right length; None, with a fault, when it is none."""
        if given is None:
            return None
        if isinstance(given, np.ma.MaskedArray):
            self.faults.append(Fault(where, "a masked array", "values without a mask"))
            return None
        if isinstance(given, GeneratorType | dict | set) or not hasattr(given, "__len__"):
            self.faults.append(
                Fault(where, type(given).__name__, "one value a row: a column, an array or a list")
            )
            return None
        if tables.library(given) == "":
            given = _as_array(given, where)
        elif tables.library(given) == "sparse":
            given = given.toarray()
        shape = tuple(given.shape)
        if len(shape) == 2 and shape[1] == 1:
            given = sklearn.utils._safe_indexing(given, 0, axis=1)
        elif len(shape) != 1:
            rule = "one value a row"
            if len(shape) == 2:
                rule += f"; of {shape[1]} columns take one at a time"
            self.faults.append(Fault(where, f"shape {shape}", rule))
            return None
        if self.rows is not None and len(given) != self.rows:
            self.faults.append(
                Fault(where, f"{len(given)} values", f"one for each of the {self.rows} rows of X")
            )
            return None
        return given

    def values(self, where: str, given: object) -> Values | None:
        """What stands in a column or an array."""
        flat = self.flat(where, self.column(where, given))
        return None if flat is None else tables.values_of(flat)

    def rows_fault(self, where: str, wrong: NDArray[np.bool_], found: str, rule: str) -> bool:
        """Report the rows in which something is wrong, and say whether there are any."""
        lines = np.flatnonzero(wrong)
        if not lines.size:
            return False
        count = f"{lines.size} row{'s' if lines.size > 1 else ''}"
        self.faults.append(Fault(where, f"{count} {found}: {row_words(lines, self.index)}", rule))
        return True


def _as_array(given: Any, where: str) -> NDArray[Any]:
    """A list as an array; words and missing values stay what they are, and groups may be named by several things."""
    if where == "groups" and any(isinstance(value, tuple) for value in given):
        return np.array([repr(value) for value in given])
    try:
        array = np.asarray(given)
    except ValueError:  # rows of unequal length
        return np.empty((len(given), 0))
    if array.dtype.kind in "US" and not all(isinstance(value, str | bytes) for value in given):
        return np.array(given, dtype=object)
    return array


LARGEST = float(np.finfo(np.float32).max)
"""Beyond it many learners refuse a number, and its square has no value."""
SMALLER = f"numbers of a size of at most {LARGEST:.2g}: measure them in a larger unit"
_FEWEST_OF_CLASS = 2


_MOST_INTEGER_CLASSES = 10


def coded_target(
    labels: object, kind: str | None, parts: RoleColumns
) -> tuple[NDArray[Any], tuple[Any, ...], str | None]:
    """Numbers or codes of the target, its classes, and its kind."""
    if kind not in (None, "number", "class"):
        parts.faults.append(Fault("kind", repr(kind), "'number' or 'class'"))
        kind = None
    nothing = np.empty(0)
    if labels is None:
        return nothing, (), kind
    values = tables.values_of(labels)
    if parts.rows_fault(
        "y",
        values.missing,
        "without a target",
        "a target in every row; mend these rows or leave them out",
    ):
        return nothing, (), kind
    if values.kind in ("complex", "time"):
        text = "complex numbers" if values.kind == "complex" else "dates"
        parts.faults.append(Fault("y", text, "numbers or classes; dates as a number of days"))
        return nothing, (), kind
    kind = kind or guessed_kind(values)
    if kind == "number":
        return _numbers(values, parts), (), kind
    codes, classes = _classes(values, parts)
    return codes, classes, kind


def guessed_kind(values: Values) -> str:
    """What a target is when nobody says: words and truths are classes, and so are two different whole numbers, or up to
    ten that are stored as such and follow on one another; everything else is a number."""
    if values.kind != "number":
        return "class"
    numbers = values.array.astype(np.float64)
    different = np.unique(numbers)
    if not np.isfinite(different).all() or np.any(different != np.round(different)):
        return "number"
    few = len(different) <= _MOST_INTEGER_CLASSES and np.all(np.diff(different) == 1)
    return "class" if len(different) == 2 or (few and values.array.dtype.kind in "iu") else "number"


def _numbers(values: Values, parts: RoleColumns) -> NDArray[np.float64]:
    if values.kind == "word":
        words = (
            row
            for row, item in enumerate(values.array)
            if not isinstance(item, int | float | np.number)
        )
        first = next(words, 0)
        rule = "numbers, as the methods predict; for classes give classifiers, or kind='class'"
        parts.faults.append(
            Fault(
                "y",
                f"{values.array[first]!r} in row {row_words(np.array([first]), parts.index)}",
                rule,
            )
        )
        return np.empty(0)
    numbers = values.array.astype(np.float64)
    if parts.rows_fault("y", ~np.isfinite(numbers), "with an infinite target", "finite numbers"):
        return numbers
    if parts.rows_fault("y", np.abs(numbers) > LARGEST, "with a target too large", SMALLER):
        return numbers
    if len(numbers) and np.ptp(numbers) == 0:
        parts.faults.append(Fault("y", f"{numbers[0]:g} in every row", "values that differ"))
    return numbers


def _classes(values: Values, parts: RoleColumns) -> tuple[NDArray[Any], tuple[Any, ...]]:
    numbers = values.array if values.kind == "number" else np.empty(0)
    if numbers.dtype.kind == "f" and np.any(numbers != np.round(numbers)):
        rule = "classes, as the methods predict; for numbers give regressors, or kind='number'"
        parts.faults.append(Fault("y", "numbers with fractions", rule))
        return np.empty(0), ()
    try:
        codes, classes = tables.coded(values)
    except TypeError:
        parts.faults.append(Fault("y", "classes of several types", "all words, or all numbers"))
        return np.empty(0), ()
    counts = np.bincount(codes, minlength=len(classes))
    if len(classes) == 1:
        parts.faults.append(Fault("y", f"{classes[0]!r} in every row", "two classes at least"))
    elif rare := [
        f"{name!r}" for name, count in zip(classes, counts, strict=True) if count < _FEWEST_OF_CLASS
    ]:
        rule = f"{_FEWEST_OF_CLASS} cases at least of each class: join or leave out what is rarer"
        if len(rare) == len(classes):
            rule += "; for numbers say kind='number'"
        text = f"{len(rare)} class{'es' if len(rare) > 1 else ''} with one case: {shortened(', '.join(rare), 120)}"
        parts.faults.append(Fault("y", text, rule))
    return codes, classes


def positive_code(
    positive: object, classes: tuple[Any, ...], kind: str | None, faults: list[Fault]
) -> int | None:
    if positive is None:
        return 1 if len(classes) == 2 else None
    if len(classes) != 2:
        if classes or kind == "number":
            text = f"{len(classes)} classes" if classes else "a target of numbers"
            faults.append(Fault("positive", text, "there is a positive class among two alone"))
        return None
    if positive not in classes:
        faults.append(
            Fault("positive", repr(positive), f"one of {classes[0]!r} and {classes[1]!r}")
        )
        return None
    return classes.index(positive)
