"""What exact Gaussian processes share, whatever their covariance function and noise: given the factor of C = U'U.

Factors are upper ones, by columns, as LAPACK leaves them.
"""

from __future__ import annotations

import math

import numpy as np

from benchbook.later import scipy


def log_density(factor: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """log N(y | 0, C) = -1/2 y'C^-1 y - 1/2 log |C| - N/2 log 2 pi, and C^-1 y [N]."""
    solved = scipy.linalg.lapack.dpotrs(factor, y)[0]
    value = -0.5 * float(y @ solved) - float(np.log(factor.diagonal()).sum()) - 0.5 * len(y) * math.log(2 * math.pi)
    return value, solved


def relevances(weights: np.ndarray, scaled: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """-1/2 sum_ij W_ij (z_ik - z_jk)^2 = sum_i z_ik (W z)_ik - sum_i z_ik^2 sum_j W_ij, [d].

    Args:
        weights: W [N, N] by rows, symmetric, of which one half is looked at.
        scaled: z [N, d], the inputs over their length scales.
        totals: [N], sum_j W_ij.
    """
    turned = scipy.linalg.blas.dsymm(1.0, weights.T, scaled.T, side=1).T
    product: np.ndarray = np.einsum("ik,ik->k", scaled, turned) - totals @ scaled**2
    return product


def conditional(factor: np.ndarray, cross: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """k'C^-1 y and k'C^-1 k [J], for covariances k of J cases with the training cases, [J, N]."""
    mean = cross @ scipy.linalg.lapack.dpotrs(factor, y)[0]
    explained = scipy.linalg.blas.dtrsm(1.0, factor, cross.T, trans_a=1)
    return mean, np.einsum("nj,nj->j", explained, explained)
