"""The encoding of a whole instance: inputs and target, with a description of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.tasks.encodings import Coding, Fitted

_STATISTICS = (
    ("mean", "mean"),
    ("stdDev", "deviation"),
    ("median", "median"),
    ("absDev", "absolute_deviation"),
)


@dataclass(frozen=True, eq=False)
class Encoding:
    """The fitted encodings of the inputs, in order, and of the target.

    A real target is ``z = (y - centre) / scale`` with ``target.centre`` and ``target.scale``; a class target is its
    index.
    """

    inputs: tuple[Fitted, ...]
    target: Fitted

    def encode(self, columns: Mapping[str, NDArray]) -> NDArray[np.float64]:
        """Code raw input columns (attribute -> [n]) as one matrix [n, d]."""
        return np.hstack(
            [fitted.encode(columns[fitted.coding.attribute]) for fitted in self.inputs]
        )

    def groups(self) -> tuple[tuple[str, slice], ...]:
        """(attribute, slice of its columns) for every input that has any."""
        ends = np.cumsum([fitted.units for fitted in self.inputs]).tolist()
        return tuple(
            (fitted.coding.attribute, slice(end - fitted.units, end))
            for fitted, end in zip(self.inputs, ends, strict=True)
            if fitted.units
        )

    def names(self) -> tuple[str, ...]:
        """A name for each of the d columns, as DELVE gives them."""
        return tuple(name for fitted in self.inputs for name in fitted.names)

    def rows(self) -> list[dict[str, Any]]:
        """One entry an attribute: attribute, role, nature, encoding, units, centre and scale.

        ``centre`` and ``scale`` are None where the encoding has none: enumerations, angles, constants.
        """
        return [*(_row(fitted, "input") for fitted in self.inputs), _row(self.target, "target")]

    def __str__(self) -> str:
        return coding_used(self) + normalization(self)


def _row(fitted: Fitted, role: str) -> dict[str, Any]:
    affine = fitted.coding.method in ("nm-abs", "nm-sqr") and not fitted.constant
    return {
        "attribute": fitted.coding.attribute,
        "role": role,
        "nature": fitted.coding.nature,
        "encoding": f"{fitted.coding} (constant)" if fitted.constant else str(fitted.coding),
        "units": fitted.units,
        "centre": fitted.centre if affine else None,
        "scale": fitted.scale if affine else None,
    }


def word(text: str) -> str:
    """One word of a Tcl list: put in braces when it is empty or holds blanks or characters Tcl would interpret."""
    plain = bool(text) and not any(letter.isspace() or letter in '{}[]"\\;$' for letter in text)
    return text if plain else "{" + text + "}"


def coding_line(coding: Coding) -> str:
    """An attribute's coding in DELVE's words: attribute, encoding, options."""
    return " ".join(
        [
            word(coding.attribute),
            coding.method,
            *(f"{key}={word(value)}" for key, value in sorted(coding.options.items())),
        ]
    )


def coding_used(encoding: Encoding) -> str:
    """The lines of DELVE's ``Coding-used``; inputs first, then the target."""
    return "".join(
        f"{coding_line(fitted.coding)}\n" for fitted in (*encoding.inputs, encoding.target)
    )


def normalization(encoding: Encoding) -> str:
    """The lines of DELVE's ``normalize.i``: mean, standard deviation, median and average absolute deviation of every
    integer and real attribute over the training cases."""
    lines = []
    for fitted in (*encoding.inputs, encoding.target):
        seen, name = fitted.statistics, word(fitted.coding.attribute)
        if seen is not None:
            lines += [
                f"normalization options {key} {name} {getattr(seen, field)!r}"
                for key, field in _STATISTICS
            ]
    return "".join(f"{line}\n" for line in lines)
