"""The shape of a network: layers, connections, and what each number of its weight vector is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from benchbook.errors import Fault, FaultyInput

_NOTATION = re.compile(r"(\d+(?:\+\d+)*)?([ls])?")


class Layer(NamedTuple):
    """The weights into one layer of n units: biases [n], and by the layer they come from, matrices [n, its units].

    Layers are counted from 0, the inputs.
    """

    biases: np.ndarray
    weights: dict[int, np.ndarray]


@dataclass(frozen=True)
class Topology:
    """A layered feed-forward network.

    With all shortcuts every layer feeds every later one, the inputs the outputs too; without, only the next. Hidden
    units are x / (1 + |x|), output units linear or the same sigmoid. All units but the inputs have a bias. No hidden
    layer makes a linear network (or, with sigmoid outputs, one layer of sigmoid units).

    Raises:
        FaultyInput: a layer without units.
    """

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    shortcuts: bool = True
    sigmoid_outputs: bool = False

    def __post_init__(self) -> None:
        faults = [
            Fault(
                f"layer {number} of {'-'.join(map(str, self.sizes))}",
                f"{width} units",
                "at least one",
            )
            for number, width in enumerate(self.sizes)
            if width < 1
        ]
        if faults:
            raise FaultyInput("topology", faults)

    @classmethod
    def parse(cls, text: str, inputs: int, outputs: int, shortcuts: bool = True) -> Topology:
        """A topology in the report's notation.

        Args:
            text: hidden layers and the kind of output units, such as ``16+8l``, ``32+0s`` or ``4``; ``0`` or nothing
                for a linear network. Layers of 0 units are left out; without a letter the outputs are linear.
            inputs, outputs: units at both ends.
            shortcuts: all or none.

        Raises:
            FaultyInput: a text that is not of that form.
        """
        match = _NOTATION.fullmatch(text.strip())
        if not match:
            raise FaultyInput(
                "topology", [Fault("notation", repr(text), "it looks like 16+8l, 32+0s or 4")]
            )
        hidden = tuple(int(width) for width in (match[1] or "").split("+") if width and int(width))
        return cls(inputs, hidden, outputs, shortcuts, match[2] == "s")

    @property
    def notation(self) -> str:
        """The report's notation: ``16+8l``; ``0l`` for a linear network."""
        return ("+".join(map(str, self.hidden)) or "0") + ("s" if self.sigmoid_outputs else "l")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units of all layers, from the inputs to the outputs."""
        return (self.inputs, *self.hidden, self.outputs)

    def feeding(self, layer: int) -> range:
        """The layers that feed a layer, counted from 0, the inputs."""
        return range(layer) if self.shortcuts else range(layer - 1, layer)

    @cached_property
    def connections(self) -> int:
        """P, the number of weights, biases included: the report's w."""
        return sum(
            width * (1 + sum(self.sizes[source] for source in self.feeding(layer)))
            for layer, width in enumerate(self.sizes)
            if layer
        )

    def split(self, weights: np.ndarray) -> list[Layer]:
        """The weight vector [P] taken apart, one ``Layer`` for each layer but the inputs; all are views.

        The vector goes layer by layer, in a layer unit by unit, and for a unit from the bias over the layers that feed
        it in their order (``kernels.feedforward``).
        """
        parts, start = [], 0
        for layer, width in enumerate(self.sizes[1:], start=1):
            widths = [self.sizes[source] for source in self.feeding(layer)]
            end = start + width * (1 + sum(widths))
            columns = np.split(
                weights[start:end].reshape(width, -1), np.cumsum([1, *widths[:-1]]), axis=1
            )
            parts.append(
                Layer(columns[0][:, 0], dict(zip(self.feeding(layer), columns[1:], strict=True)))
            )
            start = end
        return parts
