"""Gaussian process regression with a residual variance of each case: marginal likelihood, latent values, predictions.

Vehtari and Lampinen, 2001, equations 34 to 36.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy

from benchbook.methods.gaussian_processes.exact import (
    Covariances,
    conditional,
    log_density,
    needed,
    where_finite,
)
from benchbook.methods.gaussian_processes.residuals.priors import CovariancePrior

JITTER = 1e-4
"""J^2 for targets of standard deviation 1: that of the authors' MCMCstuff demonstration, 0.01^2."""
FARTHEST = 30.0
"""Logarithms of parameters stay within this of 0: beyond it covariances cannot be computed with."""


def over_scales(inputs: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Inputs [J, d] times rho sqrt(2), for t that begins with log rho^2 [d]."""
    return inputs * np.exp(0.5 * (t[: inputs.shape[1]] + math.log(2.0)))


class Marginal:
    """The posterior density of covariance parameters given each case's relative residual variance, values integrated.

    The targets of output o are y_o ~ N(0, C_o), independent given t = log (rho_1^2 .. rho_d^2, l, eta^2, sigma^2), with

        C_o,ij = eta^2 exp(-sum_u rho_u^2 (x_iu - x_ju)^2) + b^2 + (J^2 + sigma^2 s_io) [i = j]    (equation 36),

    s_io = ``scales`` the relative residual variances, all 1 for Normal residuals; without a prior of it sigma^2 is 1
    and not in t. b^2 = ``offset``, the prior variance of a constant, is not in the report. All outputs share t. Memory
    is held between calls: four [N, N] matrices.
    """

    def __init__(
        self,
        inputs: np.ndarray,
        targets: np.ndarray,
        prior: CovariancePrior,
        jitter: float = JITTER,
        offset: float = 0.0,
    ) -> None:
        """Take inputs [N, d] and targets [N, O], of mean 0 and standard deviation 1."""
        self.covariances, self.targets = Covariances(inputs), np.array(targets, dtype=np.float64)
        self.prior, self.jitter, self.offset = prior, jitter, offset
        n, d = inputs.shape
        self.mean, self.sd = prior.mean(d), prior.sd(d)
        self.scales = np.ones_like(self.targets)
        self.evaluations = 0
        self._latent = np.zeros((n, n))

    def energy(self, t: np.ndarray) -> tuple[float, np.ndarray]:
        """-log p(y | t, s) - log p(t) and its gradient [p]; infinity and zeros where it cannot be computed."""
        self.evaluations += 1
        if not np.all(np.abs(t) < FARTHEST):
            return np.inf, np.zeros(len(t))
        value, gradient = self.prior.energy(t)
        for output in range(self.targets.shape[1]):
            log_likelihood, slope = self.evidence(t, output)
            value, gradient = value - log_likelihood, gradient - slope
        return where_finite(value, gradient, np.inf)

    def evidence(self, t: np.ndarray, output: int = 0) -> tuple[float, np.ndarray]:
        """log p(y_o | t, s) and its gradient [p], as in ``model.HyperparameterPosterior.evidence``; by log sigma^2 it
        is -1/2 sum_i D_ii sigma^2 s_i, D = C^-1 - C^-1 y y'C^-1."""
        y, noise = self.targets[:, output], self.noise(t, output)
        self._fill(t)
        factor = self._factor(noise)
        if factor is None:
            return -np.inf, np.zeros(len(t))
        value, relevance, (smooth, _, _), diagonal = self.covariances.evidence(factor, y)
        return value, -0.5 * np.concatenate([relevance, [0.0, smooth, diagonal @ noise]])[: len(t)]

    def evidence_of_noise(self, t: np.ndarray, output: int = 0) -> Callable[[np.ndarray], float]:
        """log p(y_o | t, residual variances), as a function of those [N], until other parameters are asked about."""
        y = self.targets[:, output]
        self._fill(t)

        def value(noise: np.ndarray) -> float:
            factor = self._factor(noise) if np.isfinite(noise).all() else None
            if factor is None:
                return -np.inf
            return log_density(factor, y)[0]

        return value

    def noise(self, t: np.ndarray, output: int = 0) -> np.ndarray:
        """sigma^2 s of one output, [N]."""
        return self.scales[:, output] * (math.exp(t[-1]) if self.prior.noise else 1.0)

    def draw_values(self, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Latent values [N, O] from p(h | y, t, s), jitter included: y - h are the residuals.

        h = h0 + K C^-1 (y - h0 - e0) with h0 ~ N(0, K), K = C less the residual variances, and residuals e0.
        """
        values = np.empty_like(self.targets)
        self._fill(t)
        for output in range(self.targets.shape[1]):
            y, noise = self.targets[:, output], self.noise(t, output)
            prior = needed(self._factor(np.zeros(len(y))))
            latent = scipy.linalg.blas.dtrmv(prior, rng.normal(size=len(y)), trans=1)
            error = np.sqrt(noise) * rng.normal(size=len(y))
            step = scipy.linalg.lapack.dpotrs(needed(self._factor(noise)), y - latent - error)[0]
            # K C^-1 v = v - V C^-1 v
            values[:, output] = y - error - noise * step
        return values

    def conditional(
        self, t: np.ndarray, queries: np.ndarray, output: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances [J] of the latent values, jitter included, of cases with inputs [J, d]: equations 34, 35.

        k'C^-1 y and eta^2 + b^2 + J^2 - k'C^-1 k, k the covariances with the training cases.
        """
        self._fill(t)
        factor = needed(self._factor(self.noise(t, output)))
        signal = math.exp(t[queries.shape[1] + 1])
        cross = self.covariances.cross(
            queries, over_scales(queries, t), signal, constant=self.offset
        )
        mean, explained = conditional(factor, cross, self.targets[:, output])
        left = signal + self.offset - explained
        return mean, np.maximum(left, 0.0) + self.jitter

    def covariance(self, t: np.ndarray, output: int = 0) -> np.ndarray:
        """C of one output, [N, N]."""
        self._fill(t)
        whole = np.tril(self._latent)
        whole += np.tril(whole, -1).T
        return whole + np.diag(self.noise(t, output))

    def _fill(self, t: np.ndarray) -> None:
        """Compute K."""
        inputs = self.covariances.inputs
        self.covariances.fill(
            over_scales(inputs, t),
            math.exp(t[inputs.shape[1] + 1]),
            self.jitter,
            constant=self.offset,
            into=self._latent,
        )

    def _factor(self, noise: np.ndarray) -> np.ndarray | None:
        """The Cholesky factor of K + diag(noise) (upper, by columns), None if there is none."""
        whole = self.covariances.whole
        np.copyto(whole, self._latent)
        whole.ravel()[:: len(noise) + 1] += noise
        return self.covariances.factor()
