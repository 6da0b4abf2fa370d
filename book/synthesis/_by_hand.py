"""A prototask whose cases are dealt out by hand: the losses of methods on any cases of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook import methods, seeds, tasks
from benchbook.losses import get as loss
from benchbook.methods.base import stream_of
from benchbook.tasks.cases import Cases
from benchbook.tasks.splitting import Indices, Split
from benchbook.tasks.task_instance import build

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ByHand:
    """A prototask whose cases are dealt out by hand, in its own order.

    Attributes:
        prototask: for example ``concrete/cv``. unit: of a squared error.
    """

    prototask: str
    unit: str

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return self.prototask.partition("/")[0]

    @property
    def cases(self) -> Cases:
        """All cases."""
        return tasks.cases_of(tasks.prototask(self.prototask))

    def losses(
        self,
        method: str | methods.Method,
        train: Indices,
        test: Indices,
        codes: Sequence[str] = ("S",),
        *,
        seed: int = 1,
        run: int = 0,
        stream: str = "",
    ) -> list[Array]:
        """The losses of a method on test cases, [J] for each code, in the unit of the target.

        Args:
            method: one, or what ``methods.get`` takes. train, test: positions of cases.
            codes: of losses. seed, run: of the random numbers; runs with other numbers are independent.
        """
        instance = build(
            self.cases, f"{self.prototask}/by-hand.{len(train)}", Split((train,), (test,)), 0
        )
        chosen = methods.get(method) if isinstance(method, str) else method
        rng = seeds.generator(seed, stream_of(chosen), stream or instance.digest, run)
        prediction, _ = methods.answer(chosen, instance, rng)
        decoded = instance.decode(prediction)
        targets: Any = self.cases.columns[tasks.prototask(self.prototask).target][test]
        return [np.asarray(loss(code).per_case(decoded, targets)) for code in codes]
