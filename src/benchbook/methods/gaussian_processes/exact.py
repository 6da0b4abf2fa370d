"""What Gaussian processes share, whatever their noise: the covariances C = U'U of training cases, and the factor.

Factors are upper ones, by columns, as LAPACK leaves them.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import scipy

from benchbook import kernels
from benchbook.errors import BenchbookError

Factors = TypeVar("Factors")


class Covariances:
    """The covariances of N training cases, in three [N, N] matrices that are held between calls.

    Two cases have v exp(-1/2 sum_k (z_ik - z_jk)^2) + a sum_k x_ik x_jk + b, where z are the inputs x over their length
    scales; a case with itself has a term of its own beside. ``whole`` [N, N] is for them, and for what is made in place
    of them: a factor, then an inverse.
    """

    def __init__(self, inputs: np.ndarray, linear: bool = False) -> None:
        """Take inputs x [N, d]; without ``linear`` a is 0."""
        self.inputs = self.scaled = np.ascontiguousarray(inputs)
        n = len(self.inputs)
        self._linear, self._smooth, self.whole = (
            np.zeros((n, n)),
            np.zeros((n, n)),
            np.zeros((n, n)),
        )
        if linear:
            scipy.linalg.blas.dsyrk(1.0, self.inputs.T, trans=1, c=self._linear.T, overwrite_c=1)
        self._half, self._totals = np.empty(n), np.empty(n)

    def fill(
        self,
        scaled: np.ndarray,
        signal: float,
        own: float,
        slope: float = 0.0,
        constant: float = 0.0,
        into: np.ndarray | None = None,
    ) -> None:
        """Compute one half of ``whole``, or of another matrix, for z [N, d] and v, a case's own term, a and b."""
        self.scaled = scaled
        scipy.linalg.blas.dsyrk(1.0, scaled.T, trans=1, c=self._smooth.T, overwrite_c=1)
        kernels.gaussian_process.covariances(
            self._half,
            self._smooth,
            self._linear,
            signal,
            slope,
            constant,
            own,
            self.whole if into is None else into,
        )

    def factor(self) -> np.ndarray | None:
        """The Cholesky factor of ``whole``, made in its place, None if there is none."""
        factor, failed = scipy.linalg.lapack.dpotrf(self.whole.T, overwrite_a=1, clean=0)
        return None if failed else factor

    def evidence(
        self, factor: np.ndarray, y: np.ndarray
    ) -> tuple[float, np.ndarray, tuple[float, float, float], np.ndarray]:
        """log N(y | 0, C) for targets y [N] and the factor of C in ``whole``, which is lost; with D = C^-1 - C^-1 y
        y'C^-1 the ``slopes``, of which -1/2 is the derivative of that, and the diagonal of D [N], for noise of cases.

        C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, equations 5.8 and 5.9.
        """
        value, solved = log_density(factor, y)
        scipy.linalg.lapack.dpotri(factor, overwrite_c=1)
        diagonal = self.whole.diagonal() - solved**2
        return value, *self.slopes(self.whole, solved), diagonal

    def slopes(
        self, weights: np.ndarray, solved: np.ndarray
    ) -> tuple[np.ndarray, tuple[float, float, float]]:
        """sum_ij D_ij dC_ij by the logarithm of each 1 / length scale^2, [d], and by those of v, a and the own term's
        coefficient, for D = B - s s'.

        Args:
            weights: B [N, N] by rows, symmetric, of which one half is looked at; it is lost.
            solved: s [N].
        """
        sums = kernels.gaussian_process.weigh(
            weights, solved, self._smooth, self._linear, self._totals
        )
        return relevances(weights, self.scaled, self._totals), sums

    def cross(
        self,
        queries: np.ndarray,
        scaled: np.ndarray,
        signal: float,
        slope: float = 0.0,
        constant: float = 0.0,
    ) -> np.ndarray:
        """Covariances [J, N] of cases with inputs x and z [J, d] with the training cases."""
        cross = scaled @ self.scaled.T
        # Without a linear part any array of the right shape stands for it.
        linear = queries @ self.inputs.T if slope else cross
        kernels.gaussian_process.cross_covariances(
            cross,
            self._half,
            0.5 * np.einsum("jk,jk->j", scaled, scaled),
            linear,
            signal,
            slope,
            constant,
        )
        return cross


def needed(factors: Factors | None, most: float = 0.0) -> Factors:
    """The factors, if there are any, after up to ``most`` was added to the diagonal.

    Raises:
        BenchbookError: there are none.
    """
    if factors is None:
        tried = f", even with {most:g} added to their diagonal" if most else ""
        raise BenchbookError(
            f"the covariances of the training cases cannot be factorised{tried}; look for inputs that "
            "are many orders of magnitude apart"
        )
    return factors


def where_finite(value: float, gradient: np.ndarray, otherwise: float) -> tuple[float, np.ndarray]:
    """Both as they are, or ``otherwise`` and zeros [p] where a number of them is not finite."""
    if np.isfinite(value) and np.isfinite(gradient).all():
        return value, gradient
    return otherwise, np.zeros(len(gradient))


def log_density(factor: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """log N(y | 0, C) = -1/2 y'C^-1 y - 1/2 log |C| - N/2 log 2 pi, and C^-1 y [N]."""
    solved = scipy.linalg.lapack.dpotrs(factor, y)[0]
    value = (
        -0.5 * float(y @ solved)
        - float(np.log(factor.diagonal()).sum())
        - 0.5 * len(y) * math.log(2 * math.pi)
    )
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


def conditional(
    factor: np.ndarray, cross: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """k'C^-1 y and k'C^-1 k [J], for covariances k of J cases with the training cases, [J, N]."""
    mean = cross @ scipy.linalg.lapack.dpotrs(factor, y)[0]
    explained = scipy.linalg.blas.dtrsm(1.0, factor, cross.T, trans_a=1)
    return mean, np.einsum("nj,nj->j", explained, explained)
