"""BRIER: the squared error of the probability of the positive class."""

from __future__ import annotations

import numpy as np

from benchbook.losses.base import DistributionLoss
from benchbook.losses.error_rate import positive_probability
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class Brier(DistributionLoss):
    """(p_j - y_j)^2 with the probability p_j of class 1 and the target y_j, 0 or 1; between 0 and 1.

    For two classes it is half of loss Q, which sums over both.
    """

    code = "BRIER"
    name = "Brier loss"
    description = "The squared distance of the probability of class 1 from the target, 0 or 1."
    applies_to = "class"
    unit = "squared probability"
    proper = "strictly"
    source = "Brier, Verification of forecasts expressed in terms of probability (1950)"

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """(p_j - y_j)^2, shape [J]."""
        return np.square(positive_probability(self.code, pred) - y)


loss = Brier()
