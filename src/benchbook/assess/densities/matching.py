"""Which variable of another group goes with a log likelihood: by its name, its dimensions or its shape, never guessed.

Programs give names of their own where they are told none: PyMC calls log likelihoods, data and predictions alike;
Stan's are log_lik, y and y_rep, with dimensions log_lik_dim_0, y_dim_0 and y_rep_dim_0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.words import some

_AXES = ("chain", "draw")
_PARTS = re.compile(
    r"(?i)^(log_?lik(elihood)?|ll)(_|$)|_(log_?lik(elihood)?|ll|rep|ppc|pred|hat|tilde|sim|new|obs|observed)$"
)


@dataclass(frozen=True, eq=False)
class Companion:
    """The values that go with a log likelihood, in its order of axes and labels; None where there are none.

    Attributes:
        values: of the axes that were asked for.
        labels: of the cases along each axis, none where they are only numbered.
        notes: what is not used, and why.
    """

    values: NDArray[Any] | None = None
    labels: tuple[list[str], ...] = ()
    notes: tuple[str, ...] = ()


def companion(
    array: ArrayLike,
    name: str,
    axes: tuple[str, ...],
    names: Sequence[str],
    where: str,
    group: Any,
) -> Companion:
    """The variable of a group that goes with a log likelihood.

    Args:
        array: the log likelihood.
        name: its name.
        axes: those of the result: of the cases, with chain and draw before them for draws.
        names: of all log likelihoods.
        where: the group's name.
        group: its variables; may be None or empty.
    """
    candidates = {
        str(other): group[other] for other in group or () if hasattr(group[other], "dims")
    }
    if not candidates:
        return Companion()
    fitting, reasons = {}, []
    for other, content in candidates.items():
        values = _aligned(content, array, axes)
        if values is None:
            reasons.append(f"{other} ({_shape(content)})")
        else:
            fitting[other] = values
    best = _choice(list(fitting), name, len(names) == 1)
    if best:
        labels = tuple(labels_of(candidates[best], axis) for axis in _own_axes(candidates[best]))
        left = [other for other in candidates if other != best and other not in names]
        notes = (f"{where}: {some(left)} not used, for {best} goes with {name}",) if left else ()
        return Companion(fitting[best], labels, notes)
    if fitting:
        text = f"{where}: {some(list(fitting))} not used: which one goes with {name} cannot be told by its name"
    else:
        cases = " x ".join(str(size_of(array, axis)) for axis in axes) or "one case"
        text = f"{where}: {some(reasons)} not used: {name} has {cases}, or other labels"
    return Companion(notes=(text,))


def _choice(fitting: Sequence[str], name: str, alone: bool) -> str:
    """The one that has the log likelihood's name, or its name but for what it is, or is the only one; else nothing."""
    if name in fitting:
        return name
    alike = [other for other in fitting if _core(other) == _core(name)]
    if len(alike) == 1 and (_core(name) or alone):
        return alike[0]
    return fitting[0] if alone and len(fitting) == 1 else ""


def _core(name: str) -> str:
    """The name without what says that it is a log likelihood or a replicate: y of log_lik_y and y_rep."""
    return _PARTS.sub("", name).casefold()


def _shape(array: Any) -> str:
    return " x ".join(map(str, np.shape(array.values))) or "one number"


def _own_axes(array: Any) -> list[str]:
    return [str(axis) for axis in array.dims if str(axis) not in _AXES]


def size_of(array: Any, axis: str) -> int:
    """The length of an axis."""
    return int(np.shape(array.values)[[str(each) for each in array.dims].index(axis)])


def _aligned(content: Any, array: ArrayLike, axes: tuple[str, ...]) -> NDArray[Any] | None:
    """The content with its axes and labels in the order of the array's; None where it does not go with it.

    Axes go by their names where all are alike, else by their places.
    """
    own = [str(axis) for axis in content.dims]
    lead = [axis for axis in axes if axis in _AXES]
    rest = [axis for axis in own if axis not in _AXES]
    if set(own) == set(axes):
        order = list(axes)
    elif set(own) - set(rest) == set(lead) and len(own) == len(axes):
        order = [*lead, *rest]
        if any(axis in order and order.index(axis) != at for at, axis in enumerate(axes)):
            return None
    else:
        return None
    values = np.transpose(np.asarray(content.values), [own.index(axis) for axis in order])
    if values.shape != tuple(size_of(array, axis) for axis in axes):
        return None
    for place, (mine, other) in enumerate(zip(axes, order, strict=True)):
        if mine in _AXES:
            continue
        at = _order(labels_of(array, mine), labels_of(content, other))
        if at is None:
            return None
        values = np.take(values, at, axis=place) if len(at) else values
    return values


def along_labels(content: Any, array: ArrayLike, axes: tuple[str, ...]) -> NDArray[Any]:
    """Values of the axes, or of others of one length each, in the order of the array's labels where it is another."""
    values = np.asarray(content.values)
    for place, (mine, other) in enumerate(zip(axes, map(str, content.dims), strict=True)):
        if values.shape[place] == size_of(array, mine):
            at = _order(labels_of(array, mine), labels_of(content, other))
            values = np.take(values, at, axis=place) if at else values
    return values


def _order(labels: list[str], others: list[str]) -> list[int] | None:
    """The places of the labels among others; none to go by the places as they are, None where they are other labels."""
    numbers = [str(number) for number in range(len(labels))]
    if labels == others or not labels or not others or numbers in (labels, others):
        return []
    places = {label: at for at, label in enumerate(others)}
    if len(places) < len(others) or set(places) != set(labels):
        return None
    return [places[label] for label in labels]


def labels_of(array: ArrayLike, axis: str) -> list[str]:
    """The labels along an axis as text; none where it has none."""
    coordinate = getattr(array, "coords", {}).get(axis, None)
    values = None if coordinate is None else np.asarray(getattr(coordinate, "values", coordinate))
    if values is None or values.shape != (size_of(array, axis),):
        return []
    if values.dtype.kind == "M":
        return [moment(value) for value in values]
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values.tolist()]


def moment(value: np.datetime64) -> str:
    """A date, or a moment to the second, or finer where it has to be: the same for every unit it is stored in."""
    for unit in ("D", "s", "us"):
        if value.astype(f"datetime64[{unit}]") == value:
            return str(value.astype(f"datetime64[{unit}]"))
    return str(value)
