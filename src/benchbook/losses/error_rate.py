"""01L: the challenge's average classification error, in which a tie counts as the positive class."""

from __future__ import annotations

import numpy as np

from benchbook.errors import Undefined
from benchbook.losses.base import PointLoss
from benchbook.predictive import Categorical, Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class ClassificationError(PointLoss):
    """1 where p(class 1) < 0.5 for a target 1 or p(class 1) >= 0.5 for a target 0, else 0.

    The mean over the cases is equation 11 of the challenge. Class 1 is its class "+1". It differs from the 0-1 loss Z
    in ties alone: there a probability of just 0.5 says class 0, the first, and here it says class 1.
    """

    code = "01L"
    name = "average classification error"
    description = "1 when the probability of class 1, held against 0.5, gives the wrong class, else 0; 0.5 says 1."
    applies_to = "class"
    unit = "fraction"
    proper = "proper"
    source = "Evaluating Predictive Uncertainty Challenge, equation 11"

    def guess(self, pred: Predictive) -> IntArray:
        """1 where the probability of class 1 is at least 0.5, else 0; shape [J]."""
        return (positive_probability(self.code, pred) >= 0.5).astype(np.int64)

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """1 where the guess is not y, else 0, shape [J]."""
        return (guess != y).astype(np.float64)


def positive_probability(code: str, pred: Predictive) -> FloatArray:
    """The probability of class 1 of two, shape [J].

    Raises:
        Undefined: the prediction is not one of two classes.
    """
    if not isinstance(pred, Categorical):
        raise Undefined(
            f"loss {code} needs the probabilities of two classes; a {pred.kind} prediction has none"
        )
    if pred.classes != 2:
        raise Undefined(
            f"loss {code} is for two classes, 0 and the positive 1; these are {pred.classes}"
        )
    return pred.probability[:, 1]


loss = ClassificationError()
