"""Encodings: how the values of an attribute become numbers for a method, fitted on the training cases alone.

DELVE's encodings and what is allowed for which nature (DELVE 1.1, as read in ``acdc.tcl`` and ``delveAttr.c``):

========= ========= ==========================================
nature    default   allowed
========= ========= ==========================================
angular   rectan    rectan, copy, ignore
binary    -1/+1     -1/+1, 0/1, copy, ignore
nominal   1-of-n    1-of-n, therm, 0-up, 1-up, copy, ignore
ordinal   therm     therm, 1-of-n, 0-up, 1-up, copy, ignore
integer   nm-abs    nm-abs, nm-sqr, copy, ignore
real      nm-abs    nm-abs, nm-sqr, copy, ignore
========= ========= ==========================================

Options are written behind the name, as in DELVE's prior files: ``passive=value`` (1-of-n, 0/1),
``scale=sqrt|linear|none`` (therm), ``unit=number`` (rectan: the length of a full turn), ``center=number`` (nm-abs,
nm-sqr: the reference point is the median or mean less this). The name may be left out to keep the default; a binary
attribute with a passive value is then coded 0/1.

Missing values are coded by a rule of ours, since DELVE has none: nm-abs, nm-sqr and copy of numbers take the training
median (nm-sqr: mean); 0-up, 1-up and copy of an enumeration take the training median of the codes; every other
encoding gives zeros. An attribute that is constant over the training cases is that constant everywhere.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import Fault

if TYPE_CHECKING:
    from benchbook.datasets import Attribute


@dataclass(frozen=True)
class Statistics:
    """Mean, standard deviation, median and average absolute deviation of one attribute, in its own unit."""

    mean: float
    deviation: float
    median: float
    absolute_deviation: float


def describe(values: NDArray[np.float64]) -> Statistics:
    r"""The statistics of ``values[n]``, with divisor n - 1 throughout.

    .. math:: s = \sqrt{\sum (x - \bar x)^2 / (n-1)}, \qquad a = \sum |x - m| / (n-1)

    with m the median (the mean of the two middle values for even n). For n = 1 both spreads are 0, for n = 0 all four
    are. Source: DELVE 1.1, ``delveStats.c``.
    """
    count = len(values)
    if count == 0:
        return Statistics(0.0, 0.0, 0.0, 0.0)
    mean, median, rest = float(values.mean()), float(np.median(values)), max(count - 1, 1)
    deviation = float(np.sqrt(np.square(values - mean).sum() / rest))
    return Statistics(mean, deviation, median, float(np.abs(values - median).sum() / rest))


LEGAL = {
    "angular": ("rectan", "copy", "ignore"),
    "binary": ("-1/+1", "0/1", "copy", "ignore"),
    "nominal": ("1-of-n", "therm", "0-up", "1-up", "copy", "ignore"),
    "ordinal": ("therm", "1-of-n", "0-up", "1-up", "copy", "ignore"),
    "integer": ("nm-abs", "nm-sqr", "copy", "ignore"),
    "real": ("nm-abs", "nm-sqr", "copy", "ignore"),
}
_ALIASES = {
    "binary-symmetric": "-1/+1",
    "binary-passive": "0/1",
    "zero-up": "0-up",
    "one-up": "1-up",
    "one-of-n": "1-of-n",
    "thermometer": "therm",
}
_OPTIONS = {
    "0/1": ("passive",),
    "1-of-n": ("passive",),
    "therm": ("scale",),
    "rectan": ("unit",),
    "nm-abs": ("center",),
    "nm-sqr": ("center",),
}
_THERMOMETER = {
    "sqrt": lambda n: 1 / np.sqrt(n - 1),
    "linear": lambda n: 1 / (n - 1),
    "none": lambda n: 1.0,
}


@dataclass(frozen=True)
class Coding:
    """The encoding chosen for one attribute, before any case was looked at.

    ``values`` holds the attribute's declared values in order, and is empty for numbers.
    """

    attribute: str
    nature: str
    method: str
    options: dict[str, str] = field(hash=False)
    values: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(
            [
                self.method,
                *(f"{key}={shlex.quote(value)}" for key, value in sorted(self.options.items())),
            ]
        )


@dataclass(frozen=True, eq=False)
class Fitted:
    """One attribute's encoding, fitted.

    Numbers become ``(x - centre) / scale``, angles ``sin`` and ``cos`` of ``2 pi x / unit``; values of an enumeration
    are looked up in ``table[n + 1, units]``, whose last line is for a missing value.
    """

    coding: Coding
    names: tuple[str, ...]
    centre: float = 0.0
    scale: float = 1.0
    constant: bool = False
    filling: float = 0.0
    unit: float = 1.0
    table: NDArray[np.float64] | None = None
    statistics: Statistics | None = None

    @property
    def units(self) -> int:
        """How many numbers code one value."""
        return len(self.names)

    def encode(self, column: NDArray) -> NDArray[np.float64]:
        """Code ``column[n]`` as ``[n, units]``: numbers with NaN for missing, or positions in ``values`` with -1."""
        if self.table is not None:
            return self.table[column]
        if self.coding.method == "ignore":
            return np.empty((len(column), 0))
        if self.constant:
            return np.full((len(column), 1), self.filling)
        missing = np.isnan(column)
        if self.coding.method == "rectan":
            angle = 2 * np.pi / self.unit * np.where(missing, 0.0, column)
            return np.where(missing[:, None], 0.0, np.column_stack([np.sin(angle), np.cos(angle)]))
        return ((np.where(missing, self.filling, column) - self.centre) / self.scale)[:, None]


def default_encoding(nature: str) -> str:
    """The encoding DELVE gives an attribute of that nature when nothing else is asked for."""
    return LEGAL[nature][0]


def coding(attribute: Attribute, text: str = "") -> tuple[Coding, list[Fault]]:
    """Read an encoding such as ``1-of-n passive=crew`` for one attribute, and list all that is wrong with it."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        words, broken = (
            [],
            [
                Fault(
                    f"encoding of {attribute.name!r}", repr(text), f"{error}; quotes come in pairs"
                )
            ],
        )
    else:
        broken = []
    named = words[:1] if words and "=" not in words[0] else []
    options = dict(word.partition("=")[::2] for word in words[len(named) :])
    if "centre" in options:
        options["center"] = options.pop("centre")
    method = named[0] if named else default_encoding(attribute.nature)
    method = _ALIASES.get(method, method)
    if not named and attribute.nature == "binary" and "passive" in options:
        method = "0/1"
    chosen = Coding(attribute.name, attribute.nature, method, options, declared_values(attribute))
    return chosen, broken + _faults(chosen)


def class_coding(attribute: Attribute) -> Coding:
    """The coding of a class target: its index from 0.

    In DELVE's words that is 0-up for a nominal or ordinal attribute, and 0/1 for a binary one whose first value is
    passive.
    """
    values = declared_values(attribute)
    if attribute.nature == "binary":
        return Coding(attribute.name, attribute.nature, "0/1", {"passive": values[0]}, values)
    return Coding(attribute.name, attribute.nature, "0-up", {}, values)


def declared_values(attribute: Attribute) -> tuple[str, ...]:
    """The values of a binary, nominal or ordinal attribute in their declared order; () for numbers."""
    return attribute.range if isinstance(attribute.range, tuple) else ()


def fit(chosen: Coding, column: NDArray) -> Fitted:
    """Fit an encoding on the training cases ``column[N]`` of its attribute, and on nothing else."""
    if chosen.values:
        return _fit_table(chosen, column)
    known = column[~np.isnan(column)]
    seen = describe(known) if chosen.nature in ("integer", "real") else None
    if chosen.method == "ignore":
        return Fitted(chosen, (), statistics=seen)
    if chosen.method == "rectan":
        names = (f"sin(k*{chosen.attribute})", f"cos(k*{chosen.attribute})")
        return Fitted(chosen, names, unit=float(chosen.options["unit"]))
    return _fit_number(chosen, known, seen or describe(known))


def _fit_number(chosen: Coding, known: NDArray, seen: Statistics) -> Fitted:
    name, keep = (chosen.attribute,), seen if chosen.nature in ("integer", "real") else None
    if chosen.method == "copy":
        return Fitted(chosen, name, filling=seen.median, statistics=keep)
    absolute = chosen.method == "nm-abs"
    centre, scale = (
        (seen.median, seen.absolute_deviation) if absolute else (seen.mean, seen.deviation)
    )
    if len(known) == 0 or known.min() == known.max() or scale == 0:
        return Fitted(chosen, name, constant=True, filling=seen.median, statistics=keep)
    shift = float(chosen.options.get("center", 0))
    return Fitted(chosen, name, centre - shift, scale, filling=centre, statistics=keep)


def _fit_table(chosen: Coding, column: NDArray) -> Fitted:
    name, count = chosen.attribute, len(chosen.values)
    if chosen.method == "ignore":
        return Fitted(chosen, (), table=np.empty((count + 1, 0)))
    if chosen.method in ("0-up", "1-up", "copy"):
        codes = (
            _copied(chosen.values)
            if chosen.method == "copy"
            else np.arange(count) + (chosen.method == "1-up")
        )
        known = codes[column[column >= 0]]
        return Fitted(
            chosen,
            (name,),
            table=np.append(codes, np.median(known) if len(known) else 0.0)[:, None],
        )
    names, table = _units(chosen)
    return Fitted(chosen, names, table=np.vstack([table, np.zeros(len(names))]))


def _units(chosen: Coding) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Names of the units and the codes ``table[n, units]`` of the declared values."""
    name, values, count = chosen.attribute, chosen.values, len(chosen.values)
    passive = chosen.options.get("passive")
    if chosen.method == "-1/+1":
        return (name,), np.array([[-1.0], [1.0]])
    if chosen.method == "0/1":
        return (name,), np.array([[float(value != passive)] for value in values])
    if chosen.method == "therm":
        size = float(_THERMOMETER[chosen.options.get("scale", "sqrt")](count))
        reached = np.arange(count)[:, None] >= np.arange(1, count)
        return tuple(f"{name}:{value}" for value in values[1:]), np.where(reached, size, -size)
    active = [value != passive for value in values]
    return tuple(f"{name}:{value}" for value in values if value != passive), np.eye(count)[
        :, active
    ]


def _copied(values: Sequence[str]) -> NDArray[np.float64]:
    return np.array([float(value) for value in values])


def _faults(chosen: Coding) -> list[Fault]:
    where, legal = f"encoding of {chosen.attribute!r}", LEGAL[chosen.nature]
    if chosen.method not in legal:
        return [
            Fault(
                where,
                repr(chosen.method),
                f"legal for a {chosen.nature} attribute: {', '.join(legal)}",
            )
        ]
    known = _OPTIONS.get(chosen.method, ())
    faults = [
        Fault(where, f"option {key!r}", f"options of {chosen.method}: {', '.join(known) or 'none'}")
        for key in chosen.options
        if key not in known
    ]
    return faults + _value_faults(chosen, where) + _option_faults(chosen, where)


def _value_faults(chosen: Coding, where: str) -> list[Fault]:
    count = len(chosen.values)
    if chosen.method in ("-1/+1", "0/1") and count != 2:
        return [Fault(where, f"{count} declared values", f"{chosen.method} needs two")]
    if chosen.method == "therm" and count < 2:
        return [Fault(where, f"{count} declared value", "therm needs at least two")]
    words = [value for value in chosen.values if not _is_number(value)]
    if chosen.method == "copy" and words:
        legal = ", ".join(other for other in LEGAL[chosen.nature] if other != "copy")
        return [
            Fault(
                where, f"the value {words[0]!r}", f"only numbers can be copied; use one of {legal}"
            )
        ]
    return []


def _option_faults(chosen: Coding, where: str) -> list[Fault]:
    options, faults = chosen.options, []
    if chosen.method == "0/1" and "passive" not in options:
        faults.append(
            Fault(where, "no passive value", "0/1 needs one, for example '0/1 passive=no'")
        )
    if "passive" in options and chosen.values and options["passive"] not in chosen.values:
        faults.append(
            Fault(where, f"passive={options['passive']}", f"one of {', '.join(chosen.values)}")
        )
    if options.get("scale", "sqrt") not in _THERMOMETER:
        faults.append(
            Fault(where, f"scale={options['scale']}", f"one of {', '.join(_THERMOMETER)}")
        )
    unit = options.get("unit", "")
    if chosen.method == "rectan" and not (_is_number(unit) and 0 < float(unit) < np.inf):
        faults.append(
            Fault(
                where,
                f"unit={unit}" if unit else "no unit",
                "rectan needs the length of a full turn, for example 'rectan unit=360'",
            )
        )
    if not _is_number(options.get("center", "0")):
        faults.append(Fault(where, f"center={options['center']}", "a number"))
    return faults


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
