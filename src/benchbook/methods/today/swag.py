"""Averaging weights along stochastic gradient descent: swag-1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from benchbook.methods.base import method, need_cases
from benchbook.methods.settings import setting
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import least_variance
from benchbook.methods.today.mc_dropout import NOISE, WIDE_NOISE, Weights
from benchbook.methods.today.one_network import EarlyStopped, batches, fitted, outputs_of, slopes_of
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME, SLOW = "swag-1", "swag-slow-1"


@dataclass(frozen=True)
class SWAG:
    """The constants of swag-1. Momentum and rank are those of the authors' program, the others ours.

    With this step size and this momentum the descent undoes what early stopping has chosen; see ``SlowSWAG``.
    """

    epochs: int = setting(
        100, "epochs of descent at a constant step size, each of which leaves its weights", least=2
    )
    rate: float = setting(0.01, "that step size", above=0)
    momentum: float = setting(0.9, "share of the last step that is taken again", least=0, below=1)
    rank: int = setting(20, "deviations from the mean that are kept, the last ones", least=2)
    draws: int = setting(30, "networks drawn, of which the prediction is the mixture", least=1)
    noises: tuple[float, ...] = setting(NOISE, "noise variances, tried", above=0)
    network: EarlyStopped = setting(EarlyStopped(), "of the network that the descent starts from")


@dataclass(frozen=True)
class SlowSWAG(SWAG):
    """The constants of swag-slow-1, those of swag-1 but for the step size and the noises; ours.

    The step size is a tenth of that of the network's own training. The cases held out cannot choose it: they have
    stopped the network already, and take the least step there is.
    """

    rate: float = setting(0.001, "that step size", above=0)
    noises: tuple[float, ...] = setting(WIDE_NOISE, "noise variances, tried", above=0)


class Moments(NamedTuple):
    """Mean [P], variances [P] and last deviations [K, P] of the weights that the descent left."""

    mean: np.ndarray
    variance: np.ndarray
    deviations: np.ndarray


@method(
    name=NAME,
    description="stochastic weight averaging, Gaussian, of a network with one hidden layer; noise "
    "chosen on a fifth of the training cases",
    kinds={"real"},
    settings=SWAG(),
    source="W. Maddox et al., A Simple Baseline for Bayesian Uncertainty in Deep Learning, 2019, section 3; "
    "network and step size ours",
    calls=[
        "benchbook.methods.today.swag:descend",
        "benchbook.methods.today.one_network:slopes_of",
        "benchbook.methods.today.mc_dropout:slopes",
    ],
)
def swag_1(
    instance: TaskInstance, rng: np.random.Generator, settings: SWAG
) -> tuple[Predictive, dict[str, Any]]:
    """SWAG: a Gaussian fitted to the weights along stochastic gradient descent.

    1. Bring inputs and targets to mean 0 and standard deviation 1.
    2. Train a network with one hidden layer of 50 rectified linear units by squared error on four fifths of the cases,
       stopped by the other fifth (``one_network.fitted``).
    3. From there go on by gradient descent with momentum 0.9 at the step size 0.01, 100 epochs on the same four
       fifths; keep the weights after each.
    4. Draw 30 networks from the Gaussian with the mean of these weights and half of two covariances: their variances
       on the diagonal, and that of the last 20 deviations from the mean so far.
    5. Of some noise variances take the one with the highest mean log density of the mixture on the fifth held out, and
       predict the mixture with it.

    The authors have images in view and train for hundreds of epochs on a schedule; these are small networks.
    """
    need_cases(instance, 2, NAME)
    return _predicted(instance, rng, settings)


@method(
    name=SLOW,
    description="swag-1 with a tenth of its step size, which keeps to the network that was stopped, and more noises",
    kinds={"real"},
    settings=SlowSWAG(),
    source="W. Maddox et al., A Simple Baseline for Bayesian Uncertainty in Deep Learning, 2019, section 3; "
    "network and step size ours",
    calls=[
        "benchbook.methods.today.swag:descend",
        "benchbook.methods.today.one_network:slopes_of",
        "benchbook.methods.today.mc_dropout:slopes",
    ],
)
def swag_slow_1(
    instance: TaskInstance, rng: np.random.Generator, settings: SlowSWAG
) -> tuple[Predictive, dict[str, Any]]:
    """SWAG as in swag-1, with the step size 0.001 and noise variances from 0.0001 to 10."""
    need_cases(instance, 2, SLOW)
    return _predicted(instance, rng, settings)


def _predicted(
    instance: TaskInstance, rng: np.random.Generator, settings: SWAG
) -> tuple[Predictive, dict[str, Any]]:
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    inputs, targets = scale.inputs(instance.train_inputs), scale.targets(instance.train_targets)
    with one_thread():
        network = fitted(inputs, targets, settings.network, rng)
        path = descend(network.weights, inputs, targets, network.kept, settings, rng)
        drawn = [
            unpacked(item, network.weights)
            for item in draw(moments(path, settings.rank), settings.draws, rng)
        ]
        validation = np.stack([outputs_of(item, inputs[network.held])[0] for item in drawn])
        queries = scale.inputs(instance.test_inputs)
        means = np.stack([outputs_of(item, queries)[0] for item in drawn], axis=1)
    noise = likeliest_noise(validation, targets[network.held], settings.noises)
    variance = max(scale.target_unit**2 * noise, least_variance(instance.train_targets))
    diagnostics = {
        "stopped": network.epoch,
        "noise_variance": noise,
        "gradient_passes": settings.network.epochs + settings.epochs,
    }
    count = settings.draws
    return Mixture(
        np.full(count, 1 / count),
        scale.target_centre + scale.target_unit * means,
        np.full(count, variance),
    ), diagnostics


def descend(
    weights: Weights,
    inputs: np.ndarray,
    targets: np.ndarray,
    cases: np.ndarray,
    settings: SWAG,
    rng: np.random.Generator,
) -> np.ndarray:
    """The weights after each epoch of stochastic gradient descent with momentum, in one row each, [S, P]."""
    now = [part.copy() for part in weights]
    speed = [np.zeros_like(part) for part in weights]
    path = []
    for _ in range(settings.epochs):
        for chosen in batches(cases, settings.network.batch, rng):
            for part, push, slope in zip(
                now, speed, slopes_of(now, inputs[chosen], targets[chosen]), strict=True
            ):
                push *= settings.momentum
                push -= settings.rate * slope
                part += push
        path.append(packed(now))
    return np.array(path)


def moments(path: np.ndarray, rank: int) -> Moments:
    """Mean, variances, and the last deviations, each from the mean so far, of weights [S, P], S at least 2."""
    so_far = np.cumsum(path, axis=0) / np.arange(1, len(path) + 1)[:, None]
    return Moments(so_far[-1], path.var(axis=0), (path - so_far)[-rank:])


def draw(gaussian: Moments, count: int, rng: np.random.Generator) -> np.ndarray:
    r"""Weights from the Gaussian, [count, P].

    .. math:: \theta = \bar\theta + \tfrac1{\sqrt2} \sigma z_1 + \tfrac1{\sqrt{2 (K - 1)}} D z_2
    """
    rank, size = gaussian.deviations.shape
    own = np.sqrt(gaussian.variance) * rng.normal(size=(count, size))
    joint = rng.normal(size=(count, rank)) @ gaussian.deviations / np.sqrt(max(1, rank - 1))
    return gaussian.mean + (own + joint) / np.sqrt(2)


def likeliest_noise(
    means: np.ndarray, targets: np.ndarray, noises: Sequence[float] = WIDE_NOISE
) -> float:
    """The noise variance among ``noises`` with the highest mean log density of mixtures.

    Args:
        means: of T components of equal weight, [T, n]. targets: [n].
    """
    variances = np.array(noises)[:, None, None]
    density = scipy.special.logsumexp(
        -0.5 * ((targets - means) ** 2 / variances + np.log(variances)), axis=1
    )
    return noises[int(density.mean(axis=1).argmax())]


def packed(weights: Weights) -> np.ndarray:
    """All weights in one row, [P]."""
    return np.concatenate([part.ravel() for part in weights])


def unpacked(row: np.ndarray, like: Weights) -> Weights:
    """A row of all weights, [P], as arrays shaped like others."""
    ends = np.cumsum([part.size for part in like])[:-1]
    return [part.reshape(item.shape) for part, item in zip(np.split(row, ends), like, strict=True)]
