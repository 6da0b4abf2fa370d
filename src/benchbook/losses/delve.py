"""DELVE's losses: A and S of numbers, Z and Q of classes, and L of both."""

from __future__ import annotations

import numpy as np

from benchbook.errors import Undefined
from benchbook.losses.arrays import class_shares
from benchbook.losses.base import DistributionLoss, PointLoss
from benchbook.predictive import Categorical, Predictive
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
        _must_differ("A", targets, "spread")
        return float(np.abs(targets - np.median(targets)).sum() / (targets.size - 1))


absolute = AbsoluteError()


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
    of_point = True

    def guess(self, pred: Predictive) -> FloatArray:
        """The mean, shape [J]."""
        return pred.mean()

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """(y - guess)^2, shape [J]."""
        return np.square(y - guess)

    def _standard_real(self, targets: FloatArray) -> float:
        """The variance, sum_j (y_j - mean)^2 / (J - 1)."""
        _must_differ("S", targets, "variance")
        return float(targets.var(ddof=1))


squared = SquaredError()


class ZeroOne(PointLoss):
    """1 when the guessed class is not the target, else 0; the guess is the most probable class, of equals the first."""

    code = "Z"
    name = "0-1 loss"
    description = "1 when the most probable class is not the target, else 0; of equals the first class counts."
    applies_to = "class"
    unit = "fraction"
    proper = "proper"
    source = "DELVE, loss Z"
    standard_rule = "divide"

    def guess(self, pred: Predictive) -> IntArray:
        """The index of the most probable class, shape [J]; of equally probable classes the lowest index."""
        pred = of_classes("Z", pred)
        return pred.most_probable()

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """1 where the guess is not y, else 0, shape [J]."""
        return (guess != y).astype(float)

    def _standard_class(self, targets: IntArray) -> float:
        """1 - max_c p_c, where p_c is the share of class c: the loss of always guessing the most frequent class."""
        shares = _several_shares("Z", targets)
        return float(1 - shares.max())


zero_one = ZeroOne()


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
        pred = of_classes("Q", pred)
        away = pred.probability.copy()
        away[np.arange(len(pred)), y] -= 1
        return np.square(away).sum(axis=1)

    def _standard_class(self, targets: IntArray) -> float:
        """1 - sum_c f_c^2, where f_c is the share of class c."""
        shares = _several_shares("Q", targets)
        return float(1 - np.square(shares).sum())


squared_probability = SquaredProbability()


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
        _must_differ("L", targets, "variance")
        return float(0.5 * (np.log(2 * np.pi * targets.var(ddof=1)) + 1))

    def _standard_class(self, targets: IntArray) -> float:
        """The entropy -sum_c p_c log p_c of the shares p_c of the classes; 0 when there is one only."""
        shares = class_shares(targets)
        return float(-(shares * np.log(shares)).sum()) + 0.0


log_probability = LogProbability()


def of_classes(code: str, pred: Predictive) -> Categorical:
    """The prediction, if it is one of classes.

    Raises:
        Undefined: it has no probability of every class.
    """
    if not isinstance(pred, Categorical):
        raise Undefined(
            f"loss {code} needs the probability of every class; a {pred.kind} prediction has none"
        )
    return pred


def _must_differ(code: str, targets: FloatArray, measure: str) -> None:
    """Refuse targets that are all the same, by which nothing can be standardised."""
    if targets.size < 2 or np.ptp(targets) == 0:
        raise Undefined(
            f"loss {code} has no standard scale here: the targets do not differ, so that their {measure} is 0"
        )


def _several_shares(code: str, targets: IntArray) -> FloatArray:
    """The shares of the classes, of which there must be at least two."""
    shares = class_shares(targets)
    if shares.size == 1:
        raise Undefined(f"loss {code} has no standard scale here: all targets are of one class")
    return shares
