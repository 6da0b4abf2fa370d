"""The errors that a run went through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchbook.errors import Fault, FaultyInput
from benchbook.methods.proben1.stopping import Strip


@dataclass(frozen=True, eq=False)
class Traces:
    """Errors of a run as squared error percentages.

    Args:
        strip: k, epochs of a strip.
        training: [S k], measured during each epoch, before its step.
        validation, test: [S], after each strip.

    Raises:
        FaultyInput: lengths that do not fit together, or no strip at all.
    """

    strip: int
    training: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    def __post_init__(self) -> None:
        strips = len(self.validation)
        if not strips or len(self.training) != strips * self.strip or len(self.test) != strips:
            actual = f"{len(self.training)} training, {strips} validation and {len(self.test)} test errors"
            rule = f"one of each a strip, {self.strip} training errors"
            raise FaultyInput("traces", [Fault("lengths", actual, rule)])

    @property
    def epochs(self) -> np.ndarray:
        """The last epoch of every strip, [S]."""
        return self.strip * np.arange(1, len(self.validation) + 1)

    @property
    def best(self) -> int:
        """The strip after which the validation error was least, from 0; the first of them when there are several."""
        return int(np.argmin(self.validation))

    def strips(self) -> Iterator[Strip]:
        """Every strip in turn, as a stopping criterion sees it."""
        parts = self.training.reshape(-1, self.strip)
        for epoch, training, validation in zip(self.epochs, parts, self.validation, strict=True):
            yield Strip(int(epoch), training, float(validation))
