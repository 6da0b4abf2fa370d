"""nMSE: the mean squared error over the variance of the test targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import Undefined
from benchbook.losses.base import SetLoss
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class NormalisedSquaredError(SetLoss):
    r"""Equation 17 of the challenge.

    .. math:: L = \frac{1}{n} \sum_i \frac{(t_i - m_i)^2}{\mathrm{var}(t)}, \quad
              \mathrm{var}(t) = \frac{1}{n - 1} \sum_i (t_i - \bar t)^2

    with the mean m_i of each predictive distribution. The chapter says "sample variance"; the divisor n - 1 is our
    reading. It is the mean of loss S on its standard scale.

    Since var(t) is that of the very targets judged, it is not proper for few cases: where targets with a large mean
    also vary more, a guess below the true mean has a smaller expected loss.
    """

    code = "nMSE"
    name = "normalised mean squared error"
    description = "The mean squared distance of the targets from the predictive means, over the targets' variance."
    applies_to = "real"
    unit = "share of the variance of the test targets"
    proper = "no"
    source = "Evaluating Predictive Uncertainty Challenge, equation 17"

    def of_set(self, pred: Predictive, y: FloatArray | IntArray) -> float:
        """The loss of the set, for targets of shape [J] that differ."""
        return float(normalised_squared_errors(pred.mean(), y).mean())


def normalised_squared_errors(guess: ArrayLike, y: ArrayLike) -> FloatArray:
    """(t_i - m_i)^2 / var(t), shape [J]: what each case gives to equation 17.

    Raises:
        Undefined: the targets do not differ, so that their variance is 0, or there is one only.
    """
    targets = np.asarray(y, dtype=np.float64)
    if targets.size < 2 or np.ptp(targets) == 0:
        raise Undefined("loss nMSE needs targets that differ: here their variance is 0; use loss S")
    return np.square(targets - np.asarray(guess, dtype=np.float64)) / targets.var(ddof=1)


loss = NormalisedSquaredError()
