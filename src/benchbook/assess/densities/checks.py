"""What the functions of this package ask of their arguments, and the messages when it is not so."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import Fault, FaultyInput
from benchbook.predictive.checks import as_floats

Array = NDArray[np.float64]
Index = NDArray[np.intp]


def vector(values: Any, what: str, *, finite: bool = True, size: int | None = None) -> Array:
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


def matrix(values: Any, what: str, axes: str = "[D, n]", *, width: int | None = None) -> Array:
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


def target_digest(targets: Any, count: int | None = None) -> str:
    """sha256 of targets in their order, as hexadecimal text: numbers as float64, anything else as text.

    Args:
        targets: [n] or [n, K], numbers or labels; 0.0 and -0.0 are one number, and so are 1 and 1.0.
        count: n, when it is known.

    Raises:
        FaultyInput: another number of targets.
    """
    array = np.asarray(targets)
    if array.ndim == 0 or (count is not None and len(array) != count):
        actual = "one number" if array.ndim == 0 else f"{len(array)} targets"
        raise FaultyInput(
            "targets",
            [Fault("array", actual, f"there are {count or 'several'} cases, a target each")],
        )
    if array.dtype.kind in "biuf":
        content = (array.astype("<f8") + 0.0).tobytes()
    else:
        content = "\0".join(str(label) for label in array.ravel()).encode()
    return hashlib.sha256(str(array.shape).encode() + content).hexdigest()


def same_targets(digests: Mapping[str, str]) -> None:
    """That all models were judged on the same targets, by ``target_digest``; some may differ where the ids agree.

    Raises:
        FaultyInput: with each model whose targets are others than the first model's.
    """
    if len(digests) < 2:
        return
    (name, first), *others = digests.items()
    faults = [
        Fault(other, f"targets with the digest {digest[:12]}", f"{name} has {first[:12]}")
        for other, digest in others
        if digest != first
    ]
    if faults:
        raise FaultyInput(
            "models to compare",
            faults,
            "Utilities of different targets, or of targets on different "
            "scales, have no difference: judge all models on the same.",
        )


def same_cases(ids: Mapping[str, Sequence[Any] | NDArray[Any]]) -> None:
    """That all models were judged on the same cases, in the same order.

    Args:
        ids: for each model the ids of its cases.

    Raises:
        FaultyInput: with the first case of each model that is another one than the first model's.
    """
    names = list(ids)
    if len(names) < 2:
        return
    first = np.asarray(ids[names[0]])
    faults = []
    for name in names[1:]:
        other = np.asarray(ids[name])
        if other.shape != first.shape:
            faults.append(Fault(name, f"{other.size} cases", f"{names[0]} has {first.size}"))
            continue
        bad = np.flatnonzero(other != first)
        if bad.size:
            actual = f"case id {other[bad[0]]} at place {bad[0]} ({bad.size} differ)"
            faults.append(Fault(name, actual, f"{names[0]} has {first[bad[0]]} there"))
    if faults:
        raise FaultyInput(
            "models to compare", faults, "A comparison needs the same cases in the same order."
        )
