"""One run: a network trained on a partition until its rule stops it, and what the report prints about it."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchbook import kernels
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.methods.proben1.plain import outputs
from benchbook.methods.proben1.recipe import VARIANTS, Recipe
from benchbook.methods.proben1.stopping import Strip, Traces, generalisation_loss
from benchbook.methods.proben1.topology import Topology
from benchbook.methods.shared.threads import one_thread
from benchbook.tasks.partition import Partition, Portion


class RunFailed(BenchbookError):
    """A run whose training or validation error is no longer a finite number.

    ``partition`` is the name, ``epoch`` the last epoch of the strip, ``quantity`` which error it was.
    """

    def __init__(
        self, partition: str, topology: str, epoch: int, quantity: str, value: float
    ) -> None:
        self.partition, self.topology, self.epoch = partition, topology, epoch
        self.quantity, self.value = quantity, value
        super().__init__(
            f"partition {partition}, network {topology}: the {quantity} error is {value} in the strip "
            f"that ends with epoch {epoch}. Try smaller steps (Rprop's `first` and `most`) or targets"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.partition, self.topology, self.epoch, self.quantity, self.value)


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """One finished run.

    Errors are squared error percentages, ``wrong`` are percentages of cases classified wrongly (NaN when the outputs
    are no classes). ``training_error`` and ``validation_error`` are the least ones reached; ``test_error``, both
    ``wrong`` and ``weights`` belong to the state of least validation error, reached after ``relevant_epochs``.
    ``overfit`` is GL at the end in per cent. ``traversals`` counts connection traversals: for each epoch a forward and
    a backward pass over the training cases and one update of each weight, for each strip a forward pass over the
    validation cases; the test error of every strip is only for the traces and counts for nothing. Where the partition
    has no test targets, both test errors and their trace are NaN.
    """

    partition: str
    topology: Topology
    recipe: Recipe
    traces: Traces
    weights: np.ndarray
    stopped_by: str
    training_error: float
    validation_error: float
    test_error: float
    validation_wrong: float
    test_wrong: float
    overfit: float
    total_epochs: int
    relevant_epochs: int
    traversals: int
    cpu_seconds: float

    def describe(self) -> dict[str, Any]:
        """The run as plain values, without traces and weights."""
        names = (
            "training_error",
            "validation_error",
            "test_error",
            "validation_wrong",
            "test_wrong",
            "overfit",
            "total_epochs",
            "relevant_epochs",
            "traversals",
            "cpu_seconds",
            "stopped_by",
        )
        return {
            "partition": self.partition,
            "topology": self.topology.notation,
            "shortcuts": self.topology.shortcuts,
            **{name: getattr(self, name) for name in names},
        }


def squared_error_percentage(
    outputs: np.ndarray, targets: np.ndarray, output_range: float = 1.0
) -> float:
    """E = 100 r / (N P) sum_p sum_i (o_pi - t_pi)^2, for outputs and targets [P, N] and r = o_max - o_min.

    The report scales the squared error with the range to the first power; in its tables r is 1. (PROBEN1, section 2.6.)
    """
    return 100.0 * output_range * float(np.mean((outputs - targets) ** 2))


def wrong_percentage(outputs: np.ndarray, targets: np.ndarray) -> float:
    """Per cent of cases [P, N] whose largest output is not where the largest target is (winner takes all); of equal
    outputs the first wins."""
    return 100.0 * float(np.mean(np.argmax(outputs, axis=1) != np.argmax(targets, axis=1)))


def train(
    partition: Partition, topology: Topology, recipe: Recipe, rng: np.random.Generator
) -> TrainingRun:
    """Train one network until the recipe's rule is met, or its most epochs are done.

    Args:
        partition: the cases.
        topology: a network with as many inputs and outputs.
        recipe: ``RESULT_RUNS``, ``SEARCH_RUNS``, ``PIVOT_RUNS`` or one's own.
        rng: draws the P first weights, then the P first steps; nothing else is random.

    Raises:
        FaultyInput: the topology does not fit the partition.
        RunFailed: an error is no longer a finite number.
    """
    return train_many(partition, topology, recipe, [rng])[0]


def train_many(
    partition: Partition, topology: Topology, recipe: Recipe, rngs: Iterable[np.random.Generator]
) -> list[TrainingRun]:
    """A run for each generator, as ``train`` does them, preparing the cases only once."""
    prepared = prepare(partition, topology)
    with one_thread():
        return [train_prepared(prepared, recipe, rng) for rng in rngs]


class Prepared(NamedTuple):
    """A partition as the kernels take it for one topology. Only one thread at a time may train on it."""

    partition: Partition
    topology: Topology
    layers: np.ndarray
    training: object
    validation: object
    test: ArrayLike
    scratch: object


def prepare(partition: Partition, topology: Topology) -> Prepared:
    """Prepare the cases for any number of runs.

    Raises:
        FaultyInput: the topology does not fit the partition.
    """
    actual, wanted = (topology.inputs, topology.outputs), (partition.inputs, partition.outputs)
    if actual != wanted:
        raise FaultyInput(
            "topology",
            [
                Fault(
                    topology.notation,
                    f"{actual[0]} inputs and {actual[1]} outputs",
                    f"partition {partition.name} has {wanted[0]} and {wanted[1]}",
                )
            ],
        )
    return _prepare(partition, topology)


def train_prepared(prepared: Prepared, recipe: Recipe, rng: np.random.Generator) -> TrainingRun:
    """A run as ``train`` does it, on cases that are prepared; libraries keep the threads they have."""
    _compiled()
    return _run(prepared, recipe, rng)


def _prepare(partition: Partition, topology: Topology) -> Prepared:
    layers = kernels.feedforward.plan(topology.sizes, topology.shortcuts)
    training, validation = (
        kernels.feedforward.in_blocks(*part, layers)
        for part in (partition.training, partition.validation)
    )
    if partition.sealed:
        none = np.empty((0, partition.inputs)), np.empty((0, partition.outputs))
        test = kernels.feedforward.in_blocks(*none, layers, size=training.units.shape[2])
    else:
        test = kernels.feedforward.in_blocks(*partition.test, layers)
    return Prepared(
        partition,
        topology,
        layers,
        training,
        validation,
        test,
        kernels.feedforward.scratch(layers, training.units.shape[2]),
    )


def _run(prepared: Prepared, recipe: Recipe, rng: np.random.Generator) -> TrainingRun:
    partition, topology = prepared.partition, prepared.topology
    weights, steps = recipe.rprop.begin(topology.connections, rng)
    state, constants = _memory(recipe, steps)
    scales = [
        100.0 * recipe.output_range / part.targets.size if part.targets.size else np.nan
        for part in (partition.training, partition.validation, partition.test)
    ]
    training, validation, test = np.empty(recipe.most_epochs), [], []
    see, best, chosen, met = recipe.rule.watch(), np.inf, weights.copy(), ""
    begin = time.process_time()
    for epoch in range(recipe.strip, recipe.most_epochs + 1, recipe.strip):
        errors = training[epoch - recipe.strip : epoch]
        after = kernels.rprop.strip(
            weights,
            prepared.layers,
            topology.sigmoid_outputs,
            prepared.training,
            prepared.validation,
            prepared.test,
            state,
            constants,
            prepared.scratch,
            errors,
        )
        errors *= scales[0]
        validation.append(after[0] * scales[1])
        test.append(after[1] * scales[2])
        _refuse_infinite(partition.name, topology.notation, epoch, errors, validation[-1])
        if validation[-1] < best:
            best, chosen[:] = validation[-1], weights
        if met := see(Strip(epoch, errors, validation[-1])):
            break
    seconds = time.process_time() - begin
    traces = Traces(recipe.strip, training[:epoch].copy(), np.array(validation), np.array(test))
    return _result(partition, topology, recipe, traces, chosen, met or "most epochs", seconds)


def _memory(recipe: Recipe, steps: np.ndarray) -> tuple[Any, Any]:
    """Rprop's state before the first epoch, and its constants, for the kernels."""
    settings = recipe.rprop
    slope, signs, moves = (np.zeros_like(steps) for _ in range(3))
    state = kernels.rprop.RpropState(slope, signs, steps, moves, np.full(1, np.inf))
    return state, kernels.rprop.Constants(
        settings.up, settings.down, settings.least, settings.most, VARIANTS.index(settings.variant)
    )


def _refuse_infinite(
    partition: str, topology: str, epoch: int, training: np.ndarray, validation: float
) -> None:
    for quantity, values in (("training", training), ("validation", np.array([validation]))):
        if not np.isfinite(values).all():
            raise RunFailed(
                partition, topology, epoch, quantity, float(values[~np.isfinite(values)][0])
            )


def _result(
    partition: Partition,
    topology: Topology,
    recipe: Recipe,
    traces: Traces,
    weights: np.ndarray,
    met: str,
    seconds: float,
) -> TrainingRun:
    best, strips, last = traces.best, len(traces.validation), float(traces.validation[-1])
    epochs, connections = strips * traces.strip, topology.connections
    passes = epochs * (2 * len(partition.training.inputs) + 1) + strips * len(
        partition.validation.inputs
    )
    least = float(traces.validation[best])
    wrong = [
        _wrong(partition, part, topology, weights)
        for part in (partition.validation, partition.test)
    ]
    return TrainingRun(
        partition=partition.name,
        topology=topology,
        recipe=recipe,
        traces=traces,
        weights=weights,
        stopped_by=met,
        training_error=float(traces.training.min()),
        validation_error=least,
        test_error=float(traces.test[best]),
        validation_wrong=wrong[0],
        test_wrong=wrong[1],
        overfit=generalisation_loss(last, least),
        total_epochs=epochs,
        relevant_epochs=(best + 1) * traces.strip,
        traversals=passes * connections,
        cpu_seconds=seconds,
    )


def _wrong(partition: Partition, part: Portion, topology: Topology, weights: np.ndarray) -> float:
    if not partition.classification or not part.targets.size:
        return float("nan")
    return wrong_percentage(outputs(topology, weights, part.inputs), part.targets)


@functools.cache
def _compiled() -> None:
    """Compile the kernels, or load them, before the clock of a run starts."""
    portion = Portion(np.zeros((1, 1)), np.zeros((1, 1)))
    partition = Partition("none", portion, portion, portion, False)
    topology = Topology(1, (), 1)
    recipe = Recipe(strip=1, most_epochs=1)
    _run(_prepare(partition, topology), recipe, np.random.default_rng(0))
