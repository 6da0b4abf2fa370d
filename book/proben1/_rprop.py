"""Rprop from close by: the steps of single weights, what happens at a turn, and races with gradient descent."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import polars as pl

from benchbook.methods.proben1 import (
    PIVOT_RUNS,
    VARIANTS,
    AnyOf,
    Partition,
    Rprop,
    Topology,
    plain,
    train_many,
)

Slopes: TypeAlias = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""From weights [P] to the error there and its gradient [P], up to a positive factor."""


@dataclass(frozen=True)
class Path:
    """What Rprop did: weights [T + 1, P] from the start on, steps [T, P] after each epoch, errors [T] before it."""

    weights: np.ndarray
    steps: np.ndarray
    errors: np.ndarray


def follow(
    slopes: Slopes, weights: np.ndarray, steps: np.ndarray, rprop: Rprop, epochs: int
) -> Path:
    """Let the plain Rprop walk on any error.

    Args:
        slopes: the error and its gradient.
        weights, steps: [P], to begin with; they are not changed.
        rprop: the constants and the variant.
        epochs: T.
    """
    memory = plain.Memory(steps.astype(float))
    visited, lengths, errors = [weights.astype(float)], [], []
    for _ in range(epochs):
        error, slope = slopes(visited[-1])
        visited.append(plain.step(visited[-1], slope, error, memory, rprop))
        lengths.append(memory.steps.copy())
        errors.append(error)
    return Path(np.array(visited), np.array(lengths), np.array(errors))


def of_network(partition: Partition, topology: Topology) -> Slopes:
    """E = sum (y - t)^2 over the training cases, and half its gradient, as a function of the weights."""
    return lambda weights: plain.gradient(topology, weights, *partition.training)


def transformed(
    slopes: Slopes, outer: Callable[[float], float], derivative: Callable[[float], float]
) -> Slopes:
    """The error f(E) in place of E, with the gradient f'(E) dE/dw; for a rising f the signs stay."""

    def both(weights: np.ndarray) -> tuple[float, np.ndarray]:
        error, slope = slopes(weights)
        return outer(error), derivative(error) * slope

    return both


def step_sizes(path: Path, topology: Topology, count: int = 20) -> pl.DataFrame:
    """The steps of some weights, evenly spaced in the weight vector: weight (its place), into (layer), epoch, step."""
    places = np.linspace(0, topology.connections - 1, count).round().astype(int)
    into = _layers(topology)
    epochs = np.arange(1, len(path.steps) + 1)
    return pl.concat(
        [
            pl.DataFrame(
                {
                    "weight": [int(place)] * len(epochs),
                    "into": [into[place]] * len(epochs),
                    "epoch": epochs,
                    "step": path.steps[:, place],
                }
            )
            for place in places
        ]
    )


def _layers(topology: Topology) -> list[str]:
    """The name of the layer that each weight leads into."""
    marks = np.zeros(topology.connections)
    for number, layer in enumerate(topology.split(marks)):
        for part in (layer.biases, *layer.weights.values()):
            part[:] = number
    names = [*(f"hidden layer {k}" for k in range(1, len(topology.hidden) + 1)), "outputs"]
    return [names[int(mark)] for mark in marks]


def turns(variants: Sequence[str] = VARIANTS, epochs: int = 16, goal: float = 1.2) -> pl.DataFrame:
    """One weight in the valley E = (w - goal)^2, from w = 0 with a step of 0.1, under each variant.

    Returns:
        variant, epoch (from 0, the start), weight, event: "start", "goes on", and at a change of sign "turns round",
        "goes back" or "stays".
    """
    tables = []
    for variant in variants:
        path = follow(
            lambda w: (float((w[0] - goal) ** 2), w - goal),
            np.zeros(1),
            np.array([0.1]),
            Rprop(variant=variant),
            epochs,
        )
        weights = path.weights[:, 0]
        tables.append(
            pl.DataFrame(
                {
                    "variant": [variant] * (epochs + 1),
                    "epoch": np.arange(epochs + 1),
                    "weight": weights,
                    "event": _events(weights, path.steps[:, 0]),
                }
            )
        )
    return pl.concat(tables)


def _events(weights: np.ndarray, steps: np.ndarray) -> list[str]:
    """What happened in each epoch, told by the moves alone: the step shrinks when the slope has changed its sign."""
    moves = np.diff(weights)
    events = ["start", "goes on"]
    for k in range(1, len(moves)):
        if steps[k] >= steps[k - 1]:
            events.append("goes on")
        elif moves[k] == 0.0:
            events.append("stays")
        else:
            events.append("goes back" if np.isclose(moves[k], -moves[k - 1]) else "turns round")
    return events


def train_variants(
    partition: Partition,
    topology: Topology,
    rngs: Sequence[np.random.Generator],
    epochs: int,
    variants: Sequence[str] = VARIANTS,
) -> dict[str, np.ndarray]:
    """Training errors [runs, epochs] of every variant, all from the same starts (the constants of ``PIVOT_RUNS``).

    The generators are copied, so that they can begin other trainings at the same starts.
    """
    recipe = replace(PIVOT_RUNS, rule=AnyOf(()), most_epochs=epochs)
    return {
        variant: np.array(
            [
                run.traces.training
                for run in train_many(
                    partition,
                    topology,
                    replace(recipe, rprop=replace(recipe.rprop, variant=variant)),
                    deepcopy(list(rngs)),
                )
            ]
        )
        for variant in variants
    }


def descend(
    partition: Partition,
    topology: Topology,
    rngs: Sequence[np.random.Generator],
    step: float,
    epochs: int,
    *,
    momentum: float = 0.0,
    scale: float = 1.0,
) -> np.ndarray:
    """Training errors [runs, epochs] of gradient descent on the mean squared error, from the starts of Rprop.

        v <- momentum v - step g,      w <- w + v,      g = scale dE/dw,  E the squared error per case and output

    Args:
        partition, topology: as for ``train_many``.
        rngs: copies of them draw the first weights, as in ``PIVOT_RUNS``.
        step: its size.
        epochs: T.
        momentum: 0 for plain descent.
        scale: a factor of the error that is descended; the errors returned are without it.

    Returns:
        Squared error percentages; infinite from where a run has left all bounds.
    """
    from benchbook.kernels import feedforward

    layers = feedforward.plan(topology.sizes, topology.shortcuts)
    cases = feedforward.in_blocks(*partition.training, layers)
    scratch = feedforward.scratch(layers, cases.units.shape[2])
    size, found = partition.training.targets.size, []
    for rng in deepcopy(list(rngs)):
        weights, _ = PIVOT_RUNS.rprop.begin(topology.connections, rng)
        slope, move, errors = (
            np.empty_like(weights),
            np.zeros_like(weights),
            np.full(epochs, np.inf),
        )
        for epoch in range(epochs):
            error = feedforward.gradient(
                weights, layers, topology.sigmoid_outputs, cases, slope, scratch
            )
            if not error < 1e6 * size:
                break
            errors[epoch] = 100.0 * error / size
            move = momentum * move - (2.0 * scale * step / size) * slope
            weights = weights + move
        found.append(errors)
    return np.array(found)


def epochs_to(errors: np.ndarray, goal: float) -> np.ndarray:
    """The first epoch at which the training error [runs, epochs] is below a goal, [runs]; infinite when it never is."""
    below = errors < goal
    return np.where(below.any(axis=1), below.argmax(axis=1) + 1.0, np.inf)


def linear_fit(partition: Partition) -> float:
    """The squared error percentage of least squares on the training cases, with a bias for each output."""
    inputs, targets = partition.training
    design = np.column_stack([np.ones(len(inputs)), inputs])
    weights = np.linalg.lstsq(design, targets, rcond=None)[0]
    return 100.0 * float(np.mean((design @ weights - targets) ** 2))


def race(errors: Mapping[str, np.ndarray], goals: Mapping[str, float]) -> pl.DataFrame:
    """Median and largest number of epochs to each goal: method, goal, median, largest, reached (share of runs)."""
    lines = []
    for method, traces in errors.items():
        for name, goal in goals.items():
            needed = epochs_to(traces, goal)
            lines.append(
                {
                    "method": method,
                    "goal": name,
                    "median": float(np.median(needed)),
                    "largest": float(needed.max()),
                    "reached": float(np.isfinite(needed).mean()),
                }
            )
    return pl.DataFrame(lines)


def middle_curves(errors: Mapping[str, np.ndarray], points: int = 60) -> pl.DataFrame:
    """The median training error over the runs, at epochs evenly spaced on a log scale: method, epoch, error."""
    tables = []
    for method, traces in errors.items():
        at = np.unique(np.geomspace(1, traces.shape[1], points).round().astype(int))
        tables.append(
            pl.DataFrame(
                {
                    "method": [method] * len(at),
                    "epoch": at,
                    "error": np.median(traces[:, at - 1], axis=0),
                }
            )
        )
    return pl.concat(tables).filter(pl.col("error").is_finite())
