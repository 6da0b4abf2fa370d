"""Monte Carlo dropout: mc-dropout-1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.settings import setting
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import least_variance
from benchbook.methods.today.adam import AdamSteps
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME, CHOSEN = "mc-dropout-1", "mc-dropout-chosen-1"
DROPPED = (0.005, 0.01, 0.05, 0.1)
"""Shares of units left out, among which the held-out cases choose; the authors'."""
NOISE = tuple(10 ** (power / 4) for power in range(-12, 1))
"""Noise variances among which they choose, the target's being 1, four to a power of ten; ours, since the authors have
three others for each set."""
WIDE_NOISE = tuple(10 ** (power / 4) for power in range(-16, 5))
"""The same from 0.0001 to 10: few held-out cases may be predicted worse than by their mean."""
_TRAINED = 0.8  # share of the cases that is trained on; the authors'

Weights = list[np.ndarray]
"""Of M networks: [M, d, H], [M, 1, H], [M, H, 1], [M, 1, 1]."""


@dataclass(frozen=True)
class MCDropout:
    """The constants of mc-dropout-1, those of the authors' program but for the draws, of which it takes 10,000."""

    hidden: int = setting(50, "rectified linear units of the hidden layer", least=1)
    epochs: int = setting(
        400, "times that each network sees its cases; ten times those of earlier work", least=1
    )
    batch: int = setting(128, "cases of a step, at most", least=1)
    rates: tuple[float, ...] = setting((0.001,), "Adam's step sizes, never cut, tried", above=0)
    dropped: tuple[float, ...] = setting(
        DROPPED, "shares of units left out, tried", least=0, below=1
    )
    noises: tuple[float, ...] = setting(NOISE, "noise variances, tried; ours", above=0)
    length_scale: float = setting(
        0.01, "prior length scale of the weights, from which their decay follows", above=0
    )
    draws: int = setting(
        200, "networks with units left out, of which the prediction is the mixture; ours", least=1
    )


@dataclass(frozen=True)
class ChosenDropout(MCDropout):
    """The constants of mc-dropout-chosen-1, those of the authors' program but for what is tried."""

    rates: tuple[float, ...] = setting(
        (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3),
        "Adam's step sizes, never cut, tried; ours",
        above=0,
    )
    dropped: tuple[float, ...] = setting(
        (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8),
        "shares of units left out, tried; ours",
        least=0,
        below=1,
    )
    noises: tuple[float, ...] = setting(WIDE_NOISE, "noise variances, tried; ours", above=0)


@method(
    name=NAME,
    description="Monte Carlo dropout with one hidden layer, after its authors' program; rate and noise "
    "chosen on a fifth of the training cases, the noises to choose from ours",
    kinds={"real"},
    settings=MCDropout(),
    source="Y. Gal and Z. Ghahramani, Dropout as a Bayesian Approximation: Representing Model Uncertainty in Deep "
    "Learning, 2016, section 5.2, and their program",
    calls=[
        "benchbook.methods.today.mc_dropout:train",
        "benchbook.methods.today.mc_dropout:slopes",
        "benchbook.methods.today.mc_dropout:outputs",
    ],
)
def mc_dropout_1(
    instance: TaskInstance, rng: np.random.Generator, settings: MCDropout
) -> tuple[Predictive, dict[str, Any]]:
    """Monte Carlo dropout with the constants that its authors took for the UCI repository.

    1. Put a fifth of the training cases aside. Bring the others to mean 0 and standard deviation 1.
    2. Train a network of 50 rectified linear units for each share of units left out: 400 epochs of Adam by squared
       error, 128 cases a step (all, when there are fewer), with inputs and hidden units left out at random and weights
       that decay.
    3. Keep the network and the noise variance with the highest mean log density of the cases put aside. It is not
       trained again.
    4. Predict the mixture of 200 Gaussians, each the output with units left out at random (the same for all cases),
       with the noise variance.

    The authors train a network for each noise, too. It changes training by the decay alone, l^2 (1 - share) v / N,
    which is so small that one network a share, with the decay of v = 1, does for all. Weights start as the authors'
    library has them, uniform within sqrt(6 / (units in + units out)), and biases at zero.
    """
    need_cases(instance, 2, NAME)
    return _predicted(instance, rng, settings)


@method(
    name=CHOSEN,
    description="mc-dropout-1 with its step size chosen too, and shares of units left out up to 0.8",
    kinds={"real"},
    settings=ChosenDropout(),
    source="Y. Gal and Z. Ghahramani, Dropout as a Bayesian Approximation: Representing Model Uncertainty in Deep "
    "Learning, 2016, section 5.2; what is tried ours",
    calls=[
        "benchbook.methods.today.mc_dropout:train",
        "benchbook.methods.today.mc_dropout:slopes",
        "benchbook.methods.today.mc_dropout:outputs",
    ],
)
def mc_dropout_chosen_1(
    instance: TaskInstance, rng: np.random.Generator, settings: ChosenDropout
) -> tuple[Predictive, dict[str, Any]]:
    """Monte Carlo dropout as in mc-dropout-1, but for what the held-out fifth chooses from.

    The authors' step size of 0.001 makes 400 steps of 64 cases, which leave the network where it started, nearly; and
    with their shares up to 0.1 the largest is taken more often than any other. Here a network is trained for each of
    eight step sizes and seven shares. The grid is so wide that its ends are seldom chosen: with step sizes from 0.001
    to 0.03 and shares up to 0.4 an end of the first was taken in 115 of 192 runs with 64 cases.
    """
    need_cases(instance, 2, CHOSEN)
    return _predicted(instance, rng, settings)


def _predicted(
    instance: TaskInstance, rng: np.random.Generator, settings: MCDropout
) -> tuple[Predictive, dict[str, Any]]:
    order = rng.permutation(len(instance.train_targets))
    retained, validation = np.split(order, [int(_TRAINED * len(order))])
    scale = Scale.of(instance.train_inputs[retained], instance.train_targets[retained])
    inputs, targets = scale.inputs(instance.train_inputs), scale.targets(instance.train_targets)
    rates, dropped = (part.ravel() for part in np.meshgrid(settings.rates, settings.dropped))
    with one_thread():
        weights = train(inputs[retained], targets[retained], dropped, rates, settings, rng)
        scores = log_densities(
            weights, inputs[validation], targets[validation], dropped, settings, rng
        ).mean(axis=2)
        best, noise = np.unravel_index(scores.argmax(), scores.shape)
        chosen, share = [part[best : best + 1] for part in weights], dropped[best : best + 1]
        queries = scale.inputs(instance.test_inputs)[None]
        means = np.stack(
            [
                outputs(chosen, queries, masks(chosen, 1, share, rng))[0][0]
                for _ in range(settings.draws)
            ],
            axis=1,
        )
    width = settings.noises[noise]
    variance = max(scale.target_unit**2 * width, least_variance(instance.train_targets))
    diagnostics = {
        "dropped": float(dropped[best]),
        "rate": float(rates[best]),
        "noise_variance": width,
        "gradient_passes": len(dropped) * settings.epochs,
    }
    return Mixture(
        np.full(settings.draws, 1 / settings.draws),
        scale.target_centre + scale.target_unit * means,
        np.full(settings.draws, variance),
    ), diagnostics


def train(
    inputs: np.ndarray,
    targets: np.ndarray,
    dropped: np.ndarray,
    rates: np.ndarray,
    settings: MCDropout,
    rng: np.random.Generator,
) -> Weights:
    """The weights of the networks after all epochs; each has its own order of the cases and its own units left out.

    Args:
        inputs: [N, d] and targets: [N], of mean 0 and standard deviation 1. dropped: [M], the share of units left out
            of each network. rates: [M], its step size.
    """
    count = len(dropped)
    weights = start(inputs.shape[1], count, settings.hidden, rng)
    decay = (settings.length_scale**2 * (1 - dropped) / len(targets))[:, None, None]
    adam = AdamSteps(weights, rates[:, None, None])
    for _ in range(settings.epochs):
        order = rng.permuted(np.tile(np.arange(len(targets)), (count, 1)), axis=1)
        for begin in range(0, len(targets), settings.batch):
            chosen = order[:, begin : begin + settings.batch]
            left = masks(weights, chosen.shape[1], dropped, rng)
            adam.step(slopes(weights, inputs[chosen], targets[chosen], left, decay))
    return weights


def start(inputs: int, count: int, hidden: int, rng: np.random.Generator) -> Weights:
    """Weights of ``count`` networks before training, uniform within sqrt(6 / (units in + units out)), no biases."""
    into = rng.uniform(-1, 1, (count, inputs, hidden)) * np.sqrt(6 / (inputs + hidden))
    out = rng.uniform(-1, 1, (count, hidden, 1)) * np.sqrt(6 / (hidden + 1))
    return [into, np.zeros((count, 1, hidden)), out, np.zeros((count, 1, 1))]


def masks(
    weights: Weights, cases: int, dropped: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """Factors of inputs [M, n, d] and of hidden units [M, n, H]: 0 for what is left out, else 1 / (1 - share).

    Args:
        cases: n; 1 where all cases are to have the same units left out.
    """
    share = dropped[:, None, None]
    return [
        (rng.random((len(dropped), cases, width), dtype=np.float32) >= share) / (1 - share)
        for width in weights[0].shape[1:]
    ]


def outputs(
    weights: Weights, inputs: np.ndarray, left: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Outputs [M, n] and hidden units before some are left out [M, n, H], for inputs [M, n, d] or [1, n, d].

    y = (h * b) V + c, h = relu((x * a) U + u), where a and b are the factors of ``masks``.
    """
    into, bias, out, last = weights
    units = np.maximum((inputs * left[0]) @ into + bias, 0.0)
    return ((units * left[1]) @ out + last)[..., 0], units


def slopes(
    weights: Weights,
    inputs: np.ndarray,
    targets: np.ndarray,
    left: Sequence[np.ndarray],
    decay: np.ndarray,
) -> Weights:
    """The slopes of E in the weights, for inputs [M, n, d] and targets [M, n], decay [M, 1, 1].

    E = 1/n sum_c (t_c - y_c)^2 + decay / 2 (sum U^2 + sum V^2), for each network by itself. With the length scale l and
    the noise variance v, decay = l^2 (1 - share) v / N, which is the authors' with v in the target's unit.
    """
    mean, units = outputs(weights, inputs, left)
    delta = (2.0 / targets.shape[1] * (mean - targets))[..., None]
    below = (delta @ weights[2].swapaxes(1, 2)) * left[1] * (units > 0)
    return [
        (inputs * left[0]).swapaxes(1, 2) @ below + decay * weights[0],
        below.sum(axis=1, keepdims=True),
        (units * left[1]).swapaxes(1, 2) @ delta + decay * weights[2],
        delta.sum(axis=1, keepdims=True),
    ]


def log_densities(
    weights: Weights,
    inputs: np.ndarray,
    targets: np.ndarray,
    dropped: np.ndarray,
    settings: MCDropout,
    rng: np.random.Generator,
) -> np.ndarray:
    """The log densities of the mixtures of ``settings.draws`` outputs, in nats, shape [M, V, n] for V noise variances.

    log 1/T sum_t N(target; y_t, v), with the same draws for all v.

    Args:
        inputs: [n, d] and targets: [n], cases that were not trained on.
    """
    width, draws = np.array(settings.noises)[:, None], settings.draws
    total = np.full((len(dropped), len(width), len(targets)), -np.inf)
    for _ in range(draws):
        mean, _ = outputs(weights, inputs[None], masks(weights, 1, dropped, rng))
        total = np.logaddexp(total, -0.5 * (targets - mean[:, None]) ** 2 / width)
    return total - np.log(draws) - 0.5 * np.log(2 * np.pi * width)
