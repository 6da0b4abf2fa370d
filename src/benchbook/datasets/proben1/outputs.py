"""Outputs otherwise than 1-of-m: one output for two classes, and targets within a smaller range.

PROBEN1 (1994, section 2.4) lets an experimenter leave out an output of a classification, always the last, because the
outputs add up to one, and rescale the outputs linearly, so that sigmoid units need not saturate. Both are changes of
the representation, which are to be stated. A network is taught the encoded targets; what it answers is decoded, so
that its errors are those of 1-of-m outputs from 0 to 1 and can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import Fault, FaultyInput


@dataclass(frozen=True)
class OutputCode:
    """Another representation of 1-of-m outputs.

    Args:
        drop_last: leave out the last output, which is one less the sum of the others.
        low, high: what the outputs 0 and 1 are taught as.

    Raises:
        FaultyInput: limits that are not finite, or not in order.
    """

    drop_last: bool = False
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not (self.low < self.high and np.isfinite(self.high - self.low)):
            found = f"{self.low:g} and {self.high:g}"
            raise FaultyInput(
                "outputs", [Fault("range", found, "two finite numbers, the smaller one first")]
            )

    def encode(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a network is taught: [N, m], or [N, m - 1] without the last.

        Args:
            targets: [N, m]; one output of each case is 1, the others are 0, when the last one is dropped.

        Raises:
            FaultyInput: outputs that cannot be had again from the others.
        """
        given = np.asarray(targets, dtype=float)
        if self.drop_last:
            width = given.shape[1]
            if width < 2 or not np.allclose(given.sum(axis=1), 1.0):
                found = f"{width} output{'s' * (width != 1)} that do not add up to 1"
                rule = "the last one can be left out of 1-of-m outputs only"
                raise FaultyInput("outputs", [Fault("targets", found, rule)])
            given = given[:, :-1]
        return self.low + (self.high - self.low) * given

    def decode(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a network answers, as m outputs from 0 to 1: [N, m] from [N, m] or [N, m - 1]."""
        found = (np.asarray(outputs, dtype=float) - self.low) / (self.high - self.low)
        if not self.drop_last:
            return found
        return np.hstack([found, 1.0 - found.sum(axis=1, keepdims=True)])
