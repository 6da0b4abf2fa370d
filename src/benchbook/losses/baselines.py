"""The challenge's baselines, which look at the training targets alone, and the information gained over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined
from benchbook.losses.base import SetLoss
from benchbook.predictive import Categorical, Gaussian, Predictive
from benchbook.predictive.checks import FloatArray, IntArray, class_targets, real_targets
from benchbook.statistics import standard_error


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
    of_point = True

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


class Gain(NamedTuple):
    """Information gained over a baseline.

    mean: the baseline's mean loss less the method's, in the unit of the losses; positive when the method is better.
    standard_error: of that mean over the cases, which are paired; NaN for a single case.
    share: the mean as a share of the baseline's mean loss; 1 is a loss of 0, and it says nothing for densities, whose
        losses have no zero. cases: how many there are.
    """

    mean: float
    standard_error: float
    share: float
    cases: int


def uninformed(cases: int, classes: int = 2) -> Categorical:
    """The random uninformative predictor of section 4.1: every class is equally probable in every case."""
    return Categorical(np.full((cases, classes), 1 / classes))


def class_frequencies(training_targets: ArrayLike, cases: int, classes: int = 2) -> Categorical:
    """The challenge's baseline for classes: their shares among the training targets, in every case (section 6).

    Args:
        training_targets: class indices, shape [N]. cases: the number J of cases to predict. classes: C.

    Raises:
        FaultyInput: targets that are not class indices below C.
    """
    targets = class_targets(
        "training targets of the baseline", training_targets, np.size(training_targets), classes
    )
    _need_some(targets.size)
    shares = np.bincount(targets, minlength=classes) / targets.size
    return Categorical(np.tile(shares, (cases, 1)))


def empirical_gaussian(training_targets: ArrayLike, cases: int) -> Gaussian:
    """The challenge's baseline for numbers: a Gaussian with the mean and variance of the training targets (section 6).

    The variance has the divisor N - 1; the chapter does not say which.

    Raises:
        FaultyInput: targets that are not finite numbers. Undefined: they do not differ.
    """
    targets = real_targets(
        "training targets of the baseline", training_targets, np.size(training_targets)
    )
    _need_some(targets.size)
    if targets.size < 2 or np.ptp(targets) == 0:
        raise Undefined(
            "the Gaussian baseline needs training targets that differ: here their variance is 0"
        )
    return Gaussian(np.full(cases, targets.mean()), np.full(cases, targets.var(ddof=1)))


def _need_some(count: int) -> None:
    if count == 0:
        raise FaultyInput(
            "training targets of the baseline", [Fault("targets", "none", "must be at least one")]
        )


def information_gain(losses: ArrayLike, baseline: ArrayLike) -> Gain:
    """The mean gain of information over a baseline, from log losses of the same cases.

    Sections 4.1 and 4.2 of the challenge: the difference of the log losses is the average gain in information, in the
    unit of the losses (bits for base 2). Against :func:`uninformed` it is that of class probabilities, against
    :func:`empirical_gaussian` that of densities.

    Args:
        losses, baseline: log losses of the method and the baseline, case by case in the same order, shape [J] each.

    Raises:
        BenchbookError: not as many of the one as of the other, or none.
    """
    ours, theirs = np.asarray(losses, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if ours.shape != theirs.shape or ours.ndim != 1 or ours.size == 0:
        raise BenchbookError(
            f"information gain needs two losses for each case, of shape [J] both; found {ours.shape} "
            f"and {theirs.shape}"
        )
    with np.errstate(invalid="ignore"):
        gains = theirs - ours
        error = float(standard_error(gains)) if gains.size > 1 else float("nan")
        share = float(gains.mean() / theirs.mean()) if theirs.mean() != 0 else float("nan")
    return Gain(float(gains.mean()), error, share, gains.size)
