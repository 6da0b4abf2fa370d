"""Kernel ridge regression by the penalty of least leave-one-out error, and the choice among widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchbook.methods.kernel_ridge.features import Features, outside
from benchbook.methods.shared.ridge import PENALTIES, TINY, Spectrum

_BLOCK = 4096


@dataclass(frozen=True)
class Ridge:
    """Kernel ridge regression that is fitted: f(x) = b + phi(x)'w.

    residuals, leverage: e_n and h_n [N] of leaving out each training case. outside: [N], of ``features.outside``.
    noise: the mean of e_n^2 (1 - h_n), which estimates the variance of the noise: with Gaussian noise and prior, e_n
    has the variance noise / (1 - h_n). inverse: W and 1 / (s^2 + penalty), for ``doubt``.
    """

    features: Features
    weights: np.ndarray
    intercept: float
    penalty: float
    residuals: np.ndarray
    leverage: np.ndarray
    outside: np.ndarray
    noise: float
    centre: np.ndarray
    inverse: tuple[np.ndarray, np.ndarray]

    @classmethod
    def fit(cls, features: Features, inputs: np.ndarray, targets: np.ndarray) -> Ridge:
        """The fit of the penalty with the least leave-one-out squared error."""
        seen = features.at(inputs)
        spectrum = Spectrum.of(seen)
        each = spectrum.leave_one_out(targets)
        best = int(np.argmin(np.mean(each**2, axis=1)))
        penalty, residuals = float(PENALTIES[best]), each[best]
        leverage = np.minimum(spectrum.leverage(PENALTIES[best : best + 1])[0], 1.0 - TINY)
        weights = spectrum.weights(targets, penalty)
        return cls(
            features,
            weights,
            float(targets.mean() - spectrum.centre @ weights),
            penalty,
            residuals,
            leverage,
            outside(seen),
            float(np.mean(residuals**2 * (1.0 - leverage))),
            spectrum.centre,
            (spectrum.right, 1.0 / (spectrum.power + penalty)),
        )

    @property
    def error(self) -> float:
        """The leave-one-out mean squared error."""
        return float(np.mean(self.residuals**2))

    def at(self, inputs: np.ndarray) -> np.ndarray:
        """f [A] for inputs [A, d]."""
        return np.concatenate(
            [self.intercept + seen @ self.weights for seen in self._blocks(inputs)]
        )

    def doubt(self, inputs: np.ndarray, unreached: float) -> np.ndarray:
        """The variance [A] of f at inputs [A, d], in units of the noise's.

            1/N + z'(Z'Z + penalty)^-1 z + unreached (1 - phi'phi) / penalty,    z = phi(x) - mean phi,

        which with ``unreached`` = 1 is that of the Gaussian process with this mean, the first part for its constant
        (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, equations 2.26 and 2.41).
        """
        turn, shares = self.inverse
        blocks = []
        for seen in self._blocks(inputs):
            away = seen - self.centre
            along = (away @ turn) ** 2
            aside = np.maximum(np.sum(away**2, axis=1) - along.sum(axis=1), 0.0)
            beyond = (aside + unreached * outside(seen)) / self.penalty
            blocks.append(1.0 / len(self.residuals) + along @ shares + beyond)
        return np.concatenate(blocks)

    def _blocks(self, inputs: np.ndarray) -> Iterator[np.ndarray]:
        for start in range(0, len(inputs), _BLOCK):
            yield self.features.at(inputs[start : start + _BLOCK])


def best_width(
    inputs: np.ndarray, targets: np.ndarray, centres: np.ndarray, widths: np.ndarray
) -> Ridge:
    """The fit of least leave-one-out squared error among widths, each with its best penalty."""
    fits = (Ridge.fit(Features.of(centres, float(width)), inputs, targets) for width in widths)
    return min(fits, key=lambda fit: fit.error)
