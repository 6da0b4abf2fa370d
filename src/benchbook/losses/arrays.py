"""Losses from bare arrays, case by case and fast: what the losses of the registry call once all is checked.

Nothing is checked here: float64 arrays of the shapes stated, finite, C-contiguous along their last axis, variances
above 0, quantiles and levels increasing. Each function writes into ``out`` [J] when it is given and returns it, so that
block after block needs the memory of one. The formulas are those of :mod:`benchbook.losses.crps_plain` and of the
losses themselves.
"""

from __future__ import annotations

import numpy as np

from benchbook import kernels
from benchbook.predictive.checks import FloatArray, IntArray

_NETWORK_MOST = 256  # draws; more are sorted case by case, since a network grows faster than a sort


def gaussian_nlpd(
    y: FloatArray, mean: FloatArray, variance: FloatArray, out: FloatArray | None = None
) -> FloatArray:
    """-log N(y; mean, variance) in nats; all arrays [J], variances between 1e-290 and 1e290."""
    losses = _output(out, y.size)
    kernels.crps.gaussian_nlpd(y, mean, variance, losses)
    return losses


def two_class_nlp(
    probability: FloatArray, positive: np.ndarray, out: FloatArray | None = None
) -> FloatArray:
    """-log p for positive cases and -log(1 - p) for the others, in nats.

    Args:
        probability: of class 1, shape [J]. positive: 1 or 0, shape [J], of any whole type or bool.
    """
    losses = _output(out, probability.size)
    kernels.crps.two_class_nlp(probability, positive, losses)
    return losses


def gaussian_crps(
    y: FloatArray, mean: FloatArray, variance: FloatArray, out: FloatArray | None = None
) -> FloatArray:
    """The CRPS of Gaussians, in target units; all arrays [J]."""
    losses = _output(out, y.size)
    kernels.crps.gaussian(y, mean, variance, losses)
    return losses


def mixture_crps(
    y: FloatArray,
    weight: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """The CRPS of mixtures of Gaussians; mean [J, M], weight and variance [J, M] or, shared by all cases, [1, M]."""
    losses = _output(out, y.size)
    kernels.crps.mixture(y, weight, mean, variance, losses)
    return losses


def quantile_crps(
    y: FloatArray, level: FloatArray, value: FloatArray, out: FloatArray | None = None
) -> FloatArray:
    """The CRPS of quantiles with exponential tails; value [J, K], level [K] or [J, K]."""
    losses = _output(out, y.size)
    kernels.crps.quantiles(y, np.atleast_2d(level), value, losses)
    return losses


def draws_crps(
    y: FloatArray, value: FloatArray, fair: bool = False, out: FloatArray | None = None
) -> FloatArray:
    """The CRPS of draws, plain or fair; value [J, M]."""
    losses = _output(out, y.size)
    count = value.shape[1]
    kernels.crps.draws(
        y, value, kernels.crps.network(count if count <= _NETWORK_MOST else 0), fair, losses
    )
    return losses


def _output(out: FloatArray | None, cases: int) -> FloatArray:
    return np.empty(cases) if out is None else out


def class_shares(targets: IntArray) -> FloatArray:
    """The share of every class that occurs among class indices of shape [J]; positive, summing to 1."""
    counts = np.unique(targets, return_counts=True)[1]
    return counts / targets.size
