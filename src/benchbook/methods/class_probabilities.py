"""What a fitted classifier says, read as a probability for every class of a task.

Read are the forms that libraries use: a column a class in the order of ``classes_``, whose names may be whole numbers
of any type, or words for them; without ``classes_`` a column for each class, in their order; and of two classes one
column or one number a case, the probability of the second, as the sigmoid of a network gives it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, shortened
from benchbook.methods.stated import as_numbers
from benchbook.predictive.checks import FloatArray, IntArray, without_rounding


def class_probabilities(
    fitted: Any, queries: FloatArray, present: IntArray, classes: int
) -> FloatArray:
    """The probability of each class in each of J cases, [J, C]; 0 for classes absent from the training cases.

    A classifier without ``predict_proba`` is sure of the class that it predicts.

    Args:
        fitted: the classifier. queries: [J, d]. present: the classes of its training cases, in order.
        classes: C, how many there are.

    Raises:
        BenchbookError: what it says is in none of the forms, or no probabilities.
    """
    where = f"{type(fitted).__name__}.predict_proba"
    made = np.zeros((len(queries), classes))
    if not hasattr(fitted, "predict_proba"):
        labels = _labels(fitted.predict(queries), classes, f"{type(fitted).__name__}.predict")
        if labels.shape != (len(queries),):
            raise BenchbookError(
                f"{type(fitted).__name__}.predict returned {len(labels)} classes for {len(queries)} cases"
            )
        made[np.arange(len(queries)), labels] = 1.0
        return made
    columns = _columns(fitted.predict_proba(queries), len(queries), len(present), where)
    made[:, _order(fitted, columns.shape[1], present, classes, where)] = columns
    made = without_rounding(made)
    _refuse_impossible(made, where)
    return made


def _columns(said: object, cases: int, present: int, where: str) -> FloatArray:
    """[J, K] numbers; one column of two classes becomes both."""
    if isinstance(said, list) and said and np.ndim(said[0]) == 2:
        raise BenchbookError(
            f"{where} returned a list of {len(said)} arrays, as for several targets; there is one target here"
        )
    said = said.toarray() if hasattr(said, "toarray") else said
    try:
        values = as_numbers(said)
    except (TypeError, ValueError) as error:
        raise BenchbookError(
            f"{where} returned what are no numbers ({error}); return a probability for each case and class"
        ) from error
    values = values[:, None] if values.ndim == 1 and len(values) == cases else values
    if values.ndim != 2 or len(values) != cases or not values.shape[1]:
        raise BenchbookError(
            f"{where} returned numbers of shape {values.shape} for {cases} cases; return a column for each class"
        )
    if values.shape[1] > 1:
        return values
    if present != 2:
        raise BenchbookError(
            f"{where} returned one number a case for {present} classes; return a column for each class (one "
            f"number alone is read as the probability of the second of two)"
        )
    return np.hstack([1.0 - values, values])


def _order(
    fitted: object, columns: int, present: IntArray, classes: int, where: str
) -> NDArray[np.int64]:
    """The class of each column."""
    names = getattr(fitted, "classes_", None)
    if names is not None:
        labels = _labels(names, classes, f"{type(fitted).__name__}.classes_")
        if len(labels) == columns == len(set(labels.tolist())):
            return labels
        raise BenchbookError(
            f"{where} returned {columns} columns, and classes_ has {len(labels)}: {_listed(labels)}; "
            f"each column belongs to a class of its own"
        )
    if columns == len(present):
        return present.astype(np.int64)
    if columns == classes:
        return np.arange(classes)
    raise BenchbookError(
        f"{where} returned {columns} columns for {len(present)} classes, and there is no classes_ that says which; "
        f"return a column for each, in their order"
    )


def _labels(names: object, classes: int, where: str) -> NDArray[np.int64]:
    """Class indices from whole numbers of any type, or from words for them."""
    try:
        numbers = np.asarray(as_numbers(_plain(names)), dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isin(numbers, np.arange(classes)).all():
        raise BenchbookError(
            f"{where} has {_listed(_plain(names))}; fit is given the classes 0 to {classes - 1} as whole numbers, "
            f"and these are expected back"
        )
    return numbers.astype(np.int64)


def _plain(names: object) -> object:
    return np.asarray(names).astype(str) if np.asarray(names).dtype.kind in "USO" else names


def _listed(names: object) -> str:
    return shortened(", ".join(map(str, np.asarray(names).reshape(-1)[:20].tolist())), 80)


def _refuse_impossible(made: FloatArray, where: str) -> None:
    """Only what the classifier said can be named here; a distribution smoothed from it would hide it."""
    total = made.sum(axis=1)
    negative, off = (made < 0).any(axis=1), ~(np.abs(total - 1) <= 1e-9)
    if negative.any():
        case = int(negative.argmax())
        hint = "; take the exponential of logarithms" if (made <= 0).all() else ""
        raise BenchbookError(
            f"{where} returned {made[case].min():g} in case {case}; no probability is negative{hint}"
        )
    if off.any():
        case = int(off.argmax())
        raise BenchbookError(
            f"{where} returned probabilities whose sum is {total[case]:.9g} in case {case} (and {int(off.sum()) - 1} "
            f"more); they sum to 1 in every case"
        )
