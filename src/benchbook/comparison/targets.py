"""The target of a comparison as numbers or codes of classes, or what is wrong with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.comparison import tables
from benchbook.comparison.role_columns import RoleColumns, row_words
from benchbook.comparison.tables import Values
from benchbook.errors import Fault, shortened

_FEWEST_OF_CLASS = 2


_MOST_INTEGER_CLASSES = 10


def coded_target(
    labels: Any, kind: str | None, parts: RoleColumns
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
        first = next((row for row, item in enumerate(values.array) if not _numeric(item)), 0)
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
    if len(numbers) and np.ptp(numbers) == 0:
        parts.faults.append(Fault("y", f"{numbers[0]:g} in every row", "values that differ"))
    return numbers


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float | np.number)


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
    positive: Any, classes: tuple[Any, ...], kind: str | None, faults: list[Fault]
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
