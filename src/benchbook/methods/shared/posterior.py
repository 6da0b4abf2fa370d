"""What a sampler leaves behind, whatever the model: draws that predict, and log likelihoods for cross-validation.

The models are those of A. Vehtari and J. Lampinen, Bayesian model assessment and comparison using cross-validation
predictive densities, 2001, section 3. M draws, N training cases, J cases asked for, d inputs, O outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from benchbook.errors import Fault, FaultyInput
from benchbook.predictive import Categorical, Mixture, StudentTMixture
from benchbook.predictive.gaussian import log_t

REAL_KINDS = ("n", "t", "in", "it")
"""Normal, Student's t, input-dependent Normal and input-dependent t residuals: the report, section 3.3."""
KINDS = (*REAL_KINDS, "logistic")
"""And the logistic model of two classes: equation 32."""

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class DrawnComponents:
    """What each draw says of each case, on the encoded scale: the target is location + scale e.

    e is standard normal where ``degrees`` is None, else Student's t with so many degrees of freedom. Of the logistic
    model the location is f, with p(y = 1) = 1 / (1 + exp(-f)), and there is neither scale nor degrees.

    location: [M, J], or [M, J, O] for several outputs; scale, degrees: of that shape, or one that broadcasts to it.
    """

    location: np.ndarray
    scale: np.ndarray | None = None
    degrees: np.ndarray | None = None

    def log_density(self, targets: np.ndarray) -> np.ndarray:
        """log p(y_j | x_j, draw) [M, J] of targets [J], or [J, O] whose outputs are independent given the draw."""
        if self.scale is None:
            signed = np.where(targets > 0.5, 1.0, -1.0) * self.location
            return -np.logaddexp(0.0, -signed)
        if self.degrees is not None:
            each = log_t(targets, self.location, self.scale, self.degrees)
        else:
            each = -0.5 * (_LOG_2PI + ((targets - self.location) / self.scale) ** 2) - np.log(
                self.scale
            )
        return each.sum(axis=2) if each.ndim == 3 else each


@dataclass(frozen=True)
class Posterior:
    """M draws from the posterior of a model.

    ``log_likelihood`` [M, N]: log p(y_i | x_i, draw) of the training cases, or whatever stands in its place in the
    weights of importance sampling (for a Gaussian process the log leave-one-out density, equation 37), in nats, per
    unit of the encoded target. ``components``: a function from inputs [J, d] to ``DrawnComponents``. ``diagnostics``:
    numbers that say how far to trust the draws, the minutes they took among them.
    """

    kind: str
    log_likelihood: np.ndarray
    components: Callable[[np.ndarray], DrawnComponents]
    diagnostics: Mapping[str, Any]

    @property
    def draws(self) -> int:
        """M."""
        return len(self.log_likelihood)

    def log_density_draws(self, inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """log p(y_j | x_j, draw) [M, J] for inputs [J, d] and targets [J] or [J, O] on the encoded scale."""
        return self.components(inputs).log_density(np.asarray(targets, dtype=float))

    def log_density(self, inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """log p(y_j | x_j, D) [J], the mean of the densities over the draws: equation 1 by equation 2."""
        each = self.log_density_draws(inputs, targets)
        return np.logaddexp.reduce(each, axis=0) - np.log(len(each))

    def predict(
        self, inputs: np.ndarray, output: int | None = None
    ) -> Mixture | StudentTMixture | Categorical:
        """The predictive distribution of J cases: the equal mixture over the draws.

        Args:
            inputs: [J, d].
            output: which output, for a model of several; None for a model of one.

        Raises:
            FaultyInput: no such output, or none said where there are several.
        """
        components = self.components(inputs)
        location = _one_output(components.location, components.location, output)
        if components.scale is None:
            return _categorical(location)
        scale = _one_output(components.scale, components.location, output)
        degrees = (
            None
            if components.degrees is None
            else _one_output(components.degrees, components.location, output)
        )
        return _mixture(location, scale, degrees)


def _one_output(array: np.ndarray, whole: np.ndarray, output: int | None) -> np.ndarray:
    """The [M, J] of one output, of an array that broadcasts to the ``whole``."""
    outputs = whole.shape[2] if whole.ndim == 3 else None
    if (output is None) != (outputs is None) or (
        output is not None and outputs and not 0 <= output < outputs
    ):
        rule = (
            "leave it out, the model has one"
            if outputs is None
            else f"say which one, 0..{outputs - 1}"
        )
        raise FaultyInput("prediction", [Fault("output", repr(output), rule)])
    full = np.broadcast_to(array, whole.shape)
    return full if output is None else full[:, :, output]


def _categorical(logit: np.ndarray) -> Categorical:
    chance = scipy.special.expit(logit).mean(axis=0)
    return Categorical(np.column_stack([1.0 - chance, chance]))


def _mixture(
    location: np.ndarray, scale: np.ndarray, degrees: np.ndarray | None
) -> Mixture | StudentTMixture:
    weight = np.full(len(location), 1.0 / len(location))
    if degrees is None:
        return Mixture(weight, location.T, _shared(scale**2))
    return StudentTMixture(weight, location.T, _shared(scale), _shared(degrees))


def _shared(array: np.ndarray) -> np.ndarray:
    """[J, M], or [M] when all cases share them."""
    return array[:, 0] if np.ptp(array, axis=1).max() == 0.0 else array.T
