"""LIFT: the area that an ordering of the cases loses under the lift curve, and the curve itself.

Notation: n cases of which n+ are positive (class 1), their share s = n+/n; p_j the probability of class 1. The chapter
does not say what to do with equal probabilities. Here the curve and its area are averages over all orders of the cases
that are tied, exact and not simulated: within a tied group every case is positive with the group's share of positives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import Undefined
from benchbook.losses.base import SetLoss
from benchbook.losses.challenge import positive_probability
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class LiftCurve(NamedTuple):
    """``share`` [n], the k/n; ``lift`` [n], the l(k/n); ``positive``, the share s of positive cases."""

    share: FloatArray
    lift: FloatArray
    positive: float


def lift_curve(probability: ArrayLike, y: ArrayLike) -> LiftCurve:
    r"""Equation 13: the lift of the k cases that are most probably positive, for k = 1..n.

    .. math:: l(k/n) = \frac{1}{s} \, \frac{1}{k} \sum_{i \le k} 1\{t_{s_i} = +1\}

    Averaged over the orders of tied cases. The ideal curve is 1/s for k/n <= s; the chapter prints the count n+ in both
    places where the share is meant.

    Args:
        probability: of class 1, or anything that orders the cases as it does, shape [n].
        y: 1 for positive cases, else 0, shape [n].

    Raises:
        Undefined: no case is positive, or all are: then no order is better than another.
    """
    scores = np.asarray(probability, dtype=np.float64)
    positive = np.asarray(y, dtype=np.float64)
    n, share = positive.size, float(positive.mean())
    if not 0 < share < 1:
        raise Undefined(
            "loss LIFT needs cases of both classes: with one alone "
            "no order of them is better than another"
        )
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    changes = ordered[1:] != ordered[:-1]
    first = np.flatnonzero(np.concatenate(([True], changes)))
    ends = np.append(first[1:], n)
    # Tied cases are one straight stretch of the expected count of positives:
    # its corners say it all.
    totals = np.add.reduceat(positive[order], first).cumsum()
    k = np.arange(1, n + 1)
    corners = np.concatenate(([0], ends)), np.concatenate(([0.0], totals))
    counts = np.interp(k, *corners)
    return LiftCurve(k / n, counts / k / share, share)


def ideal_area_bound(positive: float) -> float:
    r"""Equation 14: :math:`A_I = 1 + \tfrac12 (1/s - 1)(s + 1)`, for the share s of positive cases, 0 < s < 1.

    It is the area under a bound of the ideal curve, flat at 1/s up to s and then straight to (1, 1), and so more than
    the area of the ideal curve itself.
    """
    return 1 + 0.5 * (1 / positive - 1) * (positive + 1)


def ideal_area(positive: float) -> float:
    """The area under the ideal curve itself for many cases, 1 + ln(1/s): 1/s up to s, then 1 over k/n."""
    return 1 + float(np.log(1 / positive))


def lift_area(curve: LiftCurve) -> float:
    """Equation 15: A, the mean of the lift over k = 1..n."""
    return float(curve.lift.mean())


def lift_loss(probability: ArrayLike, y: ArrayLike) -> float:
    """Equation 16: (A_I - A)/(A_I - 1); arguments and errors as for :func:`lift_curve`. About 1 for a random order."""
    curve = lift_curve(probability, y)
    bound = ideal_area_bound(curve.positive)
    return (bound - lift_area(curve)) / (bound - 1)


def least_lift_loss(positive: float) -> float:
    """The loss of an ideal order for many cases, (A_I - 1 - ln(1/s))/(A_I - 1).

    The chapter says that the least loss is about 0. It is 0.206 for s = 0.3 and 0.700 for s = 0.05, since A_I is a
    bound.
    """
    bound = ideal_area_bound(positive)
    return (bound - ideal_area(positive)) / (bound - 1)


class Lift(SetLoss):
    """The LIFT loss of a set, :func:`lift_loss`; tied cases count as the average over all their orders.

    It sees the order of the cases only: any increasing map of the probabilities leaves it as it is.
    """

    code = "LIFT"
    name = "LIFT loss"
    description = "The area lost under the lift curve, as a share of what a random order loses; ties are averaged."
    applies_to = "class"
    unit = "share of the area a random order loses"
    proper = "proper"
    source = "Evaluating Predictive Uncertainty Challenge, equations 13 to 16"

    def of_set(self, pred: Predictive, y: FloatArray | IntArray) -> float:
        """(A_I - A)/(A_I - 1), for the probabilities of class 1 of two."""
        return lift_loss(positive_probability(self.code, pred), y)


loss = Lift()
