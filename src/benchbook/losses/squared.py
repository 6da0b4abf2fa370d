"""S: the squared error."""

from __future__ import annotations

import numpy as np

from benchbook.errors import Undefined
from benchbook.losses.base import PointLoss
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class SquaredError(PointLoss):
    """(y - g)^2, where the guess g is the mean of the predictive distribution."""

    code = "S"
    name = "squared error"
    description = (
        "The squared distance between the target and the mean of the predictive distribution."
    )
    applies_to = "real"
    unit = "target unit squared"
    proper = "proper"
    source = "DELVE, loss S"
    standard_rule = "divide"

    def guess(self, pred: Predictive) -> FloatArray:
        """The mean, shape [J]."""
        return pred.mean()

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """(y - guess)^2, shape [J]."""
        return np.square(y - guess)

    def _standard_real(self, targets: FloatArray) -> float:
        """The variance, sum_j (y_j - mean)^2 / (J - 1)."""
        if targets.size < 2 or np.ptp(targets) == 0:
            raise Undefined(
                "loss S has no standard scale here: the targets do not differ, so that their variance is 0"
            )
        return float(targets.var(ddof=1))


loss = SquaredError()
