"""PROBEN1's two losses of several outputs a case: the squared error percentage and the percentage classified wrongly.

Targets and predictions have O numbers a case; the mean over the cases is what the report prints (PROBEN1, 1994,
section 2.6).
"""

from __future__ import annotations

import numpy as np

from benchbook.errors import Undefined
from benchbook.losses.base import PointLoss
from benchbook.predictive import Outputs, Predictive
from benchbook.predictive.checks import FloatArray, IntArray


def _outputs(code: str, pred: Predictive) -> Outputs:
    if not isinstance(pred, Outputs):
        raise Undefined(
            f"loss {code} needs the outputs of every case; a {pred.kind} prediction has none"
        )
    return pred


class SquaredErrorPercentage(PointLoss):
    r"""The squared error percentage of a case.

    .. math:: E_j = \frac{100}{O} \sum_{i=1}^{O} (o_{ji} - t_{ji})^2

    with the outputs o and the targets t, [J, O] each. The report has a factor :math:`o_{max} - o_{min}` before the sum,
    which is 1 in all of its tables.
    """

    code = "E"
    name = "squared error percentage"
    description = (
        "100 times the mean squared difference of the outputs of a case from their targets."
    )
    applies_to = "outputs"
    unit = "squared error percentage"
    proper = "proper"
    source = "PROBEN1, section 2.6"

    def guess(self, pred: Predictive) -> FloatArray:
        """The outputs themselves, shape [J, O]."""
        return _outputs(self.code, pred).value

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """The loss of outputs, shape [J, O], where the targets are y, shape [J, O]; shape [J]."""
        return 100.0 * np.mean((guess - y) ** 2, axis=1)


class WrongPercentage(PointLoss):
    """100 where another output than that of the class is the largest, else 0, so that the mean is a percentage.

    Winner takes all, and of equal outputs the first one wins. It exists for classes alone: every target must have a 1
    for the class and 0 for the others.
    """

    code = "W"
    name = "wrong percentage"
    description = "100 when the largest output is not the one of the class, else 0; of equals the first one wins."
    applies_to = "outputs"
    unit = "% of cases"
    proper = "no"
    source = "PROBEN1, section 2.6"

    def guess(self, pred: Predictive) -> IntArray:
        """The index of the largest output, shape [J]."""
        return _outputs(self.code, pred).winner()

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """100 where the index [J] is not that of the 1 in the target [J, O], else 0; shape [J].

        Raises:
            Undefined: targets that are not 1 of m.
        """
        if y.shape[1] < 2 or np.any((y != 0.0) & (y != 1.0)) or np.any(y.sum(axis=1) != 1.0):
            raise Undefined(
                "loss W is for classes: every target has a 1 for its class and 0 for the others, and these "
                "have not; use E"
            )
        return 100.0 * (guess != np.argmax(y, axis=1))


squared_error_percentage = SquaredErrorPercentage()
wrong_percentage = WrongPercentage()
