"""What the functions of this package ask of their arguments, and the messages when it is not so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import Fault, FaultyInput
from benchbook.predictive.checks import as_floats

Array = NDArray[np.float64]
Index = NDArray[np.intp]


def vector(values: object, what: str, *, finite: bool = True, size: int | None = None) -> Array:
    """The values as an array [n], at least one of them.

    Raises:
        FaultyInput: another shape or size, nan, or (where ``finite``) infinite values; all faults together.
    """
    array = as_floats(values)
    if isinstance(array, str) or array.ndim != 1 or not array.size:
        actual = array if isinstance(array, str) else f"shape {array.shape}"
        raise FaultyInput(
            what, [Fault("array", actual, "one number a case, at least one case, shape [n]")]
        )
    if size is not None and array.size != size:
        raise FaultyInput(
            what,
            [Fault("array", f"{array.size} numbers", f"there are {size} cases, one number each")],
        )
    bad = np.flatnonzero(~np.isfinite(array) if finite else np.isnan(array))
    if bad.size:
        rule = "a finite number" if finite else "a number"
        raise FaultyInput(
            what, [Fault(f"case {case}", str(array[case]), f"must be {rule}") for case in bad]
        )
    return array


def matrix(values: object, what: str, axes: str = "[D, n]", *, width: int | None = None) -> Array:
    """The values as a finite array with two axes, neither of them empty; errors as for ``vector``."""
    array = as_floats(values)
    if isinstance(array, str) or array.ndim != 2 or not array.size:
        actual = array if isinstance(array, str) else f"shape {array.shape}"
        raise FaultyInput(
            what,
            [Fault("array", actual, f"must be numbers of shape {axes}, at least one each way")],
        )
    if width is not None and array.shape[1] != width:
        raise FaultyInput(
            what,
            [Fault("array", f"shape {array.shape}", f"there are {width} cases, a column each")],
        )
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise FaultyInput(
            what,
            [
                Fault(f"row {i}, case {j}", str(array[i, j]), "must be a finite number")
                for i, j in bad
            ],
        )
    return array


def names_of(cases: Sequence[Any] | NDArray[Any] | None, count: int) -> tuple[str, ...]:
    """The ids of cases as text, none when there are none given.

    Raises:
        FaultyInput: another number of them.
    """
    if cases is None:
        return ()
    names = tuple(str(case) for case in cases)
    if len(names) != count:
        raise FaultyInput(
            "case ids",
            [Fault("cases", f"{len(names)} ids", f"there are {count} cases, an id each")],
        )
    return names


def targets_of(targets: ArrayLike, count: int) -> NDArray[Any]:
    """The targets as an array, one a case.

    Raises:
        FaultyInput: another number of targets.
    """
    array = np.asarray(targets)
    if array.ndim == 0 or len(array) != count:
        actual = "one number" if array.ndim == 0 else f"{len(array)} targets"
        raise FaultyInput(
            "targets", [Fault("array", actual, f"there are {count} cases, a target each")]
        )
    return array


def same_targets(targets: Mapping[str, NDArray[Any]]) -> None:
    """That all models were judged on the same targets, in the same order.

    Numbers may differ by the rounding of single precision, in which some programs store them.

    Raises:
        FaultyInput: with the first case of each model whose target is another one than the first model's.
    """
    if len(targets) < 2:
        return
    (name, first), *others = targets.items()
    faults = []
    for other, array in others:
        differ = _differ(first, array)
        if differ.size:
            at = int(differ[0])
            actual = f"target {_shown(array, at)} at place {at} ({differ.size} differ)"
            faults.append(Fault(other, actual, f"{name} has {_shown(first, at)} there"))
    if faults:
        raise FaultyInput(
            "models to compare",
            faults,
            "Utilities of different targets, of targets in another order or on another scale, have no difference: "
            "judge all models on the same, and give their cases ids.",
        )


def _differ(first: NDArray[Any], other: NDArray[Any]) -> Index:
    """Places at which two arrays of targets differ."""
    if first.shape != other.shape:
        return np.arange(max(len(first), len(other)))
    if not len(first):
        return np.empty(0, dtype=np.intp)
    if first.dtype.kind in "biuf" and other.dtype.kind in "biuf":
        item, two = first.astype(np.float64), other.astype(np.float64)
        unlike = ~np.isclose(item, two, rtol=1e-6, atol=0.0, equal_nan=True)
    else:
        unlike = np.array(
            [str(a) != str(b) for a, b in zip(first.ravel(), other.ravel(), strict=True)]
        )
        unlike = unlike.reshape(first.shape)
    return np.flatnonzero(unlike.reshape(len(first), -1).any(axis=1))


def _shown(targets: NDArray[Any], place: int) -> str:
    return str(targets[place]) if place < len(targets) else "none"


def common_order(ids: Mapping[str, Sequence[Any] | NDArray[Any]]) -> dict[str, Index]:
    """For each model the places of its cases in the order of the first model's: cases are joined by their ids.

    A model whose cases have no names, only their numbers from 0, is taken in its own order; but not where some of the
    numbers, and not all, are ids of the first model. So is one of the same ids
    in the same order, which may then occur twice.

    Args:
        ids: for each model the ids of its cases.

    Raises:
        FaultyInput: with the first case of each model that the first model does not have.
    """
    texts = {
        name: [str(case) for case in np.asarray(cases).tolist()] for name, cases in ids.items()
    }
    first = next(
        (name for name, cases in texts.items() if not numbered(cases)), next(iter(texts), "")
    )
    orders, faults = {}, []
    for name, cases in texts.items():
        order = _joined(texts[first], cases)
        if order is None:
            faults.append(_other_cases(first, texts[first], name, cases))
        else:
            orders[name] = order
    if faults:
        raise FaultyInput("models to compare", faults, "A comparison needs the same cases.")
    return orders


def _joined(first: Sequence[str], cases: Sequence[str]) -> Index | None:
    """The places of the first model's cases among another's; None where there are others."""
    if len(first) != len(cases):
        return None
    if first == cases:
        return np.arange(len(cases))
    places = {case: index for index, case in enumerate(cases)}
    if len(places) == len(cases) and set(first) == set(places):
        return np.array([places[case] for case in first], dtype=np.intp)
    nameless = numbered(cases) or numbered(first)
    return np.arange(len(cases)) if nameless and not set(first) & set(places) else None


def numbered(cases: Sequence[str]) -> bool:
    """Whether cases have no names, but their numbers from 0."""
    return tuple(cases) == tuple(map(str, range(len(cases))))


def _other_cases(first: str, expected: Sequence[str], name: str, cases: Sequence[str]) -> Fault:
    if len(expected) != len(cases):
        return Fault(name, f"{len(cases)} cases", f"{first} has {len(expected)}")
    known = set(expected)
    strange = [case for case in cases if case not in known]
    if not strange:
        twice = next(case for index, case in enumerate(cases) if case in cases[:index])
        return Fault(name, f"the case id {twice} twice", f"{first} has other cases")
    return Fault(name, f"case id {strange[0]} ({len(strange)} differ)", f"{first} has no such case")
