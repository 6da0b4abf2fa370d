"""The losses of the challenge, NLPD of numbers, NLP and 01L of classes, and of two classes the Brier loss.

Its LIFT is in ``lift_area``.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError, Undefined
from benchbook.losses import arrays
from benchbook.losses.base import DistributionLoss, PointLoss
from benchbook.losses.delve import of_classes
from benchbook.predictive import Categorical, Gaussian, Predictive
from benchbook.predictive.checks import FloatArray, IntArray

Base = Literal["e", "2", "10"]
Clip = Literal["none", "1/n"]
_LOG = {"e": 1.0, "2": float(np.log(2.0)), "10": float(np.log(10.0))}
_UNIT = {"e": "nats", "2": "bits", "10": "base-10 units"}
_SUFFIX = {"e": "", "2": "2", "10": "10"}


class NegativeLogDensity(DistributionLoss):
    r"""The negative log predictive density of a case, whose mean over the cases is equation 18 of the challenge.

    .. math:: L_j = -\log p_j(y_j)

    in nats, with the density per unit of the target: a target measured in another unit shifts it by the logarithm of
    the ratio of the units, and it may be negative. It is unbounded below, and a target that takes few values lets a
    method drive it down by narrow spikes; see :mod:`benchbook.losses.gaming`. +inf where the density is zero.
    """

    code = "NLPD"
    name = "negative log predictive density"
    description = "Minus the natural logarithm of the predictive density of the target, per unit of the target."
    applies_to = "real"
    unit = "nats, density per target unit"
    proper = "strictly"
    source = "Evaluating Predictive Uncertainty Challenge, equation 18"

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """-log p_j(y_j), shape [J]."""
        if isinstance(pred, Gaussian):
            variance = pred.parameters["variance"]
            if variance.min() > _LEAST and variance.max() < 1 / _LEAST:
                return arrays.gaussian_nlpd(
                    np.asarray(y, dtype=np.float64), pred.parameters["mean"], variance
                )
        return -pred.log_density(y)


_LEAST = 1e-290  # of a variance, so that nothing on the way to the loss overflows
GAUSSIAN_CONSTANT = 0.5 * float(np.log(2 * np.pi))


def gaussian_nlpd(
    y: ArrayLike, mean: ArrayLike, variance: ArrayLike, constant: float = GAUSSIAN_CONSTANT
) -> FloatArray:
    r"""Equation 19: the NLPD of a Gaussian, :math:`\tfrac12 [\log v + (t - m)^2 / v] + c`, in nats.

    Args:
        y, mean, variance: arrays that broadcast together; variances greater than 0.
        constant: c, which the chapter leaves open; log(2 pi)/2 makes it the NLPD, 0 what its figure 7 shows.

    Returns:
        The loss, of the broadcast shape.
    """
    variance = np.asarray(variance, dtype=np.float64)
    away = np.asarray(y, dtype=np.float64) - np.asarray(mean, dtype=np.float64)
    return 0.5 * (np.log(variance) + away * away / variance) + constant


log_density = NegativeLogDensity()


class NegativeLogProbability(DistributionLoss):
    r"""The negative log probability of a case, whose mean over the cases is equation 12 of the challenge.

    .. math:: L_j = -\log_b p_j(y_j)

    The chapter does not say the base. Its tables are in base 10: the class frequencies of its set Catalysis, 0.409 and
    0.591, have the entropy 0.2938 in base 10 and 0.676 in nats, and the table says 0.2940.

    Args:
        base: "e" (nats, the default), "2" (bits) or "10".
        clip: "none"; or "1/n", the chapter's section 4.3: of two classes, probabilities below 1/n count as 1/n and
            those above 1 - 1/n as 1 - 1/n, so that no case costs more than log n. A clipped loss is proper and not
            strictly so: between probabilities that are clipped to the same one it sees no difference.
        observed: n, the number of observed cases: the chapter leaves open which; we mean those trained on, at least 2.

    Raises:
        BenchbookError: an unknown base or clip, or a clip without its n.
    """

    code = "NLP"
    name = "negative log probability of the class"
    description = "Minus the logarithm of the predictive probability of the true class."
    applies_to = "class"
    unit = "nats"
    proper = "strictly"
    source = "Evaluating Predictive Uncertainty Challenge, equation 12"

    def __init__(self, base: Base = "e", clip: Clip = "none", observed: int | None = None) -> None:
        if base not in _LOG or clip not in ("none", "1/n"):
            raise BenchbookError(
                f"base must be one of e, 2, 10 and clip none or 1/n; found {base!r} and {clip!r}"
            )
        if (clip == "1/n") != (observed is not None) or (observed is not None and observed < 2):
            raise BenchbookError(
                f"clip 1/n needs observed, a whole number of at least 2, and no other clip takes it; "
                f"found clip {clip!r} and observed {observed!r}"
            )
        self.base, self.clip, self.observed = base, clip, observed
        text = f"{self.description[:-1]}, base {base}"
        self._describe("code", f"NLP{_SUFFIX[base]}" + (f"[1/{observed}]" if observed else ""))
        within = f", clipped to [1/{observed}, 1 - 1/{observed}]" if observed else ""
        self._describe("description", f"{text}{within}.")
        self._describe("unit", _UNIT[base])
        self._describe("proper", "proper" if observed else "strictly")

    def _describe(self, name: str, value: str) -> None:
        object.__setattr__(self, name, value)

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """-log p_j(y_j) to the base, shape [J]; +inf where the probability is 0 and nothing is clipped."""
        pred = of_classes(self.code, pred)
        if self.observed is None:
            return -pred.log_density(y) / _LOG[self.base]
        if pred.classes != 2:
            raise Undefined(
                f"loss {self.code} clips the probabilities of two classes; these are {pred.classes}"
            )
        probability = pred.probability[np.arange(len(pred)), y.astype(np.intp)]
        return -np.log(clipped(probability, self.observed)) / _LOG[self.base]


def clipped(probability: FloatArray, observed: int) -> FloatArray:
    """Probabilities of one of two classes held within [1/n, 1 - 1/n], n = observed: section 4.3 of the challenge."""
    return np.clip(probability, 1 / observed, 1 - 1 / observed)


nats = NegativeLogProbability()
base_10 = NegativeLogProbability("10")


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


error_rate = ClassificationError()


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


brier = Brier()
