"""A task: a prototask and a training-set size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from numpy.typing import NDArray

from benchbook import datasets
from benchbook.errors import BenchbookError, shortened
from benchbook.tasks.cases import Cases, cases_of
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.splitting import Split, group_numbers, instance_count, split
from benchbook.tasks.task_instance import Shown, TaskInstance, build, check_number


@dataclass(frozen=True, repr=False)
class Task(Shown):
    """A prototask with a training-set size, written ``dataset/prototask/std.size``.

    ``encoding`` is the root of the name's last part; ``std`` stands for the default encoding of each attribute's
    nature, with the prototask's exceptions.
    """

    prototask: Prototask
    size: int
    encoding: str = "std"

    def __post_init__(self) -> None:
        if self.prototask.phases:
            raise BenchbookError(
                f"{self.prototask.path} is a challenge, and its tasks are named by what is asked: "
                f"write {self.prototask.path}/test."
            )
        if self.prototask.folds:
            raise BenchbookError(
                f"{self.prototask.path} is taken apart into folds, and its tasks are named by the "
                f"scheme: write {self.prototask.path}/{self.prototask.folds[0]}."
            )
        if self.prototask.splits:
            raise BenchbookError(
                f"{self.prototask.path} is split at random, and its task is named by that: write "
                f"{self.prototask.path}/holdout-{self.prototask.splits}."
            )
        if self.encoding != "std":
            raise BenchbookError(
                f"encoding {self.encoding!r} is unknown; write {self.prototask.path}/std.{self.size}."
            )
        if self.size not in self.prototask.training_set_sizes:
            sizes = ", ".join(str(size) for size in self.prototask.training_set_sizes)
            raise BenchbookError(
                f"{self.prototask.path} has no training-set size {self.size}; it has {sizes}."
            )

    @property
    def name(self) -> str:
        """For example ``kin-8nm-sim/dist/std.128``."""
        return f"{self.prototask.path}/{self.encoding}.{self.size}"

    @property
    def design(self) -> str:
        """How training and test cases relate: disjoint, common, folds, splits, partitions, holdout."""
        return "common" if self.prototask.test_set_selection == "common" else "disjoint"

    @property
    def cases(self) -> Cases:
        """The checked cases of the prototask (loads the dataset when first asked)."""
        return cases_of(self.prototask)

    @property
    def instances(self) -> int:
        """How many instances there are; counted from the dataset's card when cases are not dropped and have no
        groups."""
        of_the_card = self.prototask.cases == "all" and not self.prototask.group
        if of_the_card or not datasets.at_hand(self.prototask.dataset):
            return instance_count(
                self.prototask, self.size, datasets.card(self.prototask.dataset).shape.cases
            )
        return self.split().instances

    def _facts(self) -> list[tuple[str, str]]:
        requested = self.prototask
        return [
            ("dataset", requested.dataset),
            ("target", f"{requested.target}, {requested.kind}"),
            ("inputs", f"{len(requested.inputs)}: {shortened(', '.join(requested.inputs), 80)}"),
            *self._split_facts(),
        ]

    def _split_facts(self) -> list[tuple[str, str]]:
        """How the cases are split, in words, without loading them."""
        requested = self.prototask
        return [
            ("training cases", str(self.size)),
            ("instances", f"at most {requested.maximum_instances}"),
            ("test cases", f"{requested.test_set_size} in all, {requested.test_set_selection}"),
        ]

    def split(self) -> Split:
        """Training and test cases of every instance."""
        return _split(self.prototask, self.size)

    def instance(self, number: int) -> TaskInstance:
        """Instance ``number``, from 0, encoded.

        Raises:
            BenchbookError: there is no such instance.
        """
        return build(self.cases, self.name, self.split(), number)

    def test_targets(self, number: int) -> NDArray[Any]:
        """The targets of the test cases of instance ``number``: for the scorer.

        Raises:
            BenchbookError: there is no such instance.
        """
        split = self.split()
        check_number(self.name, split.instances, number)
        return self.cases.columns[self.prototask.target][split.test[number]]

    def describe(self) -> dict[str, Any]:
        """What there is to say about the task, with the encoding of instance 0 when the data is at hand."""
        prototask = self.prototask
        available = datasets.at_hand(prototask.dataset)
        facts: dict[str, Any] = {
            "task": self.name,
            "dataset": prototask.dataset,
            "prototask": prototask.path,
            "target": prototask.target,
            "kind": prototask.kind,
            "inputs": ", ".join(prototask.inputs),
            **self._sizes(),
            "order": prototask.order,
            "cases": prototask.cases,
            "chosen_here": ", ".join(prototask.ours),
            "note": prototask.note,
            "data_at_hand": available,
        }
        if available:
            first = self.instance(0)
            facts |= {
                "cases_dropped": len(self.cases.dropped),
                **self._read_from(first),
                "digest_of_instance_0": first.digest,
                "encoding": first.encoding.rows(),
            }
        return facts

    def _sizes(self) -> dict[str, Any]:
        """How many instances and cases there are, and how the test cases are chosen, for ``describe``."""
        return {
            "training_cases": self.size,
            "instances": self.instances,
            "test_scheme": self.prototask.test_set_selection,
            "test_pool": self.prototask.test_set_size,
            "test_cases_per_instance": self._test_cases(),
        }

    def _read_from(self, first: TaskInstance) -> dict[str, Any]:
        """What only the data says, for ``describe``."""
        return {}

    def _test_cases(self) -> int:
        pool = self.prototask.test_set_size
        return pool if self.prototask.test_set_selection == "common" else pool // self.instances


@lru_cache(maxsize=128)
def _split(prototask: Prototask, size: int) -> Split:
    order = cases_of(prototask).order
    if not prototask.group:
        return split(prototask, size, order)
    return split(
        prototask,
        size,
        order,
        group_numbers(datasets.load(prototask.dataset).cases, prototask.group)[order],
    )
