"""The tasks of a challenge with hidden targets: ``concrete/challenge/test`` and its two fellows.

The cases, in the prototask's order, are dealt out as training, validation and test cases; what is left over is not
used. As in the Evaluating Predictive Uncertainty Challenge the validation targets are hidden at first, and are given to
everybody half-way. This makes three tasks of one instance each:

* ``validation``: trained on the training cases, asked for the validation cases, while their targets are hidden;
* ``test``: trained on training and validation cases, asked for the test cases;
* ``test-before``: trained on the training cases alone, asked for the test cases, as an entry that was sent in before
  the validation targets were given out.

There is one training set only, so that nothing is known of how losses vary from one to another: differences are judged
on the test cases alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.tasks.declaration import PHASES, Prototask
from benchbook.tasks.splitting import Indices, Split
from benchbook.tasks.task import Task
from benchbook.tasks.task_instance import TaskInstance

STAGES: dict[str, tuple[tuple[str, ...], str]] = {
    "validation": (("training",), "validation"),
    "test": (("training", "validation"), "test"),
    "test-before": (("training",), "test"),
}
"""The parts that a task trains on, and the one it asks for, by the last part of its name."""


@dataclass(frozen=True, repr=False)
class ChallengeTask(Task):
    """What is asked at one stage of a challenge, written ``dataset/prototask/stage``; ``size`` training cases."""

    stage: str = "test"

    def __post_init__(self) -> None:
        if not self.prototask.phases:
            raise BenchbookError(
                f"{self.prototask.path} has no phases; its tasks are named by training-set size."
            )
        if self.stage not in STAGES:
            raise BenchbookError(
                f"{self.prototask.path} has no stage {self.stage!r}; it has {', '.join(STAGES)}."
            )

    @classmethod
    def at(cls, prototask: Prototask, stage: str) -> ChallengeTask:
        """The task of a prototask at a stage, of which ``STAGES`` has the names."""
        used = STAGES[stage][0] if stage in STAGES else ()
        return cls(prototask, sum(prototask.phases.get(part, 0) for part in used), stage=stage)

    @property
    def design(self) -> str:
        """One training set and one test set."""
        return "holdout"

    @property
    def name(self) -> str:
        """For example ``concrete/challenge/test``."""
        return f"{self.prototask.path}/{self.stage}"

    @property
    def instances(self) -> int:
        """Always one."""
        return 1

    def _split_facts(self) -> list[tuple[str, str]]:
        phases = ", ".join(f"{count} {name}" for name, count in self.prototask.phases.items())
        return [("cases", phases), ("stage", self.stage)]

    def places(self) -> dict[str, Indices]:
        """The training, validation and test cases of the challenge, as positions in the dataset, the same for its three
        tasks.

        Raises:
            BenchbookError: the dataset has fewer cases.
        """
        order, ends = self.cases.order, np.cumsum([self.prototask.phases[part] for part in PHASES])
        if ends[-1] > len(order):
            raise BenchbookError(
                f"{self.prototask.path} needs {ends[-1]} cases, and {self.prototask.dataset} gives "
                f"{len(order)}. Make the phases smaller."
            )
        return dict(zip(PHASES, np.split(order[: ends[-1]], ends[:-1]), strict=True))

    def split(self) -> Split:
        """The training cases and the cases asked for, of the one instance."""
        chosen, (used, requested) = self.places(), STAGES[self.stage]
        return Split((np.concatenate([chosen[part] for part in used]),), (chosen[requested],))

    def _sizes(self) -> dict[str, Any]:
        used, requested = STAGES[self.stage]
        return {
            "trained_on": " and ".join(used),
            "asked_for": requested,
            "training_cases": self.size,
            "cases_asked_for": self.prototask.phases[requested],
            "instances": 1,
        }

    def _read_from(self, first: TaskInstance) -> dict[str, Any]:
        return {"classes": ", ".join(first.classes)}
