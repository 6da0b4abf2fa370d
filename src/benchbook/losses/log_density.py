"""NLPD: minus the logarithm of the predictive density, in nats and on the original scale of the target."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from benchbook.losses import arrays
from benchbook.losses.base import DistributionLoss
from benchbook.predictive import Gaussian, Predictive
from benchbook.predictive.checks import FloatArray, IntArray


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


loss = NegativeLogDensity()
