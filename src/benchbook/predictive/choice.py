"""Choosing one of several with given probabilities, for many cases together."""

from __future__ import annotations

import numpy as np

from benchbook.predictive.checks import FloatArray, IntArray


def choose(share: FloatArray, uniform: FloatArray) -> IntArray:
    """The index whose stretch of the cumulated shares holds each uniform number: the inverse of a discrete cdf.

    min {m : share_j0 + ... + share_jm > u_jn (share_j0 + ... )}; an index of share zero is never chosen.

    Args:
        share: non-negative, shape [J, M].
        uniform: in [0, 1), shape [J, n].

    Returns:
        Indices in 0..M-1, shape [J, n].
    """
    if share.shape[0] > 1 and share.strides[0] == 0:
        share = share[:1]
    cumulative = np.cumsum(share, axis=1)
    total = cumulative[:, -1:]
    sought = np.minimum(uniform * total, np.nextafter(total, 0.0))
    if cumulative.shape[0] == 1:
        return np.searchsorted(cumulative[0], sought, side="right").astype(np.int64)
    case = np.arange(len(sought))[:, None]
    low = np.zeros(sought.shape, dtype=np.int64)
    high = np.full(sought.shape, share.shape[1] - 1, dtype=np.int64)
    for _ in range(int(share.shape[1] - 1).bit_length()):
        middle = (low + high) // 2
        beyond = cumulative[case, middle] > sought
        high = np.where(beyond, middle, high)
        low = np.where(beyond, low, np.minimum(middle + 1, high))
    return low
