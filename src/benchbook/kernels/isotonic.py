"""Isotonic regression by pooling adjacent violators: the increasing numbers that are nearest to given ones."""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def pool(value, weight, fit, mean, mass, size):
    """The increasing fit that makes sum_i weight_i (fit_i - value_i)^2 least.

    One walk: each number starts a block, and as long as the block before is not smaller the two become one, with their
    weighted mean. The blocks of equal fit may not be pooled further, which changes no value.

    Args:
        value, weight: [n], in the order of the regressor; weights positive.
        fit: [n], written.
        mean, mass, size: scratch [n]; size holds whole numbers.

    Returns:
        The number of blocks; the first so many entries of ``size`` are their lengths.
    """
    blocks = 0
    for i in range(value.size):
        mean[blocks], mass[blocks], size[blocks] = value[i], weight[i], 1
        while blocks > 0 and mean[blocks - 1] >= mean[blocks]:
            total = mass[blocks - 1] + mass[blocks]
            mean[blocks - 1] = (
                mass[blocks - 1] * mean[blocks - 1] + mass[blocks] * mean[blocks]
            ) / total
            mass[blocks - 1] = total
            size[blocks - 1] += size[blocks]
            blocks -= 1
        blocks += 1
    index = 0
    for block in range(blocks):
        for _ in range(size[block]):
            fit[index] = mean[block]
            index += 1
    return blocks


@njit(cache=True, error_model="numpy")
def pool_many(positives, weight, fits):
    """The fit of ``positives[s] / weight`` for every simulation s; positives, fits [S, n], weight [n]."""
    n = weight.size
    mean, mass, size = np.empty(n), np.empty(n), np.empty(n, np.int64)
    value = np.empty(n)
    for s in range(positives.shape[0]):
        for i in range(n):
            value[i] = positives[s, i] / weight[i]
        pool(value, weight, fits[s], mean, mass, size)
