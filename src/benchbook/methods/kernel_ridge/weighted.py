"""Weighted ridge regression and the regression of a log variance, each with what it says of a case left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.statistics import left_out

_TINY = 1e-12
_FARTHEST = 40.0  # a log variance is no farther from that of all cases together
_ROOM = 1e-10  # added to the diagonal of what is factorised, in shares of its largest element


@dataclass(frozen=True)
class MeanFit:
    """weights [r + 1], the intercept first; residuals [N], of each case under the fit without it; leverage [N]; factor
    [r + 1, r + 1], the Cholesky factor of what was solved with."""

    weights: np.ndarray
    residuals: np.ndarray
    leverage: np.ndarray
    factor: np.ndarray

    def doubt(self, design: np.ndarray) -> np.ndarray:
        """x'(L L')^-1 x for each row of a design, the variance of f there when 1 / weight is that of the noise."""
        return _lengths(self.factor, design)


@dataclass(frozen=True)
class LogVariance:
    """weights [r + 1], the intercept first; left_out [N], what the fit to all cases but n says of case n."""

    weights: np.ndarray
    left_out: np.ndarray


def designed(features: np.ndarray) -> np.ndarray:
    """Features [N, r] with a column of ones before them, [N, r + 1]."""
    return np.hstack([np.ones((len(features), 1)), features])


def _factor(design: np.ndarray, weight: np.ndarray, penalty: float) -> np.ndarray:
    """The Cholesky factor L [r + 1, r + 1] of X'diag(weight)X + penalty, the intercept not penalised."""
    root = np.sqrt(weight)
    matrix = scipy.linalg.blas.dsyrk(1.0, (design * root[:, None]).T, lower=1)
    added = np.full(len(matrix), penalty + _ROOM * matrix.diagonal().max() + 1e-300)
    added[0] -= penalty
    matrix[np.diag_indices(len(matrix))] += added
    factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("the weighted products of the features have no Cholesky factor")
    return factor


def _lengths(factor: np.ndarray, design: np.ndarray) -> np.ndarray:
    """x_n'(L L')^-1 x_n for every case, [N]."""
    solved = scipy.linalg.blas.dtrsm(1.0, factor, design.T, lower=1)
    return np.einsum("rn,rn->n", solved, solved)


def weighted_ridge(
    design: np.ndarray, targets: np.ndarray, weight: np.ndarray, penalty: float
) -> MeanFit:
    """The f = X w with the least 1/2 sum_n weight_n (y_n - f_n)^2 + penalty/2 |w|^2, the intercept not penalised.

    The leverage of ``statistics.left_out`` is h_n = weight_n x_n'(X'diag(weight)X + penalty)^-1 x_n (Cawley, Talbot and
    Chapelle, Heteroscedastic kernel regression methods, 2006).

    Args:
        design: X [N, r + 1], of ``designed``. targets, weight: [N].
    """
    factor = _factor(design, weight, penalty)
    weights = scipy.linalg.lapack.dpotrs(factor, design.T @ (weight * targets), lower=1)[0]
    leverage = np.minimum(weight * _lengths(factor, design), 1.0 - _TINY)
    return MeanFit(weights, left_out(targets - design @ weights, 1.0 - leverage), leverage, factor)


def log_variance(design: np.ndarray, squares: np.ndarray, penalty: float) -> LogVariance:
    """The c = X v with the least 1/2 sum_n (c_n + e_n^2 exp(-c_n)) + penalty/2 |v|^2: Gaussian likelihood of the e_n.

    It is convex; minimised by L-BFGS in coordinates in which its expected curvature is the identity. What is said of a
    case left out is one Newton step away,

        c_n + g_n h_n / (1 - u_n h_n),    g_n = 1/2 (1 - e_n^2 exp(-c_n)),    u_n = 1/2 e_n^2 exp(-c_n),

    h_n = x_n'H^-1 x_n, H = X'diag(u)X + penalty: near, not exact, as this is no sum of squares.

    Args:
        design: X [N, r + 1], of ``designed``. squares: e_n^2 [N], positive.
    """
    cases = len(squares)
    factor = _factor(design, np.full(cases, 0.5), penalty)
    start = np.zeros(design.shape[1])
    start[0] = np.log(squares.mean())
    low, high = start[0] - _FARTHEST, start[0] + _FARTHEST

    def height(u: np.ndarray) -> tuple[float, np.ndarray]:
        v = start + scipy.linalg.solve_triangular(factor, u, lower=True, trans=1)
        c = design @ v
        ratio = squares * np.exp(-np.clip(c, low, high))
        slope = 0.5 * (design.T @ (1.0 - ratio))
        slope[1:] += penalty * v[1:]
        value = 0.5 * float(np.sum(c + ratio)) + 0.5 * penalty * float(v[1:] @ v[1:])
        return value / cases, scipy.linalg.solve_triangular(factor, slope, lower=True) / cases

    optimum = scipy.optimize.minimize(
        height,
        np.zeros(len(start)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 100, "gtol": 1e-6, "ftol": 1e-10},
    )
    weights = start + scipy.linalg.solve_triangular(factor, optimum.x, lower=True, trans=1)
    fitted = np.clip(design @ weights, low, high)
    share = 0.5 * squares * np.exp(-fitted)
    reach = _lengths(_factor(design, share, penalty), design)
    step = (0.5 - share) * reach / np.maximum(1.0 - share * reach, _TINY)
    return LogVariance(weights, np.clip(fitted + step, low, high))
