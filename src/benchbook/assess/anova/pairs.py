"""Mean squares of the loss differences of every pair of methods, without forming the differences.

With effects and residuals centred first, a pair's sum of squares is that of a difference of two vectors, and all of
them together come from one matrix of inner products. Where two methods are so alike that this would cancel digits
away, the difference is formed after all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.anova.squares import Array, MeanSquares, Scheme, centred, from_sums
from benchbook.assess.rounding import TOLERANCE

_CANCELS = 1e-3


@dataclass(frozen=True)
class Squares:
    """Mean squares of M methods' losses, and of the differences of their pairs.

    Attributes:
        single: mean squares of each method's losses, arrays [M].
        paired: mean squares of first minus second, arrays [P].
        first, second: the pairs' positions among the methods, [P], first < second.
        scale: size of the losses a pair's differences come from, [P].
        alike: whether the two methods have the same loss in every case, but for rounding, [P].
    """

    single: MeanSquares
    paired: MeanSquares
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    scale: Array
    alike: NDArray[np.bool_]


def pair_squares(rows: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Σ_k (rows[first, k] - rows[second, k])² for every pair, [P], from rows [M, K] whose mean is zero."""
    inner = rows @ rows.T
    own = np.diagonal(inner)
    size = own[first] + own[second]
    result = size - 2.0 * inner[first, second]
    for pair in np.flatnonzero(result < _CANCELS * size):
        difference = rows[first[pair]] - rows[second[pair]]
        result[pair] = difference @ difference
    return result


def all_squares(losses: Array, scheme: Scheme) -> Squares:
    """Mean squares of M methods' finite losses [M, I, J] and of the differences of their M(M-1)/2 pairs."""
    methods, shape = losses.shape[0], losses.shape[1:]
    mean, by_instance, by_case, residual = centred(losses, scheme)
    rows = residual.reshape(methods, shape[0] * shape[1])
    single = from_sums(
        scheme,
        shape,
        mean,
        np.vecdot(by_instance, by_instance),
        np.vecdot(by_case, by_case),
        np.vecdot(rows, rows),
    )
    first, second = np.triu_indices(methods, k=1)
    residual_squares = pair_squares(rows, first, second)
    gap = by_instance[first] - by_instance[second]
    paired = from_sums(
        scheme,
        shape,
        mean[first] - mean[second],
        np.vecdot(gap, gap),
        pair_squares(by_case, first, second),
        residual_squares,
    )
    size = np.abs(mean) + np.abs(by_instance).max(axis=1)
    alike = np.zeros(len(first), dtype=bool)
    rounding = TOLERANCE * np.maximum(size[first], size[second])
    for pair in np.flatnonzero(np.abs(paired.mean) <= rounding):
        gaps = losses[first[pair]] - losses[second[pair]]
        alike[pair] = float(np.abs(gaps).max()) <= rounding[pair]
    return Squares(single, paired, first, second, np.maximum(size[first], size[second]), alike)
