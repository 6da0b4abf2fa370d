"""The shares of the classes among targets."""

from __future__ import annotations

import numpy as np

from benchbook.predictive.checks import FloatArray, IntArray


def class_shares(targets: IntArray) -> FloatArray:
    """The share of every class that occurs among class indices of shape [J]; positive, summing to 1."""
    counts = np.unique(targets, return_counts=True)[1]
    return counts / targets.size
