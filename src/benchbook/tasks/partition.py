"""A partition: the training, validation and test cases of one run, as PROBEN1 hands them out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchbook.errors import Fault, FaultyInput


class Portion(NamedTuple):
    """Some cases: inputs [n, I] and targets [n, O], both as the network sees them."""

    inputs: np.ndarray
    targets: np.ndarray


@dataclass(frozen=True, eq=False)
class Partition:
    """Training, validation and test cases with the same inputs and outputs.

    What a method is given has no test targets: their array is [n, 0].

    ``classification`` says that the outputs are classes, one of which is 1 in every case, so that the share of cases
    classified wrongly means something.

    Raises:
        FaultyInput: an empty portion, portions of different widths, numbers of inputs and targets that differ, values
            that are not finite; all of them together.
    """

    name: str
    training: Portion
    validation: Portion
    test: Portion
    classification: bool

    def __post_init__(self) -> None:
        faults = []
        for part in ("training", "validation", "test"):
            faults += _faults(part, getattr(self, part), self.training)
        if faults:
            raise FaultyInput(f"partition {self.name}", faults)

    @classmethod
    def cut(
        cls,
        name: str,
        inputs: np.ndarray,
        targets: np.ndarray,
        counts: tuple[int, int, int],
        classification: bool,
    ) -> Partition:
        """Cut cases in their order: the first for training, the next for validation, the last for the test.

        Args:
            name: for example ``cancer1``.
            inputs, targets: [N, I] and [N, O].
            counts: training, validation and test cases, N together.
            classification: whether the outputs are classes.
        """
        if sum(counts) != len(inputs) or len(inputs) != len(targets):
            actual = f"{len(inputs)} inputs and {len(targets)} targets"
            raise FaultyInput(
                f"partition {name}", [Fault("cases", actual, f"the counts add up to {sum(counts)}")]
            )
        ends = np.cumsum(counts)[:2]
        inputs, targets = np.asarray(inputs, dtype=float), np.asarray(targets, dtype=float)
        training, validation, test = (
            Portion(*both)
            for both in zip(np.split(inputs, ends), np.split(targets, ends), strict=True)
        )
        return cls(name, training, validation, test, classification)

    @property
    def sealed(self) -> bool:
        """Whether the test targets are left out."""
        return self.test.targets.shape[1] == 0

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return int(self.training.inputs.shape[1])

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return int(self.training.targets.shape[1])

    @property
    def absent_classes(self) -> tuple[int, ...]:
        """Classes, by output from 0, that no training case has: the network can only learn never to name them."""
        if not self.classification:
            return ()
        present = set(np.argmax(self.training.targets, axis=1).tolist())
        return tuple(output for output in range(self.outputs) if output not in present)


def _faults(name: str, portion: Portion, like: Portion) -> list[Fault]:
    faults = []
    for what, values, model in zip(Portion._fields, portion, like, strict=True):
        text = f"{name} {what}"
        if name == "test" and what == "targets" and values.shape == (len(portion.inputs), 0):
            continue
        if values.ndim != 2 or 0 in values.shape:
            faults.append(
                Fault(text, f"shape {values.shape}", "there is at least one case and one column")
            )
        elif values.shape[1:] != model.shape[1:]:
            faults.append(
                Fault(
                    text, f"{values.shape[1]} columns", f"the training cases have {model.shape[1]}"
                )
            )
        elif not np.isfinite(values).all():
            case, column = np.argwhere(~np.isfinite(values))[0]
            faults.append(
                Fault(
                    f"{text}, case {case + 1}, column {column + 1}",
                    str(values[case, column]),
                    "every value is a finite number",
                )
            )
    if len(portion.inputs) != len(portion.targets):
        actual = f"{len(portion.inputs)} inputs and {len(portion.targets)} targets"
        faults.append(Fault(name, actual, "every case has both"))
    return faults
