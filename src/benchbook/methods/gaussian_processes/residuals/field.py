"""A latent Gaussian process seen through any likelihood of each case: whitened updates of its values and parameters.

The latent values of two classes (Vehtari and Lampinen, 2001, equation 32), or logarithms of residual variances. The
values are h = eta L z + b z_0 with L L' = R + J^2 I, R_ij = exp(-sum_u rho_u^2 (x_iu - x_ju)^2), and all z standard
normal: covariance parameters change with z held, so that the values go along (I. Murray and R. P. Adams, Slice sampling
covariance hyperparameters of latent Gaussian models, 2010, section 2.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import scipy

from benchbook.methods.gaussian_processes.exact import Covariances, where_finite
from benchbook.methods.gaussian_processes.residuals.covariance import FARTHEST, JITTER, over_scales
from benchbook.methods.gaussian_processes.residuals.priors import CovariancePrior

Likelihood: TypeAlias = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""From values h [N] to the log likelihood of all cases and its gradient [N]."""


class Field:
    """Whitened values and parameters t = log (rho_1^2 .. rho_d^2, l, eta^2) of a latent Gaussian process.

    ``offset`` is b, the prior standard deviation of a constant; ``z`` is [N + 1], the constant's last. The jitter is in
    units of eta^2. The factor of the last t is kept.
    """

    def __init__(
        self,
        inputs: np.ndarray,
        prior: CovariancePrior,
        offset: float = 0.0,
        jitter: float = JITTER,
    ) -> None:
        """Take inputs [N, d] of mean 0 and standard deviation 1."""
        self.covariances, self.prior, self.offset, self.jitter = (
            Covariances(inputs),
            prior,
            offset,
            jitter,
        )
        d = inputs.shape[1]
        self.mean, self.sd = prior.mean(d), prior.sd(d)
        self.evaluations = 0
        self._at: np.ndarray | None = None
        self._upper = self.covariances.whole.T  # where the factor is made

    def values(self, t: np.ndarray, z: np.ndarray) -> np.ndarray:
        """h [N], or [T, N] of many, for t [d + 2] and z [N + 1] or [T, N + 1]."""
        self._factor(t)
        smooth = scipy.linalg.blas.dtrmm(
            math.exp(0.5 * t[-1]), self._upper, z[..., :-1].T, trans_a=1
        ).T
        return smooth.reshape(*z.shape[:-1], -1) + self.offset * z[..., -1:]

    def whitened(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """z [N + 1] of values h [N], the constant's 0."""
        self._factor(t)
        return np.append(
            scipy.linalg.blas.dtrsv(self._upper, math.exp(-0.5 * t[-1]) * values, trans=1), 0.0
        )

    def energy(
        self, t: np.ndarray, z: np.ndarray, likelihood: Likelihood
    ) -> tuple[float, np.ndarray]:
        """-log p(data | t, z) - log p(t) and its gradient by t [d + 2]; infinity and zeros where it cannot be computed.

        With g the gradient of the log likelihood by h and p = eta L'g, its derivative by the matrix L L' is
        L^-T Q L^-1, Q_ij = 1/2 p_max(i,j) z_min(i,j): I. Murray, Differentiation of the Cholesky decomposition, 2016,
        equation 10, where L'(dh/dL) is the product of two vectors.
        """
        self.evaluations += 1
        if not (np.all(np.abs(t) < FARTHEST) and self._factor(t)):
            return np.inf, np.zeros(len(t))
        value, gradient = self.prior.energy(t)
        eta, upper, white = math.exp(0.5 * t[-1]), self._upper, z[:-1]
        latent = eta * scipy.linalg.blas.dtrmv(upper, white, trans=1)
        log_likelihood, slope = likelihood(latent + self.offset * z[-1])
        turned = np.tril(np.outer(0.5 * eta * scipy.linalg.blas.dtrmv(upper, slope), white))
        turned += np.tril(turned, -1).T
        turned = scipy.linalg.blas.dtrsm(1.0, upper, np.asfortranarray(turned), overwrite_b=1)
        turned = scipy.linalg.blas.dtrsm(1.0, upper, turned, side=1, trans_a=1, overwrite_b=1)
        slopes = self.covariances.slopes(turned.T, np.zeros(len(white)))[0]
        gradient[: len(slopes)] -= slopes
        gradient[-1] -= 0.5 * float(slope @ latent)
        return where_finite(value - log_likelihood, gradient, np.inf)

    def slice(
        self,
        t: np.ndarray,
        z: np.ndarray,
        likelihood: Likelihood,
        times: int,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """z after ``times`` steps of elliptical slice sampling (I. Murray, R. P. Adams and D. J. C. MacKay, 2010)."""
        others = rng.normal(size=(times, len(z)))
        values, drawn = self.values(t, z), self.values(t, others)
        log_likelihood = likelihood(values)[0]
        for other, across in zip(others, drawn, strict=True):
            height = log_likelihood + math.log(rng.random())
            angle = 2.0 * math.pi * rng.random()
            low, high = angle - 2.0 * math.pi, angle
            while True:
                near, far = math.cos(angle), math.sin(angle)
                proposed = near * values + far * across
                height_of_it = likelihood(proposed)[0]
                if height_of_it > height or high - low < 1e-12:
                    break
                low, high = (angle, high) if angle < 0.0 else (low, angle)
                angle = low + (high - low) * rng.random()
            if height_of_it > height:
                z, values, log_likelihood = near * z + far * other, proposed, height_of_it
        return z

    def conditional(
        self, t: np.ndarray, z: np.ndarray, queries: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances [J] of the values of cases with inputs [J, d], given those of the training cases."""
        self._factor(t)
        cross = self.covariances.cross(queries, over_scales(queries, t), 1.0)
        gain = scipy.linalg.blas.dtrsm(1.0, self._upper, cross.T, trans_a=1)
        variance = np.maximum(1.0 - np.einsum("nj,nj->j", gain, gain), 0.0) + self.jitter
        return math.exp(0.5 * t[-1]) * (z[:-1] @ gain) + self.offset * z[-1], math.exp(
            t[-1]
        ) * variance

    def leave_one_out(self, t: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance [N] of each training case's value given those of the others, the constant and t."""
        values = self.values(t, z)
        solved = scipy.linalg.lapack.dpotrs(self._upper, values - self.offset * z[-1])[0]
        upper = np.triu(scipy.linalg.lapack.dtrtri(self._upper)[0])
        precision = np.einsum("ij,ij->i", upper, upper)
        return values - solved / precision, math.exp(t[-1]) / precision

    def _factor(self, t: np.ndarray) -> bool:
        """Make sure of the factor at t; False when there is none."""
        d = self.covariances.inputs.shape[1]
        if self._at is not None and np.array_equal(self._at, t[:d]):
            return True
        self.covariances.fill(over_scales(self.covariances.inputs, t), 1.0, self.jitter)
        self._at = None if self.covariances.factor() is None else t[:d].copy()
        return self._at is not None
