"""Exact predictive and leave-one-out terms of a Gaussian process with given hyperparameters.

Source: Vehtari and Lampinen (2001), equations 34, 35 and 37 to 39; the last three after Sundararajan and Keerthi
(2001).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.assess.densities.checks import Array, matrix, vector
from benchbook.errors import Fault, FaultyInput

_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True)
class GaussianTerms:
    """Gaussian predictive distributions: ``mean`` and ``variance``, and ``log_density`` of the targets where known.

    Each is [n], or [M, n] for M draws of the hyperparameters.
    """

    mean: Array
    variance: Array
    log_density: Array


def gp_predict(
    covariance: ArrayLike, targets: ArrayLike, between: ArrayLike, prior_variance: ArrayLike
) -> tuple[Array, Array]:
    r"""Mean k'C⁻¹y and variance V - k'C⁻¹k of new targets, equations 34 and 35.

    Args:
        covariance: C, [n, n], of the observed targets, noise included.
        targets: y, [n], with prior mean zero.
        between: k, [n, J], covariances of observed and new targets.
        prior_variance: V, [J] or one number, of the new targets.

    Returns:
        mean [J] and variance [J].

    Raises:
        FaultyInput: shapes that do not go together, or a covariance that is not positive definite.
    """
    factor, y = _factor(covariance, targets)
    k = matrix(between, "covariances with new targets", "[n, J]")
    if len(k) != y.size:
        rule = f"must have a row for each of the {y.size} observed targets"
        raise FaultyInput(
            "covariances with new targets", [Fault("array", f"shape {k.shape}", rule)]
        )
    half = scipy.linalg.solve_triangular(factor, k, lower=True)
    mean = half.T @ scipy.linalg.solve_triangular(factor, y, lower=True)
    return mean, np.asarray(prior_variance, dtype=np.float64) - np.einsum("nj,nj->j", half, half)


def gp_leave_one_out(covariance: ArrayLike, targets: ArrayLike) -> GaussianTerms:
    r"""Leave-one-out predictive distributions, all from one inverse. With q = C⁻¹y and c̄ = diag C⁻¹:

        E[y | x_i, θ, D without i] = y_i - q_i / c̄_i                                                    (38)
        Var[y | x_i, θ, D without i] = 1 / c̄_i                                                          (39)
        log p(y_i | x_i, θ, D without i) = -½ log 2π + ½ log c̄_i - ½ q_i² / c̄_i                         (37)

    Equation 37 is printed with the opposite signs, which make it minus the log density.

    Args:
        covariance: C, [n, n], of the targets, noise and jitter included.
        targets: y, [n], with prior mean zero.

    Raises:
        FaultyInput: shapes that do not go together, numbers that are not finite, or a covariance that is not positive
            definite.
    """
    factor, y = _factor(covariance, targets)
    inverse = scipy.linalg.solve_triangular(factor, np.eye(y.size), lower=True)
    q, diagonal = inverse.T @ (inverse @ y), np.einsum("ij,ij->j", inverse, inverse)
    log_density = 0.5 * (np.log(diagonal) - _LOG_2PI - q**2 / diagonal)
    return GaussianTerms(y - q / diagonal, 1.0 / diagonal, log_density)


def gp_leave_one_out_draws(covariances: Iterable[Any], targets: ArrayLike) -> GaussianTerms:
    """``gp_leave_one_out`` for each of M draws of the hyperparameters, [M, n]; ``loo`` takes the ``log_density``."""
    terms = [gp_leave_one_out(covariance, targets) for covariance in covariances]
    if not terms:
        raise FaultyInput("covariances", [Fault("draws", "none", "there must be at least one")])
    return GaussianTerms(
        np.stack([term.mean for term in terms]),
        np.stack([term.variance for term in terms]),
        np.stack([term.log_density for term in terms]),
    )


def _factor(covariance: ArrayLike, targets: ArrayLike) -> tuple[Array, Array]:
    y, c = vector(targets, "targets"), matrix(covariance, "covariance of the targets", "[n, n]")
    if c.shape != (y.size, y.size):
        rule = f"must be [{y.size}, {y.size}], as there are {y.size} targets"
        raise FaultyInput("covariance of the targets", [Fault("array", f"shape {c.shape}", rule)])
    try:
        return scipy.linalg.cholesky(c, lower=True), y
    except scipy.linalg.LinAlgError as error:
        rule = "must be positive definite; more noise or jitter on its diagonal helps"
        raise FaultyInput(
            "covariance of the targets", [Fault("array", str(error), rule)]
        ) from error
