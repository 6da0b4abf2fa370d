r"""The conjugate linear model, in which every predictive density is known: what the approximations are held against.

    y = x'β + e,  e ~ N(0, σ²),      β | σ² ~ N(m, σ² P⁻¹),      σ² ~ inverse gamma(a, b).

Data X [n, p], y [n] make of the prior (m, P, a, b) a posterior of the same form, and all predictive densities are
Student's t. Source: Gelman, Carlin, Stern and Rubin, Bayesian Data Analysis (1995), section 8; for the Bayes factors
Vehtari and Lampinen (2001), section 2.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.densities.checks import Array, matrix, vector
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import Fold, labels_of
from benchbook.predictive import StudentT

_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True)
class LinearModel:
    """A prior or posterior: ``mean`` m [p], ``precision`` P [p, p], ``shape`` a and ``rate`` b of the variance."""

    mean: Array
    precision: Array
    shape: float
    rate: float

    def __post_init__(self) -> None:
        m, p = (
            vector(self.mean, "mean of the weights"),
            matrix(self.precision, "precision", "[p, p]"),
        )
        faults = [
            Fault(name, repr(value), "must be finite and above 0: the prior must be proper")
            for name, value in (("shape", self.shape), ("rate", self.rate))
            if not 0.0 < value < np.inf
        ]
        if p.shape != (m.size, m.size) or not ((p == p.T).all() or np.allclose(p, p.T)):
            faults.append(
                Fault("precision", f"shape {p.shape}", f"must be symmetric, [{m.size}, {m.size}]")
            )
        elif np.linalg.eigvalsh(p)[0] <= 0.0:
            faults.append(Fault("precision", "not positive definite", "the prior must be proper"))
        if faults:
            raise FaultyInput("linear model", faults)

    def given(self, inputs: ArrayLike, targets: ArrayLike, power: float = 1.0) -> LinearModel:
        r"""The posterior, with the likelihood raised to a power:

            P' = P + X'X,  m' = P'⁻¹(P m + X'y),  a' = a + n/2,  b' = b + ½ (y'y + m'P m - m''P' m').

        Args:
            inputs, targets: X [n, p] and y [n]; n may be 0.
            power: of the likelihood, above 0 (fractional posteriors).
        """
        x, y = self._data(inputs, targets)
        precision = self.precision + power * x.T @ x
        mean: Array = np.linalg.solve(
            precision, self.precision @ self.mean + power * x.T @ y
        ).astype(np.float64)
        # The two squares of the residuals, which cannot come out below 0.
        left, moved = y - x @ mean, mean - self.mean
        rate = self.rate + 0.5 * float(power * left @ left + moved @ self.precision @ moved)
        return LinearModel(mean, precision, self.shape + 0.5 * power * y.size, rate)

    def predictive(self, inputs: NDArray[np.float64]) -> StudentT:
        """p(y | x): t with 2a degrees of freedom, location x'm, squared scale (b / a)(1 + x'P⁻¹x); equations 1, 11, 18.

        Args:
            inputs: [J, p].
        """
        x, _ = self._data(inputs, np.zeros(len(inputs)))
        leverage = np.einsum("jp,pj->j", x, np.linalg.solve(self.precision, x.T))
        return StudentT(
            x @ self.mean, np.sqrt(self.rate / self.shape * (1.0 + leverage)), 2.0 * self.shape
        )

    def left_out(self, inputs: ArrayLike, targets: ArrayLike) -> StudentT:
        r"""p(y_i | x_i, D without i) of each of the n cases D that made this posterior of a proper prior; equation 10.

        Without the case the sum of squares lacks e² / (1 - h), with e its residual and h = x'P⁻¹x its leverage here, so
        that there are 2a - 1 degrees of freedom:

            location y - e / (1 - h),  squared scale (b - ½ e² / (1 - h)) / ((a - ½)(1 - h)).

        Args:
            inputs, targets: X [n, p] and y [n], those given to the prior with power 1.
        """
        x, y = self._data(inputs, targets)
        rest = 1.0 - np.einsum("jp,pj->j", x, np.linalg.solve(self.precision, x.T))
        error = (y - x @ self.mean) / rest
        scale = (self.rate - 0.5 * error**2 * rest) / ((self.shape - 0.5) * rest)
        return StudentT(y - error, np.sqrt(scale), 2.0 * self.shape - 1.0)

    def log_marginal(self, inputs: ArrayLike, targets: ArrayLike, power: float = 1.0) -> float:
        r"""log ∫ p(y | X, θ)^power p(θ) dθ, in nats; with power 1 the prior predictive likelihood log p(D | M).

        -½ n log 2π + ½ log |P| / |P'| + a log b - a' log b' + log Γ(a') / Γ(a),  n times the power.
        """
        after = self.given(inputs, targets, power)
        volume = 0.5 * (
            np.linalg.slogdet(self.precision)[1] - np.linalg.slogdet(after.precision)[1]
        )
        size = power * len(np.asarray(targets))
        return float(
            -0.5 * size * _LOG_2PI
            + volume
            + self.shape * np.log(self.rate)
            - after.shape * np.log(after.rate)
            + scipy.special.gammaln(after.shape)
            - scipy.special.gammaln(self.shape)
        )

    def draws(self, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Independent draws of the weights [M, p] and of the variance [M]."""
        variance = self.rate / rng.gamma(self.shape, size=count)
        root = np.linalg.cholesky(np.linalg.inv(self.precision))
        normal = rng.standard_normal((count, self.mean.size))
        return self.mean + np.sqrt(variance)[:, None] * (normal @ root.T), variance

    def _data(self, inputs: ArrayLike, targets: ArrayLike) -> tuple[Array, Array]:
        x, y = np.asarray(inputs, dtype=np.float64), np.asarray(targets, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != self.mean.size or y.shape != (len(x),):
            rule = f"must be inputs [n, {self.mean.size}] and targets [n]"
            raise FaultyInput(
                "data of a linear model", [Fault("shapes", f"{x.shape} and {y.shape}", rule)]
            )
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise FaultyInput(
                "data of a linear model", [Fault("numbers", "nan or infinite", "must be finite")]
            )
        return x, y


def log_likelihoods(draws: tuple[Array, Array], inputs: ArrayLike, targets: ArrayLike) -> Array:
    """log p(y_i | x_i, θ_j) of a linear model, [M, n], which is what ``loo`` takes; equation 33 holds.

    Args:
        draws: weights [M, p] and variance [M].
        inputs, targets: [n, p] and [n].
    """
    weights, variance = draws
    residual = (
        np.asarray(targets, dtype=np.float64) - weights @ np.asarray(inputs, dtype=np.float64).T
    )
    return -0.5 * (_LOG_2PI + np.log(variance)[:, None] + residual**2 / variance[:, None])


def exact_cross_validation(
    prior: LinearModel, inputs: ArrayLike, targets: ArrayLike, folds: Sequence[Fold]
) -> Array:
    """log p(y_i | x_i, D without s(i)) with the model fitted anew for each fold, [n]; equations 9 to 11 and 18.

    Args:
        prior: the prior of the model.
        inputs, targets: [n, p] and [n].
        folds: for example ``folds_of(range(n))``, for leave-one-out.
    """
    x, y = prior._data(inputs, targets)
    labels_of(folds, y.size)
    out = np.empty(y.size)
    for fold in folds:
        out[fold.test] = (
            prior.given(x[fold.train], y[fold.train])
            .predictive(x[fold.test])
            .log_density(y[fold.test])
        )
    return out
