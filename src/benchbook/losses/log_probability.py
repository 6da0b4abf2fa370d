"""L: minus the logarithm of the predictive probability or density of the target."""

from __future__ import annotations

import numpy as np

from benchbook.errors import Undefined
from benchbook.losses.arrays import class_shares
from benchbook.losses.base import DistributionLoss
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class LogProbability(DistributionLoss):
    """-log p(y) in nats: the probability of a class, or the density of a number in its own unit.

    A target to which the distribution gives no probability costs +inf; this is the loss's meaning and no fault. A
    distribution without a density (a point, draws) has no such loss. For numbers the loss may be negative, and it
    shifts by log(scale) when the target's unit changes.
    """

    code = "L"
    name = "negative log probability"
    description = "Minus the natural logarithm of the predictive probability (class) or density (number) of the target."
    applies_to = "both"
    unit = "nats"
    proper = "strictly"
    source = "DELVE, loss L"
    standard_rule = "subtract"

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """-log p(y), shape [J]."""
        return -pred.log_density(y)

    def _standard_real(self, targets: FloatArray) -> float:
        """The entropy (log(2 pi s^2) + 1)/2 of a Gaussian with their variance, s^2 = sum_j (y_j - mean)^2 / (J - 1).

        The mean loss less this constant is DELVE's standardised loss. Means shift; their standard errors do not.
        """
        if targets.size < 2 or np.ptp(targets) == 0:
            raise Undefined(
                "loss L has no standard scale here: the targets do not differ, so that their variance is 0"
            )
        return float(0.5 * (np.log(2 * np.pi * targets.var(ddof=1)) + 1))

    def _standard_class(self, targets: IntArray) -> float:
        """The entropy -sum_c p_c log p_c of the shares p_c of the classes; 0 when there is one only."""
        shares = class_shares(targets)
        return float(-(shares * np.log(shares)).sum()) + 0.0


loss = LogProbability()
