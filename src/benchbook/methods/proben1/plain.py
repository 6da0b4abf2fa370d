"""The plain twins of ``kernels.feedforward`` and ``kernels.rprop``: the formulas, as short as they are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from benchbook.methods.proben1.recipe import Rprop
from benchbook.methods.proben1.topology import Topology


def units(topology: Topology, weights: np.ndarray, inputs: np.ndarray) -> list[np.ndarray]:
    """The values of all layers, [N, its units] each, from the inputs to the outputs."""
    values = [inputs]
    for number, layer in enumerate(topology.split(weights), start=1):
        total = layer.biases + sum(
            values[source] @ matrix.T for source, matrix in layer.weights.items()
        )
        linear = number == len(topology.sizes) - 1 and not topology.sigmoid_outputs
        values.append(total if linear else total / (1.0 + np.abs(total)))
    return values


def outputs(topology: Topology, weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The outputs [N, O] for inputs [N, I]; the plain twin of ``kernels.feedforward.forward``."""
    return units(topology, weights, inputs)[-1]


def gradient(
    topology: Topology, weights: np.ndarray, inputs: np.ndarray, targets: np.ndarray
) -> tuple[float, np.ndarray]:
    """E = sum (y - t)^2 and half its gradient [P]; the plain twin of ``kernels.feedforward.gradient``."""
    values = units(topology, weights, inputs)
    layers = topology.split(weights)
    residuals = values[-1] - targets
    back = [np.zeros_like(value) for value in values]
    back[-1] = residuals
    slopes = np.empty_like(weights)
    into = topology.split(slopes)
    for number in range(len(layers), 0, -1):
        linear = number == len(layers) and not topology.sigmoid_outputs
        delta = back[number] if linear else back[number] * (1.0 - np.abs(values[number])) ** 2
        into[number - 1].biases[:] = delta.sum(axis=0)
        for source, matrix in layers[number - 1].weights.items():
            into[number - 1].weights[source][:] = delta.T @ values[source]
            back[source] = back[source] + delta @ matrix
    return float(np.sum(residuals**2)), slopes


@dataclass
class Memory:
    """What Rprop remembers: the steps [P] it begins with; last slopes and moves [P], 0 at first; the last error."""

    steps: np.ndarray
    slopes: np.ndarray = field(init=False)
    moves: np.ndarray = field(init=False)
    error: float = np.inf

    def __post_init__(self) -> None:
        self.slopes, self.moves = np.zeros_like(self.steps), np.zeros_like(self.steps)


def step(
    weights: np.ndarray, slopes: np.ndarray, error: float, memory: Memory, rprop: Rprop
) -> np.ndarray:
    """The weights after one step of Rprop, weight by weight; the plain twin of ``kernels.rprop.update``.

    Args:
        weights, slopes: [P], and dE/dw there up to a positive factor.
        error: E there.
        memory: changed in place.
        rprop: the constants and the variant.
    """
    after = weights.copy()
    for k, slope in enumerate(slopes):
        agree, retained = np.sign(slope) * np.sign(memory.slopes[k]), slope
        if agree > 0:
            memory.steps[k] = min(memory.steps[k] * rprop.up, rprop.most)
        elif agree < 0:
            memory.steps[k] = max(memory.steps[k] * rprop.down, rprop.least)
        move = -np.sign(slope) * memory.steps[k]
        if agree < 0 and rprop.variant != "rprop-":
            undone = rprop.variant == "rprop+" or (
                rprop.variant == "irprop+" and error > memory.error
            )
            move, retained = (-memory.moves[k] if undone else 0.0), 0.0
        memory.slopes[k], memory.moves[k] = retained, move
        after[k] += move
    memory.error = error
    return after
