"""The least variance that the methods of this room state, so that a perfect fit never claims to know everything."""

from __future__ import annotations

import numpy as np

_LEAST_SHARE = 1e-6


def stated_variance(estimate: float, targets: np.ndarray) -> float:
    """An estimated predictive variance, held away from zero.

    v = max(estimate, 1e-6 s^2), s^2 the (n-1) variance of the training targets; v = 1, the unit of the encoded scale,
    when all training targets are equal and say nothing of their spread. The rule is ours.

    Args:
        estimate: a non-negative variance on the encoded scale.
        targets: [N] training targets on the encoded scale.
    """
    return max(float(estimate), least_variance(targets))


def least_variance(targets: np.ndarray) -> float:
    """The variance that :func:`stated_variance` never goes below, from training targets [N] on the encoded scale."""
    spread = float(np.var(targets, ddof=1)) if len(targets) > 1 and np.ptp(targets) > 0 else 0.0
    return _LEAST_SHARE * spread if spread > 0.0 else 1.0
