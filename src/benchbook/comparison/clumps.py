"""Whether rows of a table come in clumps, whatever their order: near-copies, or several rows of one person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

_NEIGHBOURS, _LEVEL, _LEAST_ROWS, _LEAST_DIMENSION, _MOST_QUERIES = 10, 0.001, 50, 2.0, 1000


def clumped_share(inputs: NDArray[np.float64]) -> float:
    """The share of rows whose next neighbours stand apart from those after them as chance hardly does.

    With d_k the distance to the k-th neighbour and rows spread evenly in D dimensions, (d_k / d_{k+1})^(kD) is uniform.
    D is taken from the median over all k to 10. A row is clumped when one of its ten numbers is below .001: chance does
    this to 1 % of rows, on 24 public tables to at most 6.4 %, and three copies in ten with noise of 1e-6 to 42 % or
    more (``benchmarks/battery/README.md``). With fewer than 50 rows, or D below 2, it is 0.

    Args:
        inputs: [N, d], numbers on one scale, most of them different.

    Source: Levina and Bickel (2004), "Maximum likelihood estimation of intrinsic dimension", section 3, for the
    distribution; the decision is ours.
    """
    if len(inputs) < _LEAST_ROWS:
        return 0.0
    queries = inputs
    if len(inputs) > _MOST_QUERIES:
        queries = inputs[np.random.default_rng(0).choice(len(inputs), _MOST_QUERIES, replace=False)]
    found = KDTree(inputs).query(queries, _NEIGHBOURS + 2)[0]
    distance = np.maximum(found[:, 1:], 1e-12)
    exponents = np.arange(1, _NEIGHBOURS + 1) * np.log(distance[:, 1:] / distance[:, :-1])
    middle = float(np.median(exponents))
    if not middle > 0.0 or np.log(2.0) / middle < _LEAST_DIMENSION:
        return 0.0
    return float((np.exp(-np.log(2.0) / middle * exponents) < _LEVEL).any(axis=1).mean())
