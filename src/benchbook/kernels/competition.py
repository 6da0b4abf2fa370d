"""Competitive learning: units that share the input space among them, each with a region and a least-squares plane.

The centres come as [d, K], a line for each input: then the units are the lanes of the vector instructions, and the sum
over the inputs of each distance is taken term after term, the same to the bit everywhere.
"""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def _squares(case, centres, out):
    """out[k] <- |case - centre k|^2."""
    for k in range(out.size):
        out[k] = 0.0
    for i in range(case.size):
        value = case[i]
        for k in range(out.size):
            away = value - centres[i, k]
            out[k] += away * away


@njit(cache=True, error_model="numpy")
def _least(values):
    best = 0
    for k in range(1, values.size):
        if values[k] < values[best]:
            best = k
    return best


@njit(cache=True, error_model="numpy")
def assign(inputs, centres, owner):
    """The unit whose centre is nearest to each case, of equals the first.

    Args:
        inputs: [N, d].
        centres: [d, K].
        owner: [N] whole numbers, filled.
    """
    room = np.empty(centres.shape[1])
    for c in range(inputs.shape[0]):
        _squares(inputs[c], centres, room)
        owner[c] = _least(room)


@njit(cache=True, error_model="numpy")
def compete(inputs, centres, order, first, last):
    """One case after the other, the unit that wins it moves towards it.

        winner = argmin_k n_k |x - c_k|^2,      c_winner += rate (x - c_winner),      n_winner += 1

    n_k, the cases won, begins at 1: a unit that wins often gives way (Ahalt, Krishnamurthy, Chen and Melton,
    Competitive learning algorithms for vector quantization, 1990). The rate falls from ``first`` to ``last`` in equal
    ratios.

    Args:
        inputs: [N, d].
        centres: [d, K], changed in place.
        order: [T] cases in the order in which they come.
        first, last: rates between 0 and 1.
    """
    units = centres.shape[1]
    won, room = np.ones(units), np.empty(units)
    rate, ratio = first, (last / first) ** (1.0 / max(order.size - 1, 1))
    for c in order:
        _squares(inputs[c], centres, room)
        for k in range(units):
            room[k] *= won[k]
        winner = _least(room)
        won[winner] += 1.0
        for i in range(inputs.shape[1]):
            centres[i, winner] += rate * (inputs[c, i] - centres[i, winner])
        rate *= ratio


@njit(cache=True, error_model="numpy")
def gather(inputs, targets, times, owner, centres, products, sums):
    """The normal equations of each region's plane, a + b'(x - centre), fitted to targets.

    Args:
        inputs, targets: [N, d], [N].
        times: [N], how often each case counts.
        owner: [N], the unit of each case.
        centres: [d, K].
        products: [K, d + 1, d + 1], to which sum times (1, x - centre)(1, x - centre)' is added.
        sums: [K, d + 1], to which sum times (1, x - centre) target is added.
    """
    d = inputs.shape[1]
    row = np.ones(d + 1)
    for c in range(inputs.shape[0]):
        if times[c] == 0.0:
            continue
        k = owner[c]
        for i in range(d):
            row[i + 1] = inputs[c, i] - centres[i, k]
        for i in range(d + 1):
            weighed = times[c] * row[i]
            sums[k, i] += weighed * targets[c]
            for j in range(d + 1):
                products[k, i, j] += weighed * row[j]


@njit(cache=True, error_model="numpy")
def planes(inputs, owner, centres, slopes, out):
    """a + b'(x - centre) of each case's region.

    Args:
        inputs, owner, centres: as for ``gather``.
        slopes: [K, d + 1], a and b of each unit.
        out: [N], filled.
    """
    for c in range(inputs.shape[0]):
        k = owner[c]
        total = slopes[k, 0]
        for i in range(inputs.shape[1]):
            total += slopes[k, i + 1] * (inputs[c, i] - centres[i, k])
        out[c] = total
