"""What a challenge asks, and the hidden targets that its organiser keeps.

An organiser offers tasks by name, from two sources: the book's own tasks with phases, and files of hidden targets for
any data of a teacher's own. Such a file is CSV, with lines ``# key = value`` before its header::

    # task = fuel/autumn
    # kind = real
    # resolution = 0.1
    case,phase,target
    car-1,training,7.4
    car-2,validation,6.1
    car-3,test,9.0

``task`` is the name's first part (the file's name when left out), ``kind`` is real or class (targets -1 and +1) and is
seen from the targets when left out, ``resolution`` is the distance of neighbouring values where targets were rounded.
The phases are training, validation and test; cases keep the order of the file. It offers the tasks
``fuel/autumn/validation``, ``fuel/autumn/test`` and ``fuel/autumn/test-before``. Columns behind the target are inputs,
from which a method can be run; in the copy for entrants the targets of a phase that are hidden are left empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchbook import tasks
from benchbook.errors import BenchbookError, UnknownName
from benchbook.tasks.challenge_task import STAGES

if TYPE_CHECKING:
    from benchbook.tasks.task_instance import TaskInstance

Kind = Literal["real", "class"]
_DECIMALS, _STEPS = 4, 10_000


@dataclass(frozen=True, eq=False)
class Asked:
    """What an entry must predict.

    Args:
        task: its name; the last part is the phase.
        kind: real or class; of two classes the probability of the positive one is asked.
        cases: the ids of the J cases, in the order in which predictions without ids stand.
    """

    task: str
    kind: Kind
    cases: tuple[str, ...]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of every case by its id."""
        return {case: index for index, case in enumerate(self.cases)}


@dataclass(frozen=True, eq=False)
class Key:
    """A task with its hidden targets, on the original scale.

    Args:
        asked: what is asked.
        targets: [J], numbers, or for a class 1 for the positive one and 0 for the other.
        training: the targets of the training cases of this phase, [N], of which the baseline is made.
        resolution: the distance of neighbouring values of a target that was rounded; None for any other.
    """

    asked: Asked
    targets: NDArray[Any]
    training: NDArray[Any]
    resolution: float | None = None


class Offer:
    """A task on offer: its kind, how many cases it asks for, and its key, which is loaded when first wanted.

    Args:
        kind: of the target. cases: how many are asked for. load: gives the key.
        asked: what is asked, where that is known without the key.
        instance: gives what a method sees; None when the task is one of the book's.
    """

    def __init__(
        self,
        kind: Kind,
        cases: int,
        load: Callable[[], Key],
        asked: Asked | None = None,
        instance: Callable[[], TaskInstance] | None = None,
    ) -> None:
        self.kind, self.cases, self._load, self._asked, self.instance = (
            kind,
            cases,
            load,
            asked,
            instance,
        )

    @property
    def asked(self) -> Asked:
        """What is asked."""
        return self._asked or self.key.asked

    @cached_property
    def key(self) -> Key:
        """The task with its hidden targets."""
        return self._load()


class Organiser(Mapping[str, Offer]):
    """The tasks on offer, by name; two organisers are joined by ``|``."""

    def __init__(self, offers: Mapping[str, Offer]) -> None:
        self._offers = dict(offers)

    def __getitem__(self, task: str) -> Offer:
        if task not in self._offers:
            raise UnknownName("task", task, self._offers)
        return self._offers[task]

    def __iter__(self) -> Iterator[str]:
        return iter(self._offers)

    def __len__(self) -> int:
        return len(self._offers)

    def __contains__(self, task: object) -> bool:
        return task in self._offers

    def __or__(self, other: Organiser) -> Organiser:
        return Organiser({**self._offers, **other._offers})

    def kind(self, task: str) -> Kind:
        """Whether a task's target is real or a class."""
        return self[task].kind

    def asked(self, task: str) -> Asked:
        """What a task asks; errors as for ``key``."""
        return self[task].asked

    def instance(self, task: str) -> TaskInstance:
        """What a method sees of a task; errors as for ``key``, and FaultyInput for inputs that cannot be used."""
        load = self[task].instance
        return tasks.instance(task, 0) if load is None else load()

    def key(self, task: str) -> Key:
        """A task with its hidden targets.

        Raises:
            UnknownName: there is no such task. MissingData: its data is not available.
        """
        return self[task].key


def book_organiser() -> Organiser:
    """The tasks with phases that the book declares."""
    offers = {}
    for name in tasks.available():
        if (path := split(name))[1] in STAGES and name.count("/") == 2:
            prototask = tasks.prototask(path[0])
            count = prototask.phases[STAGES[path[1]][1]]
            offers[name] = Offer(
                "class" if prototask.kind == "class" else "real",
                count,
                partial(_prototask_key, name),
            )
    return Organiser(offers)


def split(task: str) -> tuple[str, str]:
    """A task's name without its phase, and the phase."""
    name, _, phase = task.rpartition("/")
    return name, phase


def portion(task: str) -> str:
    """Which cases a task asks for: validation or test."""
    return STAGES[split(task)[1]][1]


def _prototask_key(name: str) -> Key:
    task = tasks.get(name)
    parts = task.split()
    column = task.cases.columns[task.prototask.target]
    training = column[parts.train[0]]
    kind: Kind = "class" if task.prototask.kind == "class" else "real"
    if kind == "class" and len(task.cases.classes) != 2:
        raise BenchbookError(
            f"{name} has {len(task.cases.classes)} classes; a challenge asks for the second of two"
        )
    requested = Asked(name, kind, tuple(str(case) for case in parts.test[0]))
    return Key(
        requested, task.test_targets(0), training, resolution(training) if kind == "real" else None
    )


def resolution(values: NDArray[Any]) -> float | None:
    """The distance of neighbouring values when all were rounded to at most four decimals, else None.

    It is the greatest step of which all differences are whole multiples. Two different values are too few to say, and
    a range of more than 10,000 steps is too fine to matter (ours).
    """
    different = np.unique(values)
    if different.size < 3 or not np.abs(different).max() < 1e9:
        return None
    for decimals in range(_DECIMALS + 1):
        scaled = (different - different[0]) * 10.0**decimals
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() < 1e-6 * 10.0**decimals:
            step = int(np.gcd.reduce(whole.astype(np.int64)))
            return step / 10.0**decimals if whole[-1] <= _STEPS * step else None
    return None
