"""DELVE's task arrays: families of tasks that differ in one thing at a time.

An array crosses the number of inputs (8 or 32), linearity (fairly linear, highly non-linear), noise (moderate, high)
and the size of the training set (64 to 1024): 8 datasets, 40 tasks, 288 task instances (DELVE, page on task arrays,
1996). DELVE's own datasets are not all published, so the arrays are made of re-created ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

from benchbook.errors import Fault, FaultyInput
from benchbook.tasks.registry import available

_TARGETS = {"kin": "dist", "pumadyn": "accel", "bank": "rej"}
_LINEARITY = {"f": "fairly linear", "n": "highly non-linear"}
_NOISE = {"m": "moderate", "h": "high"}


@dataclass(frozen=True, order=True)
class ArrayPlace:
    """Where a dataset stands in its array: its number of inputs, and the words for its linearity and its noise.

    Places sort as the array does: 8 inputs before 32, fairly linear before highly non-linear, moderate before high.
    """

    inputs: int
    non_linear: bool
    noisy: bool
    family: str

    @property
    def linearity(self) -> str:
        """``fairly linear`` or ``highly non-linear``."""
        return _LINEARITY["fn"[self.non_linear]]

    @property
    def noise(self) -> str:
        """``moderate`` or ``high``."""
        return _NOISE["mh"[self.noisy]]


def arrays() -> dict[str, tuple[str, ...]]:
    """The names of the tasks of every array, by the name of its family: kin, pumadyn and bank."""
    return {
        family: tuple(
            task
            for inputs, linearity, noise in product((8, 32), _LINEARITY, _NOISE)
            for task in available(f"{family}-{inputs}{linearity}{noise}-sim/{target}")
        )
        for family, target in _TARGETS.items()
    }


def place(name: str) -> ArrayPlace:
    """What the name of a dataset, prototask or task says of its place: ``kin-8nm-sim/dist/std.64`` is 8, n, m.

    Raises:
        FaultyInput: the name does not have the form of an array's.
    """
    match = re.match(r"([a-z]+)-(\d+)([fn])([mh])(-sim)?(/|$)", name)
    if not match:
        rule = "it has the form family-inputs[fn][mh], as kin-8nm"
        raise FaultyInput("task array", [Fault("name", repr(name), rule)])
    return ArrayPlace(int(match[2]), match[3] == "n", match[4] == "h", match[1])
