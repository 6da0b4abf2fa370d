"""One nearest neighbour on one input, for many data sets and many partitions of each."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def nearest_losses(inputs, targets, order, train, test):
    """Mean squared error of the nearest training case's target on the test cases.

    Walking along the sorted inputs, the nearest training case is the last one passed or the next one to come, so a
    partition costs two walks.

    Args:
        inputs, targets: [B, N], the cases of B data sets, each sorted by input.
        order: [B, N], the place of each sorted case in ``train`` and ``test``.
        train, test: [R, N] booleans.

    Returns:
        [B, R].
    """
    worlds, cases = inputs.shape
    sets = train.shape[0]
    result = np.empty((worlds, sets))
    left = np.empty(cases, dtype=np.int64)
    for b in range(worlds):
        for r in range(sets):
            last = -1
            for k in range(cases):
                left[k] = last
                if train[r, order[b, k]]:
                    last = k
            following = -1
            total = 0.0
            count = 0
            for k in range(cases - 1, -1, -1):
                case = order[b, k]
                if test[r, case]:
                    near = following
                    before = left[k]
                    if near < 0 or (
                        before >= 0
                        and inputs[b, k] - inputs[b, before] <= inputs[b, near] - inputs[b, k]
                    ):
                        near = before
                    error = targets[b, k] - targets[b, near]
                    total += error * error
                    count += 1
                if train[r, case]:
                    following = k
            result[b, r] = total / count
    return result
