"""Ridge regression for many penalties at once, with exact leave-one-out residuals, and the choice among widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchbook.methods.kernel_ridge.features import Features, outside

PENALTIES = np.logspace(-10, 3, 40)
_TINY = 1e-12
_BLOCK = 4096


@dataclass(frozen=True)
class Spectrum:
    """Centred features [N, r] as U diag(s) W'.

    centre: [r], their means. left: U [N, r]. power: s^2 [r]. right: W [r, r].
    """

    centre: np.ndarray
    left: np.ndarray
    power: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, features: np.ndarray) -> Spectrum:
        """By the eigenvectors of the features' products; directions that are rounding are left out."""
        centre = features.mean(axis=0)
        centred = features - centre
        power, right = np.linalg.eigh(centred.T @ centred)
        kept = power > _TINY * max(float(power.max(initial=0.0)), 1e-300)
        power, right = power[kept], right[:, kept]
        return cls(centre, centred @ (right / np.sqrt(power)), power, right)

    def leave_one_out(self, targets: np.ndarray, penalties: np.ndarray = PENALTIES) -> np.ndarray:
        """y_n - f_n, f_n predicted by the fit to all cases but n, [P, N]: exact, without refitting.

        For f = b + phi'w with the least sum_n (y_n - f_n)^2 + penalty |w|^2 it is (y_n - f_n) / (1 - h_n), h_n the
        leverage 1/N + sum_k U_nk^2 s_k^2 / (s_k^2 + penalty) (Allen, 1974; the kernel's form in Cawley and Talbot,
        Preventing over-fitting during model selection via Bayesian regularisation, 2007, section 2.2).
        """
        away = targets - targets.mean()
        pulled = self.power / (self.power + penalties[:, None]) * (self.left.T @ away)
        found = np.empty((len(penalties), len(targets)))
        for start in range(0, len(targets), _BLOCK):
            part = slice(start, start + _BLOCK)
            left = 1.0 - self.leverage(penalties, part)
            found[:, part] = (away[part] - pulled @ self.left[part].T) / np.maximum(left, _TINY)
        return found

    def leverage(self, penalties: np.ndarray, part: slice = slice(None)) -> np.ndarray:
        """h [P, n], of all cases or a part of them."""
        shrink = self.power / (self.power + penalties[:, None])
        return 1.0 / len(self.left) + shrink @ (self.left[part] ** 2).T

    def weights(self, targets: np.ndarray, penalty: float) -> np.ndarray:
        """w [r] of the fit; b is the targets' mean less the centre's part, centre'w."""
        away = targets - targets.mean()
        return self.right @ (np.sqrt(self.power) / (self.power + penalty) * (self.left.T @ away))


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
        leverage = np.minimum(spectrum.leverage(PENALTIES[best : best + 1])[0], 1.0 - _TINY)
        weights = spectrum.weights(targets, penalty)
        return cls(features, weights, float(targets.mean() - spectrum.centre @ weights), penalty, residuals, leverage,
                   outside(seen), float(np.mean(residuals**2 * (1.0 - leverage))), spectrum.centre,
                   (spectrum.right, 1.0 / (spectrum.power + penalty)))

    @property
    def error(self) -> float:
        """The leave-one-out mean squared error."""
        return float(np.mean(self.residuals**2))

    def at(self, inputs: np.ndarray) -> np.ndarray:
        """f [A] for inputs [A, d]."""
        return np.concatenate([self.intercept + seen @ self.weights for seen in self._blocks(inputs)])

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


def best_width(inputs: np.ndarray, targets: np.ndarray, centres: np.ndarray, widths: np.ndarray) -> Ridge:
    """The fit of least leave-one-out squared error among widths, each with its best penalty."""
    fits = (Ridge.fit(Features.of(centres, float(width)), inputs, targets) for width in widths)
    return min(fits, key=lambda fit: fit.error)
