"""A representation: which attributes become which inputs and outputs, the encoding of whole tables by it,
and representations of the same attributes otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets.proben1.encoders import (
    Both,
    Codes,
    Encoder,
    Filled,
    Flagged,
    Linear,
    Logarithm,
    Value,
    scale,
    word,
)
from benchbook.errors import Fault, FaultyInput

Columns = dict[str, Sequence[Value]]


@dataclass(frozen=True)
class EncodedAttribute:
    """One attribute with its encoder."""

    attribute: str
    encoder: Encoder

    def columns(self) -> tuple[str, ...]:
        """The name of each input: the attribute's and what the encoder adds."""
        return tuple(self.attribute + label for label in self.encoder.labels)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Cases as a network sees them: inputs [N, I] and targets [N, O], with the name and the kind of each column."""

    inputs: NDArray[np.float64]
    targets: NDArray[np.float64]
    input_names: tuple[str, ...]
    target_names: tuple[str, ...]
    input_kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.inputs)


@dataclass(frozen=True)
class Representation:
    """Inputs and outputs of a problem, in order."""

    inputs: tuple[EncodedAttribute, ...]
    outputs: tuple[EncodedAttribute, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes it needs, each once."""
        return tuple(dict.fromkeys(part.attribute for part in (*self.inputs, *self.outputs)))

    def encode(
        self, columns: Columns, where: str, place: Callable[[int], str] | None = None
    ) -> Encoded:
        """Encode a table.

        Args:
            columns: attribute -> its values, all of the same length.
            where: what the table is called, for messages.
            place: from the number of a case, from 0, to where it stands, such as a file and line.

        Raises:
            FaultyInput: attributes that the table lacks, no cases, values that an encoder refuses; all of them
                together.
        """
        known = f"it has {', '.join(columns) or 'none'}"
        faults = [
            Fault(where, f"no column {name!r}", known)
            for name in self.attributes
            if name not in columns
        ]
        if not faults and not len(columns[self.attributes[0]]):
            faults.append(Fault(where, "no cases", "a table has at least one"))
        if not faults:
            faults = self._value_faults(
                columns, place or (lambda case: f"{where}, case {case + 1}")
            )
        if faults:
            raise FaultyInput(f"{where} cannot be encoded", faults)
        inputs = np.hstack([part.encoder.encode(columns[part.attribute]) for part in self.inputs])
        targets = np.hstack([part.encoder.encode(columns[part.attribute]) for part in self.outputs])
        return Encoded(
            inputs,
            targets,
            names(self.inputs),
            names(self.outputs),
            tuple(kind for part in self.inputs for kind in part.encoder.kinds),
        )

    def _value_faults(self, columns: Columns, place: Callable[[int], str]) -> list[Fault]:
        faults = []
        for part in (*self.inputs, *self.outputs):
            values = columns[part.attribute]
            # Few attributes have many different values, and a rule is asked only once for each.
            broken = {value: rule for value in set(values) if (rule := part.encoder.rule(value))}
            faults += [
                (case, Fault(f"{place(case)}, {part.attribute}", repr(word(value)), broken[value]))
                for case, value in enumerate(values)
                if value in broken
            ]
        return [fault for _, fault in sorted(faults, key=lambda pair: pair[0])]


def names(parts: Sequence[EncodedAttribute]) -> tuple[str, ...]:
    """The names of the columns of some parts."""
    return tuple(name for part in parts for name in part.columns())


def coding(encoder: Encoder) -> str:
    """How an encoder codes, in a few words, such as ``1 of 3; an indicator when missing``."""
    if isinstance(encoder, Flagged):
        never = "" if encoder.alarm else ", which is never set"
        return f"{coding(encoder.inner)}; an indicator when missing{never}"
    if isinstance(encoder, Filled) and isinstance(encoder.inner, Flagged):
        code = " ".join(f"{value:g}" for value in encoder.code)
        return f"{coding(encoder.inner.inner)}; an indicator that is never set; {code} when missing"
    if isinstance(encoder, Filled):
        return f"{coding(encoder.inner)}; {' '.join(f'{value:g}' for value in encoder.code)} when missing"
    if isinstance(encoder, Both):
        return f"{coding(encoder.first)} and {coding(encoder.second)}"
    if isinstance(encoder, Logarithm):
        return f"log(1 + x) / {encoder.divisor:g}"
    if isinstance(encoder, Linear):
        return f"linear, {encoder.low:g} to {encoder.high:g} onto [{encoder.bottom:g}, {encoder.top:g}]"
    assert isinstance(encoder, Codes)
    return _codes(encoder)


def _codes(encoder: Codes) -> str:
    codes = list(encoder.table.values())
    if (
        all(sorted(code) == [0.0] * (len(code) - 1) + [1.0] for code in codes)
        and encoder.width == len(codes) > 1
    ):
        return f"1 of {len(codes)}"
    written = {
        word: " ".join(f"{value:.3g}" for value in code) for word, code in encoder.table.items()
    }
    return ", ".join(f"{word} as {code}" for word, code in written.items())


def as_numbers(representation: Representation) -> Representation:
    """Nominal attributes of more than two values as one number, their words counted through in the order they have.

    Only 1-of-m codes become numbers; indicators of missing values stay. Outputs stay as they are.
    """
    inputs = tuple(
        EncodedAttribute(part.attribute, _number(part.encoder)) for part in representation.inputs
    )
    return Representation(inputs, representation.outputs)


def _number(encoder: Encoder) -> Encoder:
    if isinstance(encoder, Flagged):
        return Flagged(_number(encoder.inner), alarm=encoder.alarm)
    if isinstance(encoder, Filled):
        inner = _number(encoder.inner)
        return Filled(
            inner, encoder.code if inner.width == encoder.inner.width else (0.0,) * inner.width
        )
    if isinstance(encoder, Codes) and len(encoder.table) > 2 and _one_of(encoder):
        return scale(list(encoder.table))
    return encoder


def _one_of(encoder: Codes) -> bool:
    codes = np.array(list(encoder.table.values()))
    return codes.shape[0] == codes.shape[1] and bool((codes == np.eye(len(codes))).all())


def without_indicators(representation: Representation, columns: Columns) -> Representation:
    """No inputs for missing values: what is missing gets the mean code of what is known.

    The means are taken over all cases of ``columns``, as PROBEN1 takes its scales over all cases.
    """
    return Representation(
        tuple(
            EncodedAttribute(part.attribute, _filled(part.encoder, columns[part.attribute]))
            for part in representation.inputs
        ),
        representation.outputs,
    )


def _filled(encoder: Encoder, values: Sequence[Value]) -> Encoder:
    if not isinstance(encoder, Flagged):
        return encoder
    known = [value for value in values if value is not None]
    means = encoder.inner.encode(known).mean(axis=0) if known else np.zeros(encoder.inner.width)
    return Filled(encoder.inner, tuple(means.tolist()))
