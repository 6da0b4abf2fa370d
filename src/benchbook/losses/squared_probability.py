"""Q: the squared error of the predictive probabilities."""

from __future__ import annotations

import numpy as np

from benchbook.errors import Undefined
from benchbook.losses.arrays import class_shares
from benchbook.losses.base import DistributionLoss
from benchbook.predictive import Categorical, Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class SquaredProbability(DistributionLoss):
    """sum_c (p_c - 1{y = c})^2 over the classes, between 0 and 2.

    Its standardising constant, 1 - sum_c f_c^2 with the shares f_c of the classes, is the mean loss of predicting those
    shares for every case.
    """

    code = "Q"
    name = "squared probability loss"
    description = "The squared distance between the predictive probabilities and 1 for the true class, else 0."
    applies_to = "class"
    unit = "squared probability"
    proper = "strictly"
    source = "DELVE, loss Q"
    standard_rule = "divide"

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """sum_c (p_jc - 1{y_j = c})^2, shape [J]."""
        if not isinstance(pred, Categorical):
            raise Undefined(
                f"loss Q needs the probability of every class; a {pred.kind} prediction has none"
            )
        away = pred.probability.copy()
        away[np.arange(len(pred)), y] -= 1
        return np.square(away).sum(axis=1)

    def _standard_class(self, targets: IntArray) -> float:
        """1 - sum_c f_c^2, where f_c is the share of class c."""
        shares = class_shares(targets)
        if shares.size == 1:
            raise Undefined("loss Q has no standard scale here: all targets are of one class")
        return float(1 - np.square(shares).sum())


loss = SquaredProbability()
