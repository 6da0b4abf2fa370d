"""A representation: which attributes become which inputs and outputs, and the encoding of whole tables by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets.proben1.encoders import Encoder, Value, word
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
