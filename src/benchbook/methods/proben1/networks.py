"""PROBEN1's networks as methods for its partitions: linear, pivot, without shortcuts, and the architecture search.

Each is trained by Rprop on the training cases, stopped by the validation cases, and answers with the outputs of the
state of least validation error. The costs are what ``proben1.Run`` says of a run, without the test errors, which are
the scorer's.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchbook import datasets
from benchbook.datasets.printed import pivots
from benchbook.errors import BenchbookError
from benchbook.methods.base import FunctionMethod, Returned, method
from benchbook.methods.proben1 import (
    PIVOT_RUNS,
    RESULT_RUNS,
    SEARCH_RUNS,
    SEARCH_TABLES_RUNS,
    Recipe,
    Topology,
    plain,
)
from benchbook.methods.proben1.training import Prepared, prepare, train_prepared
from benchbook.methods.settings import setting
from benchbook.methods.works import PROBEN1
from benchbook.predictive import Outputs
from benchbook.tasks import PartitionInstance
from benchbook.tasks.partitions import dataset_of

if TYPE_CHECKING:
    import numpy as np

    from benchbook.tasks import TaskInstance

SEARCHED = ("2", "4", "8", "16", "24", "32", "2+2", "4+2", "4+4", "8+4", "8+8", "16+8")
"""The hidden layers of the architecture search, each with linear and with sigmoid outputs."""

SEARCHED_RUNS = 36
"""Runs of a search: two of each architecture with linear outputs, one with sigmoid outputs."""

OUR_PIVOTS = {
    "sklearn-cancer": "4+2l",
    "sklearn-diabetes": "4+2l",
    "sklearn-digits": "16+8l",
    "sklearn-iris": "4l",
    "sklearn-wine": "4l",
}
OTHER_PIVOT = "8+4l"
"""Pivot architectures of the stand-ins, and of data that neither Table 7 nor we have one for: chosen by us."""

_KEPT = 16
_local = threading.local()


def pivot_notation(partition: str) -> str:
    """The pivot architecture of a partition by name: Table 7's for PROBEN1's, whatever the order, and else ours."""
    dataset = partition.rstrip("abcdef")
    return pivots().get(dataset) or OUR_PIVOTS.get(dataset[:-1], OTHER_PIVOT)


def network_of(partition: str, notation: str) -> Topology:
    """The network of a notation such as ``16+8l``, with as many inputs and outputs as a partition (``cancer1``) has."""
    card = datasets.card(dataset_of(partition)[0])
    outputs = len(card.targets)
    return Topology.parse(notation, len(card.attributes) - outputs, outputs)


def searched_notation(number: int) -> str:
    """The architecture of run ``number``, from 0, of the search: the twelve with linear outputs, these once more, and
    the twelve with sigmoid outputs; then from the beginning."""
    turn, index = divmod(number % SEARCHED_RUNS, len(SEARCHED))
    return f"{SEARCHED[index]}{'lls'[turn]}"


PIVOT, SEARCH = "pivot", "search"


@dataclass(frozen=True)
class Network:
    """The settings of a method that trains one network on a partition."""

    architecture: str = setting(
        PIVOT,
        "hidden layers and outputs, l linear or s sigmoid, such as 8+4l; pivot for that "
        "of Table 7; search for each run its own",
    )
    shortcuts: bool = setting(True, "whether every layer feeds all that follow")
    recipe: Recipe = RESULT_RUNS

    def __post_init__(self) -> None:
        if self.architecture not in (PIVOT, SEARCH):
            Topology.parse(self.architecture, 1, 1, self.shortcuts)

    def notation(self, instance: PartitionInstance) -> str:
        """The architecture for a run."""
        if self.architecture == SEARCH:
            return searched_notation(instance.number)
        return (
            pivot_notation(instance.partition.name)
            if self.architecture == PIVOT
            else self.architecture
        )


def train_network(instance: TaskInstance, rng: np.random.Generator, settings: Network) -> Returned:
    """A network trained by Rprop on a partition's training cases and stopped by its validation cases."""
    given = partition_of(instance)
    partition = given.partition
    topology = Topology.parse(
        settings.notation(given), partition.inputs, partition.outputs, settings.shortcuts
    )
    run = train_prepared(_prepared(given, topology), settings.recipe, rng)
    predicted = _cost(run.describe())
    if partition.absent_classes:
        predicted["absent_classes"] = list(partition.absent_classes)
    return Outputs(plain.outputs(topology, run.weights, given.test_inputs)), predicted


def _network(name: str, description: str, source: str, settings: Network) -> FunctionMethod:
    """A method of that procedure."""
    return method(
        name=name,
        description=description,
        kinds={"outputs"},
        settings=settings,
        source=f"{PROBEN1}, {source}",
        calls=[
            "benchbook.methods.proben1.training:train_prepared",
            "benchbook.kernels.rprop:strip",
            "benchbook.kernels.rprop:epochs",
        ],
    )(train_network)


def partition_of(instance: TaskInstance) -> PartitionInstance:
    """The instance, when it is a run on a partition.

    Raises:
        BenchbookError: it is one of another kind of task.
    """
    if not isinstance(instance, PartitionInstance):
        raise BenchbookError(
            f"{instance.name} is no run on a partition, so there are no validation cases to stop by; "
            "see `benchbook tasks list '*/partition'`"
        )
    return instance


def _cost(said: dict[str, Any]) -> dict[str, Any]:
    """What a run says of itself, without what it has not: test errors, wrong classes of approximations."""
    return {
        key: value
        for key, value in said.items()
        if key != "partition" and not (isinstance(value, float) and math.isnan(value))
    }


def _prepared(instance: PartitionInstance, topology: Topology) -> Prepared:
    """The instance's cases for that topology; the last ones are kept, for each thread its own."""
    if not instance.digest:
        return prepare(instance.partition, topology)
    retained: dict[tuple[str, Topology], Prepared] = _local.__dict__.setdefault("kept", {})
    key = instance.digest, topology
    if key not in retained:
        if len(retained) >= _KEPT:
            del retained[next(iter(retained))]
        retained[key] = prepare(instance.partition, topology)
    return retained[key]


linear = _network(
    "proben1-linear",
    "PROBEN1's linear network: Rprop, early stopping by GL_5",
    "section 3.3, Tables 3 and 4",
    Network("0l", recipe=RESULT_RUNS),
)
pivot = _network(
    "proben1-pivot",
    "PROBEN1's pivot architecture (Table 7; ours for other data) with all shortcuts, trained with the "
    "constants that agree with its tables",
    "section 3.3, Tables 7 to 9",
    Network(PIVOT, recipe=PIVOT_RUNS),
)
pivot_text = _network(
    "proben1-pivot-text",
    "PROBEN1's pivot architecture with all shortcuts, trained with the constants of the report's "
    "text",
    "section 3.3",
    Network(PIVOT, recipe=RESULT_RUNS),
)
noshort = _network(
    "proben1-noshort",
    "the hidden layers of PROBEN1's pivot architecture without shortcuts, trained as proben1-pivot",
    "section 3.3, Tables 10 to 12",
    Network(PIVOT, False, PIVOT_RUNS),
)
search = _network(
    "proben1-search",
    "PROBEN1's architecture search: each of its 36 runs trains its own of 24 architectures, all "
    "shortcuts, with the constants of the report's text",
    "section 3.3",
    Network(SEARCH, recipe=SEARCH_RUNS),
)
search_tables = _network(
    "proben1-search-tables",
    "PROBEN1's architecture search from the starting weights that agree with its tables",
    "section 3.3, Tables 5 and 6",
    Network(SEARCH, recipe=SEARCH_TABLES_RUNS),
)
