"""PROBEN1's partitions as tasks: ``proben1-cancer1/partition/a``, and its runs as instances.

Instance k is the k-th run on the same cases: training, validation and test cases never change, only the random numbers
of the method do. All runs of a task therefore have the same digest. They are replications, and say how much a result
hangs on the seed; DELVE's instances, in contrast, have training sets of their own, and ``assess.cubes`` refuses to take
the one for the other.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.datasets import Dataset
from benchbook.errors import BenchbookError
from benchbook.tasks.cases import Cases
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.encoding import Encoding
from benchbook.tasks.encodings import Coding, Fitted
from benchbook.tasks.partition import Partition, Portion
from benchbook.tasks.partitions import (
    ORDERS,
    cut,
    is_classification,
    loaded,
    partition,
    places,
    short,
)
from benchbook.tasks.splitting import Indices, Split
from benchbook.tasks.task import Task
from benchbook.tasks.task_instance import TaskInstance, check_number, frozen

RUNS = 60
"""Runs of a partition: as many as the report has of each pivot architecture."""

NAME = "partition"
_RULES = "benchbook partition digest 1"


class PartitionPrototask(Prototask):
    """What the six orders of a PROBEN1 file have in common; its targets are several outputs."""

    def _faults(self) -> list[Any]:
        return []


@dataclass(frozen=True, eq=False, repr=False)
class PartitionInstance(TaskInstance):
    """A run on a partition: the cases that a method may see.

    As a ``TaskInstance`` of kind ``outputs``, with N training and J test cases, I inputs and O outputs:
    ``train_inputs`` [N, I], ``train_targets`` [N, O], ``test_inputs`` [J, I]. Nothing is encoded again: the cases are
    as the file has them. ``classes`` names the outputs when they are classes, 1 of m, and is () otherwise.

    Args:
        validation_inputs: [V, I].
        validation_targets: [V, O]; validation cases are the method's to use as it likes.
    """

    validation_inputs: NDArray[np.float64]
    validation_targets: NDArray[np.float64]

    @classmethod
    def arrays(cls) -> tuple[str, ...]:
        return *super().arrays(), "validation_inputs", "validation_targets"

    @cached_property
    def partition(self) -> Partition:
        """The same cases as a ``Partition``, without the test targets."""
        dataset, middle, order = self.task.partition(f"/{NAME}/")
        return Partition(
            short(dataset, order) if middle else self.task,
            Portion(self.train_inputs, self.train_targets),
            Portion(self.validation_inputs, self.validation_targets),
            Portion(self.test_inputs, np.zeros((len(self.test_inputs), 0))),
            classification=bool(self.classes),
        )


@dataclass(frozen=True, repr=False)
class PartitionTask(Task):
    """A partition of PROBEN1's: a dataset, and the order in which its cases are dealt out."""

    order: str = "a"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise BenchbookError(
                f"{self.prototask.path} has no order {self.order!r}; it has {', '.join(ORDERS)}."
            )

    @property
    def design(self) -> str:
        """A partition: one training set, and runs that differ by their random numbers."""
        return "partitions"

    @property
    def name(self) -> str:
        """For example ``proben1-cancer1/partition/a``."""
        return f"{self.prototask.path}/{self.order}"

    @property
    def cases(self) -> Cases:
        self._refuse("no encoded columns")

    @property
    def instances(self) -> int:
        """How many runs there are."""
        return RUNS

    @property
    def partition(self) -> Partition:
        """All cases, test targets included; see ``tasks.partition``."""
        return partition(self.name)

    def split(self) -> Split:
        """Training and test cases of every run, the same for all; validation cases are in neither."""
        chosen = self.places()
        return Split((chosen["training"],) * RUNS, (chosen["test"],) * RUNS)

    def places(self) -> dict[str, Indices]:
        """The positions of training, validation and test cases in the file."""
        return places(datasets.card(self.prototask.dataset).partition, self.order)

    def instance(self, number: int) -> PartitionInstance:
        check_number(self.name, RUNS, number)
        seen = _seen(self.prototask.dataset, self.order)
        return PartitionInstance(
            self.name,
            number,
            "outputs",
            seen.classes,
            *seen.training,
            seen.test_inputs,
            seen.test_cases,
            seen.encoding.groups(),
            seen.encoding,
            seen.digest,
            *seen.validation,
        )

    def test_targets(self, number: int) -> NDArray[np.float64]:
        check_number(self.name, RUNS, number)
        return cut(self.prototask.dataset, self.order).test.targets

    def describe(self) -> dict[str, Any]:
        card = datasets.card(self.prototask.dataset)
        training, validation, test = card.partition
        available = datasets.at_hand(card.name)
        facts: dict[str, Any] = {
            "task": self.name,
            "dataset": card.name,
            "partition": short(card.name, self.order),
            "targets": ", ".join(card.targets),
            "kind": "outputs",
            "problem": "classification" if is_classification(card) else "approximation",
            "inputs": ", ".join(self.prototask.inputs),
            "training_cases": training,
            "validation_cases": validation,
            "test_cases": test,
            "order_in_the_file": ", ".join(ORDERS[self.order]),
            "instances": RUNS,
            "test_scheme": "runs on the same cases",
            "data_at_hand": available,
        }
        return facts | ({"digest": _seen(card.name, self.order).digest} if available else {})

    def _refuse(self, what: str) -> NoReturn:
        raise BenchbookError(
            f"{self.name} has {what}: PROBEN1's cases are used as the file has them. Its cases are "
            f"tasks.partition({self.name!r})."
        )


def partition_task(dataset: str, order: str) -> PartitionTask:
    """The task of a dataset with a partition."""
    card = datasets.card(dataset)
    training, _, test = card.partition
    inputs = tuple(
        attribute.name for attribute in card.attributes if attribute.name not in card.targets
    )
    prototask = PartitionPrototask(
        dataset=dataset,
        name=NAME,
        target=card.targets[0],
        inputs=inputs,
        kind="outputs",
        test_set_size=test,
        test_set_selection="runs",
        training_set_sizes=(training,),
        maximum_instances=RUNS,
    )
    return PartitionTask(prototask, training, order=order)


def partition_tasks() -> dict[str, tuple[str, str]]:
    """Dataset and order of every partition task, by its name."""
    return {
        f"{name}/{NAME}/{order}": (name, order)
        for name in datasets.partitioned()
        for order in ORDERS
    }


class _Seen(NamedTuple):
    """What is the same for all runs of a task."""

    training: Portion
    validation: Portion
    test_inputs: NDArray[np.float64]
    classes: tuple[str, ...]
    encoding: Encoding
    test_cases: Indices
    digest: str


@lru_cache(maxsize=12)
def _seen(dataset: str, order: str) -> _Seen:
    data, whole = loaded(dataset), partition(f"{dataset}/{NAME}/{order}")
    chosen = places(data.card.partition, order)
    targets = data.card.targets
    fitted = [
        Fitted(Coding(attribute.name, attribute.nature, "copy", {}, ()), (attribute.name,))
        for attribute in data.card.attributes
        if attribute.name not in targets
    ]
    target = Fitted(Coding(targets[0], "real", "copy", {}, ()), targets)
    training, validation = (
        Portion(*map(frozen, part)) for part in (whole.training, whole.validation)
    )
    return _Seen(
        training,
        validation,
        frozen(whole.test.inputs),
        targets if whole.classification else (),
        Encoding(tuple(fitted), target),
        frozen(chosen["test"]),
        _digest(data, chosen),
    )


def _digest(data: Dataset, chosen: dict[str, Indices]) -> str:
    """sha256 of what every run asks: the dataset's content, its outputs, and the cases of each part, in their order."""
    header = {
        "rules": _RULES,
        "dataset": data.digest,
        "outputs": list(data.card.targets),
        "classification": is_classification(data.card),
        "loss scale": "original",
        "cases": {part: len(cases) for part, cases in chosen.items()},
    }
    summary = hashlib.sha256(json.dumps(header, sort_keys=True, ensure_ascii=True).encode())
    for part in ("training", "validation", "test"):
        summary.update(chosen[part].astype("<i8").tobytes())
    return summary.hexdigest()
