"""The Gaussian process model: covariance, marginal likelihood and its gradient, prior, predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchbook.methods.gaussian_processes.exact import (
    Covariances,
    conditional,
    needed,
    where_finite,
)
from benchbook.methods.settings import setting

BIAS = 1.0
NOISE_FLOOR = 1e-6
JITTERS = (0.0, 1e-5, 1e-4, 1e-3, 1e-2)


@dataclass(frozen=True)
class HyperPrior:
    """Independent normal distributions of the logarithms of the hyperparameters, for inputs and targets of standard
    deviation 1; all numbers are ours, chosen by a look at the kin family, which DELVE means for development.

    The medians are w_i = relevance / d, v = signal, a = slope / d and s = noise; the others are standard deviations of
    logarithms. The mean of w_i is 0.9 / d, so that the expected squared distance of two cases, which v falls off with,
    is about 2 however many inputs there are; two inputs' length scales often differ by a factor of five.
    """

    relevance: float = setting(
        0.2, "median of 1 / length scale squared, divided by the number of inputs", above=0
    )
    relevance_sd: float = setting(1.75, "standard deviation of its logarithm", above=0)
    signal: float = setting(
        1.0, "median variance of the smooth part, the target's being 1", above=0
    )
    signal_sd: float = setting(1.5, "standard deviation of its logarithm", above=0)
    slope: float = setting(
        0.1, "median variance of a slope of the linear part, times the number of inputs", above=0
    )
    slope_sd: float = setting(2.0, "standard deviation of its logarithm", above=0)
    noise: float = setting(0.2, "median variance of the noise, the target's being 1", above=0)
    noise_sd: float = setting(1.5, "standard deviation of its logarithm", above=0)

    def mean(self, d: int) -> np.ndarray:
        """[d + 3], for d inputs."""
        return np.log(
            np.append(np.full(d, self.relevance / d), [self.signal, self.slope / d, self.noise])
        )

    def sd(self, d: int) -> np.ndarray:
        """[d + 3], for d inputs."""
        return np.append(
            np.full(d, self.relevance_sd), [self.signal_sd, self.slope_sd, self.noise_sd]
        )


class HyperparameterPosterior:
    """The posterior density of the hyperparameters of a Gaussian process, given training cases.

    The targets are y ~ N(0, K), the hyperparameters t = log (w_1 .. w_d, v, a, s), and

        K_ij = v exp(-1/2 sum_k w_k (x_ik - x_jk)^2) + a sum_k x_ik x_jk + 1 + (s + 1e-6) [i = j]:

    a smooth function with a relevance w_k = 1 / length scale^2 of each input (automatic relevance determination), a
    linear one, a constant, and noise (Williams and Rasmussen, Gaussian Processes for Regression, 1996, equation 5; the
    constant's variance is fixed at that of the targets). The 1e-6 keeps K positive definite. Should the Cholesky
    factorisation fail all the same, 1e-5, 1e-4 .. 1e-2 are added to the diagonal until it does not.

    Memory is held between calls: three [N, N] matrices. ``jitter`` is what the last factorisation needed added.
    """

    def __init__(
        self, inputs: np.ndarray, targets: np.ndarray, prior: HyperPrior | None = None
    ) -> None:
        """Take inputs [N, d] and targets [N], of mean 0 and standard deviation 1."""
        prior = prior or HyperPrior()
        self.covariances, self.targets = (
            Covariances(inputs, linear=True),
            np.ascontiguousarray(targets),
        )
        d = inputs.shape[1]
        self.mean, self.sd = prior.mean(d), prior.sd(d)
        self.evaluations, self.jitter = 0, 0.0

    def energy(self, t: np.ndarray) -> tuple[float, np.ndarray]:
        """-log p(y | t) - log p(t) and its gradient [d + 3], for t [d + 3]; infinity and zeros where not finite."""
        value, slope = self.evidence(t)
        z = (t - self.mean) / self.sd
        constant = float(np.log(self.sd).sum()) + 0.5 * len(t) * math.log(2 * math.pi)
        return -value + 0.5 * float(z @ z) + constant, z / self.sd - slope

    def evidence(self, t: np.ndarray) -> tuple[float, np.ndarray]:
        """The log marginal likelihood and its gradient [d + 3], for t [d + 3].

            log p(y | t) = -1/2 y'K^-1 y - 1/2 log |K| - N/2 log 2 pi,    d/dt = -1/2 sum_ij D_ij dK_ij/dt

        with D = K^-1 - K^-1 y y'K^-1 (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, equations
        5.8 and 5.9). For log w_k, with W_ij = D_ij v exp(..)_ij and z = x sqrt(w), the sum is

            -1/2 sum_ij W_ij (z_ik - z_jk)^2 = sum_i z_ik (W z)_ik - sum_i z_ik^2 sum_j W_ij,

        so that all d of them take one product of W with the inputs. Minus infinity and zeros where not finite.
        """
        self.evaluations += 1
        with np.errstate(over="ignore", invalid="ignore"):
            factor, (_, slope, noise) = self._factor(t)
            if factor is None:
                return -np.inf, np.zeros(len(t))
            value, relevance, (smooth, linear, trace), _ = self.covariances.evidence(
                factor, self.targets
            )
            gradient = -0.5 * np.append(relevance, [smooth, slope * linear, noise * trace])
        return where_finite(value, gradient, -np.inf)

    def _factor(self, t: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """The Cholesky factor of K (None if there is none), and (v, a, s)."""
        variances, z = np.exp(t[-3:]), self.covariances.inputs * np.exp(0.5 * t[:-3])
        if not (np.isfinite(variances).all() and np.isfinite(z).all()):
            return None, variances
        signal, slope, noise = variances
        for jitter in JITTERS:
            self.covariances.fill(z, signal, noise + NOISE_FLOOR + jitter, slope, BIAS)
            factor = self.covariances.factor()
            if factor is not None:
                self.jitter = jitter
                return factor, variances
        return None, variances

    def predict(self, t: np.ndarray, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances [J] of the targets of test cases, inputs [J, d] on the scale of the training inputs.

        m = k'K^-1 y and k(x, x) + s + 1e-6 - k'K^-1 k, k the covariances with the training cases; the variance is never
        below that of the noise.

        Raises:
            BenchbookError: the covariance matrix of the training cases has no Cholesky factor at t.
        """
        result, (signal, slope, noise) = self._factor(t)
        factor = needed(result, JITTERS[-1])
        cross = self.covariances.cross(inputs, inputs * np.exp(0.5 * t[:-3]), signal, slope, BIAS)
        mean, explained = conditional(factor, cross, self.targets)
        latent = signal + slope * np.einsum("jk,jk->j", inputs, inputs) + BIAS
        latent -= explained
        return mean, np.maximum(latent, 0.0) + noise + NOISE_FLOOR
