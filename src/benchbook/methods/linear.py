"""lin-1, linear least squares with the predictive distribution of normal theory, and ridge-1, with a chosen penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.shared.ridge import Spectrum
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import StudentT

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

LEAST_DF = 3
_RANK_TOLERANCE = 1e-10
_PENALTIES = np.logspace(-6, 3, 37)


@method(
    name="lin-1",
    description="linear least squares with intercept, Student-t predictive distribution",
    kinds={"real"},
    source="A. Gelman and others, Bayesian Data Analysis, 3rd edition, equation 14.9",
    calls=["benchbook.methods.linear:CentredDesign.of"],
)
def lin_1(instance: TaskInstance, rng: np.random.Generator) -> tuple[Predictive, dict[str, Any]]:
    """Least squares on the encoded inputs, with the predictive distribution of normal theory.

    For a test case x (with a leading 1 for the intercept), X the N training cases likewise, r the rank of X:

        t ~ StudentT(x'b, s sqrt(1 + x'(X'X)^-1 x), N - r),   b = argmin |y - Xb|^2,   s^2 = |y - Xb|^2 / (N - r),

    the posterior predictive distribution under p(b, s^2) proportional to 1/s^2 (Gelman et al., Bayesian Data Analysis,
    3rd ed., eq. 14.9 and the text that follows it). Columns are brought to unit standard deviation first; among
    collinear columns the solution of least norm on that scale is taken.

    When N - r < 3 the t distribution has no variance and least squares has next to no residuals, so a rule of ours
    takes over: ridge regression, the penalty chosen by leave-one-out squared error, s^2 that error, N - 1 (at least 3)
    degrees of freedom. The record says so under "fallback_to_ridge". There is no version for class targets.
    """
    need_cases(instance, 2, "lin-1")
    design = CentredDesign.of(instance.train_inputs, instance.train_targets)
    enough = design.residual_df >= LEAST_DF
    location, scale, df = (_least_squares if enough else _ridge)(design, instance.test_inputs)
    return StudentT(location, scale, np.full(len(location), float(df))), {} if enough else {
        "fallback_to_ridge": 1
    }


@method(
    name="ridge-1",
    description="ridge regression, the penalty chosen by leave-one-out error, Student-t predictive "
    "distribution",
    kinds={"real"},
    source="A. E. Hoerl and R. W. Kennard, Ridge Regression, 1970; grid and variance ours",
    calls=["benchbook.methods.shared.ridge:Spectrum.leave_one_out"],
)
def ridge_1(instance: TaskInstance, rng: np.random.Generator) -> tuple[Predictive, dict[str, Any]]:
    """Linear regression whose weights are shrunk as far as the training cases say.

    1. Bring the columns to mean 0 and standard deviation 1.
    2. Fit b + x'w with the least sum of squares plus penalty |w|^2, for 37 penalties from 1e-6 to 1e3 times the
       greatest squared singular value, and take the one with the least squared error of cases left out, which is exact.
    3. Predict StudentT(b + x'w, s, N - 1), at least 3 degrees of freedom, s^2 the error of cases left out.

    It is what lin-1 does where it has more coefficients than cases. There is no version for class targets.
    """
    need_cases(instance, 2, "ridge-1")
    design = CentredDesign.of(instance.train_inputs, instance.train_targets)
    location, scale, df = _ridge(design, instance.test_inputs)
    return StudentT(location, scale, np.full(len(location), float(df))), {}


@dataclass(frozen=True)
class CentredDesign:
    """The centred, scaled training inputs as a singular value decomposition U diag(s) V' of rank r - 1."""

    centre: np.ndarray
    unit: np.ndarray
    left: np.ndarray
    singular: np.ndarray
    right: np.ndarray
    targets: np.ndarray
    residual_df: int

    @classmethod
    def of(cls, inputs: np.ndarray, targets: np.ndarray) -> CentredDesign:
        """Decompose inputs [N, d]; a constant column gets the unit infinity, which takes it out."""
        centre = inputs.mean(axis=0)
        spread = np.sqrt(np.mean((inputs - centre) ** 2, axis=0))
        unit = np.where(np.ptp(inputs, axis=0) > 0, spread, np.inf)
        left, singular, right = np.linalg.svd((inputs - centre) / unit, full_matrices=False)
        retained = singular > _RANK_TOLERANCE * max(singular.max(initial=0.0), 1.0)
        residual_df = len(targets) - 1 - int(retained.sum())
        return cls(
            centre,
            unit,
            left[:, retained],
            singular[retained],
            right[retained],
            targets,
            residual_df,
        )

    def rotate(self, inputs: np.ndarray) -> np.ndarray:
        """Inputs [J, d] in the coordinates of the singular vectors, [J, r - 1]."""
        return ((inputs - self.centre) / self.unit) @ self.right.T


def _least_squares(
    design: CentredDesign, test_inputs: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    cases, mean = len(design.targets), design.targets.mean()
    fitted = design.left.T @ (design.targets - mean)
    residuals = design.targets - mean - design.left @ fitted
    noise = stated_variance(residuals @ residuals / design.residual_df, design.targets)
    rotated = design.rotate(test_inputs) / design.singular
    leverage = 1.0 / cases + np.sum(rotated**2, axis=1)
    return mean + rotated @ fitted, np.sqrt(noise * (1.0 + leverage)), design.residual_df


def _ridge(design: CentredDesign, test_inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    cases, mean = len(design.targets), design.targets.mean()
    power = design.singular**2
    penalties = _PENALTIES * power.max(initial=1.0)
    spectrum = Spectrum(design.centre, design.left, power, design.right.T)
    errors = np.mean(spectrum.leave_one_out(design.targets, penalties) ** 2, axis=1)
    best = int(np.argmin(errors))
    noise = stated_variance(errors[best], design.targets)
    away = (test_inputs - design.centre) / design.unit
    location = mean + away @ spectrum.weights(design.targets, float(penalties[best]))
    return location, np.full(len(location), np.sqrt(noise)), max(cases - 1, LEAST_DF)
