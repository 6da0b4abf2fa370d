"""Ridge regression for many penalties at once, with exact leave-one-out residuals: one for lin-1 and for the kernels.

Two fits factorise for themselves, since this one leaves out directions without variance and weighs all cases alike:
``challenge.ridge_experts`` needs those directions for the variance of what is unlike its cases, and
``kernel_ridge.heteroscedastic`` has weights that change from fit to fit. What they say of a case left out is one
formula, ``statistics.left_out``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook.statistics import left_out

PENALTIES = np.logspace(-10, 3, 40)
TINY = 1e-12
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
        retained = power > TINY * max(float(power.max(initial=0.0)), 1e-300)
        power, right = power[retained], right[:, retained]
        return cls(centre, centred @ (right / np.sqrt(power)), power, right)

    def leave_one_out(self, targets: np.ndarray, penalties: np.ndarray = PENALTIES) -> np.ndarray:
        """y_n - f_n, f_n predicted by the fit to all cases but n, [P, N]: exact, without refitting.

        For f = b + phi'w with the least sum_n (y_n - f_n)^2 + penalty |w|^2 the leverage of ``statistics.left_out`` is
        h_n = 1/N + sum_k U_nk^2 s_k^2 / (s_k^2 + penalty); the kernel's form in Cawley and Talbot, Preventing
        over-fitting during model selection via Bayesian regularisation, 2007, section 2.2.
        """
        away = targets - targets.mean()
        pulled = self.power / (self.power + penalties[:, None]) * (self.left.T @ away)
        residuals = np.empty((len(penalties), len(targets)))
        for start in range(0, len(targets), _BLOCK):
            part = slice(start, start + _BLOCK)
            rest = 1.0 - self.leverage(penalties, part)
            residuals[:, part] = left_out(away[part] - pulled @ self.left[part].T, rest, TINY)
        return residuals

    def leverage(self, penalties: np.ndarray, part: slice = slice(None)) -> np.ndarray:
        """h [P, n], of all cases or a part of them."""
        shrink = self.power / (self.power + penalties[:, None])
        return 1.0 / len(self.left) + shrink @ (self.left[part] ** 2).T

    def weights(self, targets: np.ndarray, penalty: float) -> np.ndarray:
        """w [r] of the fit; b is the targets' mean less the centre's part, centre'w."""
        away = targets - targets.mean()
        return self.right @ (np.sqrt(self.power) / (self.power + penalty) * (self.left.T @ away))
