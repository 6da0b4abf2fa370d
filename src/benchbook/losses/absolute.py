"""A: the absolute error."""

from __future__ import annotations

import numpy as np

from benchbook.errors import Undefined
from benchbook.losses.base import PointLoss
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class AbsoluteError(PointLoss):
    """|y - g|, where the guess g is the median of the predictive distribution."""

    code = "A"
    name = "absolute error"
    description = "The distance between the target and the median of the predictive distribution."
    applies_to = "real"
    unit = "target unit"
    proper = "proper"
    source = "DELVE, loss A"
    standard_rule = "divide"

    def guess(self, pred: Predictive) -> FloatArray:
        """The median, shape [J]."""
        return pred.median()

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """|y - guess|, shape [J]."""
        return np.abs(y - guess)

    def _standard_real(self, targets: FloatArray) -> float:
        """The average absolute deviation from the median, sum_j |y_j - median| / (J - 1)."""
        if targets.size < 2 or np.ptp(targets) == 0:
            raise Undefined(
                "loss A has no standard scale here: the targets do not differ, so that their spread is 0"
            )
        return float(np.abs(targets - np.median(targets)).sum() / (targets.size - 1))


loss = AbsoluteError()
