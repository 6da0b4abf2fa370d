"""Densities of targets whose latent value is Normal: residuals Normal or t, of uncertain variance, and logistic."""

from __future__ import annotations

import numpy as np
import scipy

_LOG_2PI = float(np.log(2.0 * np.pi))
_NODES = 32  # of the scale of a t residual
_SPREADS = 7  # of the logarithm of a residual variance
_LOGITS = 24
_TAIL = 1e-7  # probability of a scale beyond the nodes
_PROBIT = (
    16.0 * np.sqrt(3.0) / (15.0 * np.pi)
)  # 1 / (1 + exp(-f)) is nearly the Normal distribution function at this f


def log_normal(targets: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """log N(y; mean, variance); arrays broadcast."""
    return -0.5 * (_LOG_2PI + np.log(variance) + (targets - mean) ** 2 / variance)


def log_residual(
    targets: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    noise: np.ndarray,
    degrees: np.ndarray,
    spread: np.ndarray | None = None,
) -> np.ndarray:
    r"""log of the density of y = h + e, h ~ N(mean, variance), e = sqrt(noise exp(g)) T, g ~ N(0, spread), [M, J].

    T has ``degrees`` of freedom, [M] or [M, J], infinity for Normal residuals. g is integrated by Gauss-Hermite
    quadrature, the scale of T by ``log_convolved``.

    Args:
        targets: [J]; mean, variance, noise: [M, J]; spread: [M, J], none for residual variances that are known.
    """
    if spread is None:
        return _given_noise(targets, mean, variance, noise, degrees)
    nodes, weights = np.polynomial.hermite_e.hermegauss(_SPREADS)
    logs = [
        np.log(weight / weights.sum())
        + _given_noise(targets, mean, variance, noise * np.exp(node * np.sqrt(spread)), degrees)
        for node, weight in zip(nodes, weights, strict=True)
    ]
    return np.logaddexp.reduce(logs, axis=0)


def _given_noise(
    targets: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    noise: np.ndarray,
    degrees: np.ndarray,
) -> np.ndarray:
    own = degrees[:, None] if degrees.ndim == 1 else degrees
    if not np.isfinite(own).any():
        return log_normal(targets, mean, variance + noise)
    return log_convolved(targets - mean, variance, noise, np.broadcast_to(own, mean.shape))


def log_convolved(
    away: np.ndarray, variance: np.ndarray, noise: np.ndarray, degrees: np.ndarray
) -> np.ndarray:
    r"""log of ∫ N(r; 0, V + S s) p(s) ds with n / s chi-squared with n degrees of freedom: a t plus a Normal variable.

    By the trapezium rule in log s, on nodes that reach from the scales of small residuals to those of this one.

    Args:
        away, variance, noise, degrees: r, V, S and n, arrays of one shape.
    """
    low = np.log(degrees / scipy.special.chdtri(degrees + 1.0, _TAIL))
    high = np.log((degrees + away**2 / noise) / scipy.special.chdtri(degrees + 1.0, 1.0 - _TAIL))
    step, half = (high - low) / (_NODES - 1), 0.5 * degrees
    total = np.full(np.shape(away), -np.inf)
    for k in range(_NODES):
        at = low + k * step
        density = -half * at - half * np.exp(-at)
        total = np.logaddexp(
            total, density + log_normal(away, np.zeros(()), variance + noise * np.exp(at))
        )
    return total + np.log(step) + half * np.log(half) - scipy.special.gammaln(half)


def logistic_chance(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    r"""∫ N(f; mean, variance) / (1 + exp(-f)) df; arrays broadcast.

    That of the Normal distribution function at c f is the same at c mean / sqrt(1 + c^2 variance); the small difference
    of the two is summed by the trapezium rule, at steps of sd / 3 about the mean or, where sd is above 2, of 1 about 0.
    Within 1e-7.
    """
    mean, sd = np.broadcast_arrays(np.asarray(mean, dtype=float), np.sqrt(variance))
    chance = scipy.special.ndtr(_PROBIT * mean / np.sqrt(1.0 + (_PROBIT * sd) ** 2))
    wide = sd > 2.0
    location, unit = np.where(wide, mean, 0.0), np.where(wide, sd, 1.0)
    for k in range(-_LOGITS, _LOGITS + 1):
        latent = np.where(wide, float(k), mean + k / 3.0 * sd)
        away = (np.where(wide, float(k), k / 3.0) - location) / unit
        share = np.exp(-0.5 * (_LOG_2PI + away**2)) / np.where(wide, sd, 3.0)
        chance = chance + share * (
            scipy.special.expit(latent) - scipy.special.ndtr(_PROBIT * latent)
        )
    return np.clip(chance, 0.0, 1.0)
