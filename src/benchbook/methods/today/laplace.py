"""Laplace's approximation for the last layer of a network: laplace-last-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.settings import setting
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import least_variance
from benchbook.methods.today.one_network import EarlyStopped, fitted, outputs_of
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "laplace-last-1"
RATIOS = np.logspace(-8, 8, 321)
"""Ratios of the weights' prior precision to that of the noise among which the evidence chooses."""


@dataclass(frozen=True)
class LastLayer:
    """The constants of laplace-last-1: those of its network."""

    network: EarlyStopped = setting(EarlyStopped(), "of the hidden layer")


class Evidence(NamedTuple):
    """Most probable precisions of noise and weights, and the posterior of the weights, N(mean, covariance)."""

    noise: float
    weights: float
    mean: np.ndarray
    covariance: np.ndarray


@method(
    name=NAME,
    description="network with one hidden layer, stopped early, its last layer Bayesian by Laplace's "
    "approximation, which is exact there; precisions of weights and noise by the evidence",
    kinds={"real"},
    settings=LastLayer(),
    source="D. MacKay, Bayesian Interpolation, 1992, for the last layer; E. Daxberger et al., Laplace Redux, 2021; "
    "the network ours",
    calls=["benchbook.methods.today.laplace:evidence"],
)
def laplace_last_1(
    instance: TaskInstance, rng: np.random.Generator, settings: LastLayer
) -> tuple[Predictive, dict[str, Any]]:
    """A network whose last layer is a Bayesian linear regression on its hidden units.

    1. Bring inputs and targets to mean 0 and standard deviation 1.
    2. Train a network with one hidden layer of 50 rectified linear units by squared error with Adam on four fifths of
       the cases, 400 epochs at most, and keep the epoch that does best on the other fifth.
    3. Take its hidden units for inputs of a linear regression on all cases. With a Gaussian prior of the weights of
       the last layer, bias included, and Gaussian noise, the log posterior of these weights is quadratic, so that
       Laplace's approximation is the posterior itself.
    4. The precisions of prior and noise are those with the greatest evidence.
    5. Predict the Gaussian whose variance is that of the noise and of the last layer.

    The hidden layer is taken for certain. The fifth that stops it is in the regression, too, and the four fifths have
    trained the units that the regression finds so fitting: the noise may be said too small.
    """
    need_cases(instance, 2, NAME)
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    inputs, targets = scale.inputs(instance.train_inputs), scale.targets(instance.train_targets)
    with one_thread():
        network = fitted(inputs, targets, settings.network, rng)
        result = evidence(units(network.weights, inputs), targets)
        queries = units(network.weights, scale.inputs(instance.test_inputs))
        mean = queries @ result.mean
        variance = 1 / result.noise + np.einsum("ni,ij,nj->n", queries, result.covariance, queries)
    unit, least = scale.target_unit, least_variance(instance.train_targets)
    diagnostics = {"stopped": network.epoch, "gradient_passes": settings.network.epochs}
    return Gaussian(
        scale.target_centre + unit * mean, np.maximum(unit**2 * variance, least)
    ), diagnostics


def units(weights: list[np.ndarray], inputs: np.ndarray) -> np.ndarray:
    """Hidden units and a column of ones, [n, H + 1], for inputs [n, d]."""
    return np.column_stack([outputs_of(weights, inputs)[1], np.ones(len(inputs))])


def evidence(design: np.ndarray, targets: np.ndarray) -> Evidence:
    r"""Bayesian linear regression with the precisions of greatest evidence.

    With the design F, prior N(0, 1/a) of each weight, noise N(0, 1/b) and r = a/b,

    .. math:: \log p(t) = \tfrac N2 \log b - \tfrac12 \log|I + F F^T/r| - \tfrac b2 S(r), \quad
        S(r) = t^T (I + F F^T/r)^{-1} t,

    which is greatest in b at N/S(r); r is the best of ``RATIOS``, twenty to a power of ten.

    Args:
        design: [N, K]. targets: [N].
    """
    squares, axes = np.linalg.eigh(design.T @ design)
    squares, along = np.maximum(squares, 0.0), axes.T @ (design.T @ targets)
    rest = targets @ targets - (along**2 / (squares + RATIOS[:, None])).sum(axis=1)
    rest = np.maximum(rest, 1e-12 * max(1.0, targets @ targets))
    score = -0.5 * (len(targets) * np.log(rest) + np.log1p(squares / RATIOS[:, None]).sum(axis=1))
    best = int(score.argmax())
    noise, shrunk = len(targets) / rest[best], squares + RATIOS[best]
    return Evidence(
        noise, RATIOS[best] * noise, axes @ (along / shrunk), (axes / shrunk) @ axes.T / noise
    )
