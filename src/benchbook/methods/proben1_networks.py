"""PROBEN1's networks as methods for its partitions: linear, pivot, without shortcuts, and the architecture search.

Each is trained by Rprop on the training cases, stopped by the validation cases, and answers with the outputs of the
state of least validation error. The costs are what ``proben1.Run`` says of a run, without the test errors, which are
the scorer's.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError
from benchbook.methods.base import FunctionMethod, Returned, method
from benchbook.methods.proben1 import PIVOT_RUNS, RESULT_RUNS, SEARCH_RUNS, Recipe, Topology, plain
from benchbook.methods.proben1.training import Prepared, prepare, train_prepared

if TYPE_CHECKING:
    import numpy as np

    from benchbook.tasks import PartitionInstance, TaskInstance

SEARCHED = ("2", "4", "8", "16", "24", "32", "2+2", "4+2", "4+4", "8+4", "8+8", "16+8")
"""The hidden layers of the architecture search, each with linear and with sigmoid outputs."""

SEARCHED_RUNS = 36
"""Runs of a search: two of each architecture with linear outputs, one with sigmoid outputs."""

OUR_PIVOTS = {"sklearn-cancer": "4+2l", "sklearn-diabetes": "4+2l", "sklearn-digits": "16+8l", "sklearn-iris": "4l",
              "sklearn-wine": "4l"}
OTHER_PIVOT = "8+4l"
"""Pivot architectures of the stand-ins, and of data that neither Table 7 nor we have one for: chosen by us."""

_KEPT = 16
_local = threading.local()


def pivot_notation(partition: str) -> str:
    """The pivot architecture of a partition by name: Table 7's for PROBEN1's, whatever the order, and else ours."""
    from benchbook.datasets.printed import pivots

    dataset = partition.rstrip("abcdef")
    return pivots().get(dataset) or OUR_PIVOTS.get(dataset[:-1], OTHER_PIVOT)


def searched_notation(number: int) -> str:
    """The architecture of run ``number``, from 0, of the search: the twelve with linear outputs, these once more, and
    the twelve with sigmoid outputs; then from the beginning."""
    turn, place = divmod(number % SEARCHED_RUNS, len(SEARCHED))
    return f"{SEARCHED[place]}{'lls'[turn]}"


def _network(name: str, description: str, notation: Callable[[PartitionInstance], str], recipe: Recipe,
             shortcuts: bool = True) -> FunctionMethod:
    """A method that trains one network, of the architecture that ``notation`` says."""

    @method(name=name, description=description, kinds={"outputs"})
    def train_network(instance: TaskInstance, rng: np.random.Generator) -> Returned:
        """A network trained by Rprop on a partition's training cases and stopped by its validation cases."""
        from benchbook.predictive import Outputs

        given = partition_of(instance)
        partition = given.partition
        topology = Topology.parse(notation(given), partition.inputs, partition.outputs, shortcuts)
        run = train_prepared(_prepared(given, topology), recipe, rng)
        said = _cost(run.describe())
        if partition.absent_classes:
            said["absent_classes"] = list(partition.absent_classes)
        return Outputs(plain.outputs(topology, run.weights, given.test_inputs)), said

    return train_network


def partition_of(instance: TaskInstance) -> PartitionInstance:
    """The instance, when it is a run on a partition.

    Raises:
        BenchbookError: it is one of another kind of task.
    """
    from benchbook.tasks import PartitionInstance

    if not isinstance(instance, PartitionInstance):
        raise BenchbookError(f"{instance.name} is no run on a partition, so there are no validation cases to stop by; "
                             "see `benchbook tasks list '*/partition'`")
    return instance


def _cost(said: dict[str, Any]) -> dict[str, Any]:
    """What a run says of itself, without what it has not: test errors, wrong classes of approximations."""
    return {key: value for key, value in said.items()
            if key != "partition" and not (isinstance(value, float) and math.isnan(value))}


def _prepared(instance: PartitionInstance, topology: Topology) -> Prepared:
    """The instance's cases for that topology; the last ones are kept, for each thread its own."""
    if not instance.digest:
        return prepare(instance.partition, topology)
    kept: dict[tuple[str, Topology], Prepared] = _local.__dict__.setdefault("kept", {})
    key = instance.digest, topology
    if key not in kept:
        if len(kept) >= _KEPT:
            del kept[next(iter(kept))]
        kept[key] = prepare(instance.partition, topology)
    return kept[key]


def _pivot(instance: PartitionInstance) -> str:
    return pivot_notation(instance.partition.name)


linear = _network("proben1-linear", "PROBEN1's linear network: Rprop, early stopping by GL_5", lambda _: "0l",
                  RESULT_RUNS)
pivot = _network(
    "proben1-pivot", "PROBEN1's pivot architecture (Table 7; ours for other data) with all shortcuts, trained with the "
    "constants that agree with its tables", _pivot, PIVOT_RUNS)
pivot_text = _network(
    "proben1-pivot-text", "PROBEN1's pivot architecture with all shortcuts, trained with the constants of the report's "
    "text", _pivot, RESULT_RUNS)
noshort = _network(
    "proben1-noshort", "the hidden layers of PROBEN1's pivot architecture without shortcuts, trained as proben1-pivot",
    _pivot, PIVOT_RUNS, shortcuts=False)
search = _network(
    "proben1-search", "PROBEN1's architecture search: each of its 36 runs trains its own of 24 architectures, all "
    "shortcuts", lambda instance: searched_notation(instance.number), SEARCH_RUNS)
