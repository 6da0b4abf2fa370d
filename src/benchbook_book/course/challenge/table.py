"""A challenge as one table: a case a line, with its phase, its target, and the inputs it is to be predicted from.

It is the file of hidden targets that ``benchbook_book.course.challenge.asked`` describes, and whatever columns stand
behind the target are inputs. In the copy for entrants, the targets that are hidden are left empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets import Attribute, Card, Dataset, Shape
from benchbook.datasets.ranges import parse_range
from benchbook.datasets.user.guess import Wishes, guess
from benchbook.datasets.user.texts import Table
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.tasks.cases import prepare
from benchbook.tasks.challenge_task import STAGES
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.splitting import Split
from benchbook.tasks.task_instance import build
from benchbook_book.course.challenge.asked import Asked, Key, Kind, Offer, Organiser, resolution

if TYPE_CHECKING:
    from benchbook.tasks.cases import Cases
    from benchbook.tasks.task_instance import TaskInstance

CLASSES = ("-1", "+1")


@dataclass(frozen=True, eq=False)
class ChallengeTable:
    """All cases of a challenge.

    Args:
        name: of the tasks, without their phase. kind: of the target.
        cases, phases: ids and phases, shape [N].
        values: the targets on the original scale, [N]; for a class 1 for the positive one and 0 for the other.
        hidden: where the target is not known here, [N].
        step: the distance of neighbouring values, when the organiser says it.
        inputs: words by name, N each; {} when there are none.
    """

    name: str
    kind: Kind
    cases: NDArray[Any]
    phases: NDArray[Any]
    values: NDArray[Any]
    hidden: NDArray[np.bool_]
    step: float | None = None
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def organiser(self) -> Organiser:
        """The tasks that the table offers; those whose training cases have hidden targets are left out."""
        offers = {}
        for stage, (used, requested) in STAGES.items():
            chosen, training = self.phases == requested, np.isin(self.phases, used)
            early = stage == "test-before" and not (self.phases == "validation").any()
            if not chosen.any() or early or self.hidden[training].any():
                continue
            wanted = Asked(
                f"{self.name}/{stage}", self.kind, tuple(str(case) for case in self.cases[chosen])
            )
            offers[wanted.task] = Offer(
                self.kind,
                len(wanted.cases),
                partial(self._key, wanted, chosen, training),
                wanted,
                partial(self._instance, wanted.task, chosen, training),
            )
        return Organiser(offers)

    def words(self, chosen: NDArray[np.bool_]) -> list[str]:
        """The targets of cases as a file has them: numbers, or -1 and +1."""
        values = self.values[chosen].tolist()
        return [str(2 * value - 1) if self.kind == "class" else repr(value) for value in values]

    def _key(self, wanted: Asked, chosen: NDArray[np.bool_], training: NDArray[np.bool_]) -> Key:
        if self.hidden[chosen].any():
            raise BenchbookError(
                f"the targets of {wanted.task} are hidden; only who holds the challenge can score. "
                "What you can do is to check a submission."
            )
        known = self.values[training]
        step = (
            (resolution(known) if self.step is None else self.step) if self.kind == "real" else None
        )
        return Key(wanted, self.values[chosen], known, step)

    def _instance(
        self, task: str, chosen: NDArray[np.bool_], training: NDArray[np.bool_]
    ) -> TaskInstance:
        if not self.inputs:
            raise BenchbookError(
                f"{task} has no inputs to predict from; add them to its table as columns behind the "
                "target, or write the submission with challenge.write"
            )
        return build(
            self._prepared, task, Split((np.flatnonzero(training),), (np.flatnonzero(chosen),)), 0
        )

    @cached_property
    def _prepared(self) -> Cases:
        """The inputs with what they seem to be, and the targets; a hidden one is 0, and no method is shown it."""
        table = Table(
            self.name, pl.DataFrame(dict(self.inputs), schema=dict.fromkeys(self.inputs, pl.String))
        )
        guesses = [
            guess(table, name, index, name, Wishes()) for index, name in enumerate(self.inputs, 1)
        ]
        retained = [item for item in guesses if item.attribute is not None]
        faults = [fault for item in guesses for fault in item.faults]
        if not retained:
            faults.append(
                Fault("inputs", "none that differ between cases", "must be one column at least")
            )
        if faults:
            raise FaultyInput(f"inputs of {self.name}", faults)
        real = self.kind == "real"
        target = Attribute(
            len(retained) + 1,
            "target",
            "real" if real else "binary",
            parse_range("(-inf,inf)") if real else CLASSES,
        )
        shown = np.where(self.hidden, 0, self.values).tolist()
        frame = pl.DataFrame(
            [item.values.alias(item.name) for item in retained]
            + [pl.Series("target", shown if real else [CLASSES[value] for value in shown])]
        )
        attributes = (*(item.attribute for item in retained if item.attribute is not None), target)
        card = Card(
            self.name,
            self.name,
            "natural",
            "assessment",
            "ours",
            "own",
            "",
            "",
            "",
            "",
            (),
            Shape(frame.height, len(attributes)),
            attributes,
            ("target",),
            "stored",
        )
        count = int((self.phases == "training").sum())
        prototask = Prototask(
            self.name,
            "challenge",
            "target",
            tuple(item.name for item in retained),
            self.kind,
            frame.height,
            "common",
            (count,),
            1,
        )
        return prepare(prototask, Dataset(self.name, card, frame))
