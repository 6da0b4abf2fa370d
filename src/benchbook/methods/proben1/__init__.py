"""PROBEN1's networks and how the report trains them: topologies, Rprop, stopping, and one run or many.

from benchbook import tasks
from benchbook.methods.proben1 import RESULT_RUNS, Topology, train

partition = tasks.partition("cancer1")
run = train(partition, Topology.parse("4+2l", 9, 2), RESULT_RUNS, rng)
run.test_error, run.relevant_epochs, run.traces.validation
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchbook import tasks
from benchbook.methods.proben1.recipe import (
    PIVOT_RUNS,
    RESULT_RUNS,
    SEARCH_RUNS,
    SEARCH_TABLES_RUNS,
    VARIANTS,
    Recipe,
    Rprop,
)
from benchbook.methods.proben1.stopping import (
    AllOnce,
    AnyOf,
    Criterion,
    GeneralisationLoss,
    Progress,
    ProgressQuotient,
    Strip,
    Traces,
    Up,
    first_met,
    generalisation_loss,
    result_rule,
    search_rule,
    training_progress,
)
from benchbook.methods.proben1.topology import Layer, Topology
from benchbook.methods.proben1.training import (
    Prepared,
    RunFailed,
    TrainingRun,
    prepare,
    squared_error_percentage,
    train,
    train_many,
    train_prepared,
    wrong_percentage,
)

if TYPE_CHECKING:
    from benchbook.tasks.partition import Partition, Portion

__all__ = [
    "PIVOT_RUNS",
    "RESULT_RUNS",
    "SEARCH_RUNS",
    "SEARCH_TABLES_RUNS",
    "VARIANTS",
    "AllOnce",
    "AnyOf",
    "Criterion",
    "GeneralisationLoss",
    "Layer",
    "Partition",
    "Portion",
    "Prepared",
    "Progress",
    "ProgressQuotient",
    "Recipe",
    "Rprop",
    "RunFailed",
    "Strip",
    "Topology",
    "Traces",
    "TrainingRun",
    "Up",
    "first_met",
    "generalisation_loss",
    "prepare",
    "result_rule",
    "search_rule",
    "squared_error_percentage",
    "train",
    "train_many",
    "train_prepared",
    "training_progress",
    "wrong_percentage",
]


def __getattr__(name: str) -> Any:
    """``Partition`` and ``Portion`` are at home in the room of the tasks, which is loaded when they are asked for."""
    if name in ("Partition", "Portion"):
        return getattr(tasks, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
