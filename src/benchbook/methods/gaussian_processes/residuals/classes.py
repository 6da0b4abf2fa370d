"""One chain for the logistic Gaussian process of two classes, step by step."""

from __future__ import annotations

import numpy as np

from benchbook import kernels
from benchbook.methods.gaussian_processes.residuals.covariance import Marginal
from benchbook.methods.gaussian_processes.residuals.moves import Mover
from benchbook.methods.gaussian_processes.residuals.priors import LOGISTIC, CovariancePrior

OFFSET = 4.0
"""Prior variance of the constant of the latent function: classes of unequal frequency. Ours."""


class Classes:
    """The unknowns of a classification and the updates that leave their posterior as it is.

    Of two classes y = 0, 1 with p(y = 1 | h) = 1 / (1 + exp(-h)) (Vehtari and Lampinen, 2001, equation 32) each case
    has a scale w_i, Polya-Gamma given h_i; given the scales, (y_i - 1/2) / w_i is a target with Normal residuals of
    variance 1 / w_i (Polson, Scott and Windle, 2013). So covariance parameters are drawn by HMC with the
    latent values integrated out, and scales by Gibbs, as for t residuals; that is ours. t [d + 2] as in ``Marginal``.
    """

    def __init__(
        self, inputs: np.ndarray, targets: np.ndarray, prior: CovariancePrior = LOGISTIC
    ) -> None:
        """Take inputs [N, d] of mean 0 and standard deviation 1 and targets 0 or 1, [N]; begin at h = 0."""
        n, d = inputs.shape
        self.marginal = Marginal(inputs, np.zeros((n, 1)), prior, offset=OFFSET)
        self.halves = np.asarray(targets, dtype=np.float64) - 0.5
        self.t = np.log(np.append(np.full(d + 1, 0.5 / max(d, 1)), 4.0))
        self.values, self.weights = np.zeros(n), np.full(n, 0.25)
        self.refresh()

    def refresh(self) -> None:
        """Bring targets and residual variances of ``marginal`` up to date with the scales."""
        self.marginal.targets[:, 0] = self.halves / self.weights
        self.marginal.scales[:, 0] = 1.0 / self.weights

    def move_covariances(self, mover: Mover, rng: np.random.Generator) -> None:
        """Covariance parameters given the scales, latent values integrated out."""
        self.t = mover(self.marginal.energy, self.t, rng)

    def draw_values(self, rng: np.random.Generator) -> None:
        """Latent values given covariance parameters and scales."""
        self.values = self.marginal.draw_values(self.t, rng)[:, 0]

    def draw_weights(self, rng: np.random.Generator) -> None:
        """Gibbs: scales given latent values."""
        kernels.polya_gamma.polya_gamma(self.values, self.weights, rng)
        self.refresh()

    def sweep(self, mover: Mover, times: int, rng: np.random.Generator) -> None:
        """Covariance parameters once, values and scales in turn ``times``."""
        self.move_covariances(mover, rng)
        for _ in range(times):
            self.draw_values(rng)
            self.draw_weights(rng)
