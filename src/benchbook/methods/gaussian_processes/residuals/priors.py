"""Priors of the parameters of a covariance function: inverse gamma, those of the relevances about a common level.

Vehtari and Lampinen, 2001, section 3.1 say no more than that eta^2 has an inverse gamma prior and the rho_u have
hierarchical ones. The numbers for regression are those of the authors' public MCMCstuff demonstrations for the same
model; whether the report used them is not known. The others are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.methods.settings import setting


@dataclass(frozen=True)
class InverseGamma:
    """v = shape scale^2 / X, X chi-squared with ``shape`` degrees of freedom: about scale^2, the closer the larger.

    Its density is proportional to v^-(shape/2 + 1) exp(-shape scale^2 / (2 v)); 1/v is Gamma with mean 1/scale^2.
    """

    scale: float = setting(meaning="square root of what the variance is about", above=0)
    shape: float = setting(meaning="how close it is to that, the larger the closer", above=0)

    def log_moments(self) -> tuple[float, float]:
        """Mean and variance of log v."""
        half = 0.5 * self.shape
        mean = math.log(half * self.scale**2) - float(scipy.special.digamma(half))
        return mean, float(scipy.special.polygamma(1, half))

    def log_density(self, x: float) -> float:
        """Of x = log v, up to a constant: -n/2 (x - a + exp(a - x)), a = log scale^2, n the shape."""
        away = x - 2.0 * math.log(self.scale)
        return -0.5 * self.shape * (away + math.exp(min(-away, 700.0)))

    def draw(self, rng: np.random.Generator) -> float:
        """One v."""
        return float(self.shape * self.scale**2 / rng.chisquare(self.shape))


@dataclass(frozen=True)
class CovariancePrior:
    """Priors of parameters t = log (rho_1^2 .. rho_d^2, l, eta^2), and of the residual variance where there is one.

    rho_u^2 is inverse gamma with the shape ``relevance`` about a level l that all share, itself inverse gamma about a
    fixed number (automatic relevance determination). For inputs and targets of standard deviation 1.
    """

    relevance: float = setting(0.5, "shape of the relevances' prior about their level", above=0)
    level: InverseGamma = InverseGamma(0.05, 1.0)
    signal: InverseGamma = InverseGamma(0.05, 0.5)
    noise: InverseGamma | None = setting(
        InverseGamma(0.05, 0.5), "prior of the residual variance, None for none"
    )

    def size(self, d: int) -> int:
        """How many parameters t there are for d inputs."""
        return d + 2 + (self.noise is not None)

    def energy(self, t: np.ndarray) -> tuple[float, np.ndarray]:
        """-log p(t) and its gradient [p], of parameters t [p]; logarithms have the density of their Jacobian too.

        With x = log v and a the logarithm of the squared scale of v, n its shape:
        -log p(x) = n/2 (x - a + exp(a - x) - log(n/2)) + log Gamma(n/2).
        """
        above, shapes, d = self._above(t)
        fall = np.exp(above - t)
        each = 0.5 * shapes * (t - above + fall - np.log(0.5 * shapes))
        slope = 0.5 * shapes * (1.0 - fall)
        gradient = slope.copy()
        gradient[d] -= slope[:d].sum()
        return float(each.sum()) + sum(math.lgamma(0.5 * shape) for shape in shapes), gradient

    def mean(self, d: int) -> np.ndarray:
        """Prior mean of t, [p] for d inputs."""
        level = self.level.log_moments()[0]
        own = InverseGamma(1.0, self.relevance).log_moments()[0]
        return np.array([level + own] * d + [each.log_moments()[0] for each in self._fixed()])

    def sd(self, d: int) -> np.ndarray:
        """Prior standard deviation of t, [p] for d inputs."""
        own = InverseGamma(1.0, self.relevance).log_moments()[1] + self.level.log_moments()[1]
        return np.sqrt([own] * d + [each.log_moments()[1] for each in self._fixed()])

    def draw(self, d: int, rng: np.random.Generator) -> np.ndarray:
        """One t from the prior, [p] for d inputs."""
        fixed = [each.draw(rng) for each in self._fixed()]
        relevances = [InverseGamma(math.sqrt(fixed[0]), self.relevance).draw(rng) for _ in range(d)]
        return np.log(np.array(relevances + fixed))

    def _fixed(self) -> list[InverseGamma]:
        return [self.level, self.signal] + ([self.noise] if self.noise else [])

    def _above(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """log squared scale and shape of each parameter's own prior, [p] each, and the number of inputs."""
        fixed = self._fixed()
        d = len(t) - len(fixed)
        above = np.concatenate([np.full(d, t[d]), [2.0 * math.log(each.scale) for each in fixed]])
        return above, np.array([self.relevance] * d + [each.shape for each in fixed]), d


REGRESSION = CovariancePrior()
"""{0.1 0.5 0.05 1} for rho, {0.05 0.5} for eta and for the residual standard deviation, as MCMCstuff writes them."""

SPREAD = CovariancePrior(2.0, InverseGamma(0.1, 2.0), InverseGamma(0.5, 4.0), None)
"""Of the logarithm of a residual variance: it varies by a factor of about e^0.5, smoothly. Ours."""

LOGISTIC = CovariancePrior(0.5, InverseGamma(0.05, 1.0), InverseGamma(2.0, 2.0), None)
"""Of the latent function of two classes: relevances as in regression; its standard deviation about 2, with a tail that
leaves room for classes that can be distinguished without error. The latter is ours."""
