"""Early-stopping ensembles whose input weights take steps by relevance: mlp-bgd-2, mlp-bgd-3 and mlp-bgd-2b."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.methods.base import method, need_cases
from benchbook.methods.networks.early_stopping import (
    BatchDescent,
    Trained,
    diagnostics,
    divided,
    outputs,
    train,
)
from benchbook.methods.settings import setting
from benchbook.methods.shared.diagnostics import listed
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.works import NEAL
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

    Trainer = Callable[
        [np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, BatchDescent], "Relevant"
    ]

FACTOR_FLOOR = 1e-10


@dataclass(frozen=True)
class StaticFactors:
    """The constants of mlp-bgd-3; both are ours, Neal's are lost.

    The power is even, so that the sign of a covariance does not matter, and 4 makes the factors those that mlp-bgd-2
    would take for a linear network at weight zero. ``least`` is the clamp, a negative power of ten in his text.
    """

    power: int = setting(4, "of the covariances' sizes", least=1)
    least: float = setting(1e-3, "the smallest factor", least=0, most=1)


@dataclass(frozen=True)
class StaticDescent:
    """The constants of mlp-bgd-3: those of mlp-bgd-1, and those of its factors."""

    descent: BatchDescent = BatchDescent()
    factors: StaticFactors = StaticFactors()


_DESCENT = "benchbook.methods.networks.relevance:train_members"
_TRAINING = ("benchbook.methods.networks.early_stopping:train", "benchbook.kernels.mlp:descend")
_ARD = f"{NEAL}, An early stopping method inspired by ARD"


@dataclass(frozen=True)
class Relevant:
    """One network of the ensemble and the factors of its inputs [S, d] at the iterations saved."""

    network: Trained
    factors: np.ndarray

    def chosen(self, settings: BatchDescent) -> np.ndarray:
        """The factors [d] of the iteration chosen; those of the first when the network fell back to the mean."""
        return self.factors[max(0, int(np.searchsorted(settings.saves, self.network.iteration)))]


@method(
    name="mlp-bgd-2",
    description="as mlp-bgd-1, with step sizes by the error gradient out of each input",
    kinds={"real"},
    settings=BatchDescent(),
    source=_ARD,
    calls=[_DESCENT, "benchbook.methods.networks.relevance:train_dynamic", *_TRAINING],
)
def mlp_bgd_2(
    instance: TaskInstance, rng: np.random.Generator, settings: BatchDescent
) -> tuple[Predictive, dict[str, Any]]:
    """Neal's early-stopping method inspired by automatic relevance determination (1998, mlp-bgd-2).

    All is as in mlp-bgd-1, but for the steps of the input-hidden weights u_ji: in every iteration

        u_ji <- u_ji - eps r_i / (n + 1) dE/du_ji,      g_i = sum_j (dE/du_ji)^2,      r_i = (g_i / max_k g_k)^2,

    dE/du summed over all n estimation cases before it is squared: the fourth power of the length of the gradient out of
    input i. When no input has a gradient the maximum is taken as 1e-10 and all r_i are 0. Biases and hidden-output
    weights keep r = 1.

    An input is a column of the encoded inputs. An attribute coded in several columns gets a factor for each: in Neal's
    study all attributes are real and have one column, so that his definition does not say; this is our rule.

    The diagnostics are those of mlp-bgd-1 and ``factors``, for each input the mean over the networks of r at the
    iteration chosen; ``relevance_trace`` gives the factors over the whole of the training.
    """
    return _answer("mlp-bgd-2", instance, rng, train_dynamic, settings)


@method(
    name="mlp-bgd-2b",
    description="as mlp-bgd-2, but the first of its four networks alone",
    kinds={"real"},
    settings=BatchDescent(),
    source=f"{NEAL}, More on the early stopping ensemble methods",
    part_of="mlp-bgd-2",
    calls=[_DESCENT, "benchbook.methods.networks.relevance:train_dynamic", *_TRAINING],
)
def mlp_bgd_2b(
    instance: TaskInstance, rng: np.random.Generator, settings: BatchDescent
) -> tuple[Predictive, dict[str, Any]]:
    """What the ensemble of mlp-bgd-2 is good for: its first network alone (Neal 1998, mlp-bgd-2b).

    The training cases are divided as in mlp-bgd-2, and the network that has the first portion held out is the only one
    trained. Its random numbers are those of mlp-bgd-2, so that it is the very network that is the first there. The
    variance is its validation error.
    """
    return _answer("mlp-bgd-2b", instance, rng, train_dynamic, settings, members=1)


@method(
    name="mlp-bgd-3",
    description="as mlp-bgd-1, with fixed step sizes by the covariance of each input and target",
    kinds={"real"},
    settings=StaticDescent(),
    source=f"{NEAL}, A simpler variation on early stopping",
    calls=[_DESCENT, "benchbook.methods.networks.relevance:train_static", *_TRAINING],
)
def mlp_bgd_3(
    instance: TaskInstance, rng: np.random.Generator, settings: StaticDescent
) -> tuple[Predictive, dict[str, Any]]:
    """Neal's static scheme (1998, mlp-bgd-3): step-size factors from the covariances before training.

        r_i = max(least, |C_i|^p / max_k |C_k|^p),      C_i = sum_c x_i^(c) t^(c) over the estimation cases,

    p = 4 and least = 1e-3 (both ours, see ``StaticFactors``). As in his implementation, input i is multiplied by
    sqrt(r_i) and all weights take the same step: that is a step size proportional to r_i for the weight that the
    unscaled input would have, which here starts uniform in +-0.01 sqrt(r_i). All else is as in mlp-bgd-1. The
    diagnostics have the mean of r over the networks besides.
    """
    return _answer(
        "mlp-bgd-3", instance, rng, partial(train_static, static=settings.factors), settings.descent
    )


def _answer(
    name: str,
    instance: TaskInstance,
    rng: np.random.Generator,
    trainer: Trainer,
    settings: BatchDescent,
    members: int | None = None,
) -> tuple[Predictive, dict[str, Any]]:
    need_cases(instance, 2, name)
    inputs, targets = instance.train_inputs, instance.train_targets
    trained = list(train_members(inputs, targets, settings, rng, trainer, members))
    ensemble = [relevant.network for relevant in trained]
    with one_thread():
        guesses = np.array(
            [outputs(net.weights, instance.test_inputs, settings.hidden) for net in ensemble]
        )
    variance = stated_variance(float(np.mean([net.error for net in ensemble])), targets)
    facts = diagnostics(ensemble, 1.0 - 1.0 / min(settings.networks, len(targets)))
    factors = listed(np.mean([relevant.chosen(settings) for relevant in trained], axis=0))
    if factors:
        facts["factors"] = factors
    return Gaussian(guesses.mean(axis=0), np.full(guesses.shape[1], variance)), facts


def train_members(
    inputs: np.ndarray,
    targets: np.ndarray,
    settings: BatchDescent,
    rng: np.random.Generator,
    trainer: Trainer,
    members: int | None = None,
) -> Iterator[Relevant]:
    """The networks of the ensemble one by one, each validated on its portion of the cases; the first ``members``."""
    for cases in islice(divided(inputs, targets, settings, rng), members):
        yield trainer(*cases, settings)


def train_dynamic(
    start: np.ndarray,
    inputs: np.ndarray,
    targets: np.ndarray,
    held: np.ndarray,
    held_targets: np.ndarray,
    settings: BatchDescent,
) -> Relevant:
    """A network of mlp-bgd-2, from ``start`` [P] on inputs [n, d]; arguments as of ``networks.train``."""
    factors = np.zeros((len(settings.saves), inputs.shape[1]))
    return Relevant(train(start, inputs, targets, held, held_targets, settings, factors), factors)


def train_static(
    start: np.ndarray,
    inputs: np.ndarray,
    targets: np.ndarray,
    held: np.ndarray,
    held_targets: np.ndarray,
    settings: BatchDescent,
    static: StaticFactors | None = None,
) -> Relevant:
    """A network of mlp-bgd-3; its weights are returned for inputs that are not scaled."""
    factors = static_factors(inputs, targets, static)
    scale = np.sqrt(factors)
    scaled = train(start, inputs * scale, targets, held * scale, held_targets, settings)
    weights, d = scaled.weights.copy(), inputs.shape[1]
    weights[: settings.hidden * d] *= np.tile(scale, settings.hidden)
    return Relevant(replace(scaled, weights=weights), np.tile(factors, (len(settings.saves), 1)))


def dynamic_factors(slope: np.ndarray) -> np.ndarray:
    """r_i = (g_i / max g)^2 [d] of gradients [h, d] of the input-hidden weights, g_i = sum_j slope_ji^2; the plain twin
    of ``kernels.relevance.input_factors``."""
    totals = np.sum(slope**2, axis=0)
    return (totals / (totals.max() or FACTOR_FLOOR)) ** 2


def static_factors(
    inputs: np.ndarray, targets: np.ndarray, settings: StaticFactors | None = None
) -> np.ndarray:
    """r_i = max(least, |C_i|^p / max |C|^p) [d], C = X't for inputs X [n, d] and targets [n]; ``least`` for all inputs
    when no covariance differs from zero."""
    settings = settings or StaticFactors()
    sizes = np.abs(inputs.T @ targets)
    return np.maximum(settings.least, (sizes / (sizes.max() or 1.0)) ** settings.power)


def relevance_trace(instance: TaskInstance, rng: np.random.Generator) -> pl.DataFrame:
    """The factors r of mlp-bgd-2 over the training of each network, with the same random numbers as the method.

    Returns:
        a frame with a line for each network, iteration saved and input: network (from 1), iteration, attribute, column
        (position among the encoded inputs, from 1), factor (that of the iteration), selected (whether it is the
        iteration chosen for the network). Iterations that a diverged network did not reach are left out.
    """
    settings = BatchDescent()
    names = [
        name for name, columns in instance.input_groups for _ in range(columns.start, columns.stop)
    ]
    saves, d = np.array(settings.saves), instance.train_inputs.shape[1]
    frames = []
    members = train_members(
        instance.train_inputs, instance.train_targets, settings, rng, train_dynamic
    )
    for number, relevant in enumerate(members, start=1):
        reached = saves[saves <= relevant.network.iterations]
        frames.append(
            pl.DataFrame(
                {
                    "network": np.full(len(reached) * d, number),
                    "iteration": np.repeat(reached, d),
                    "attribute": names * len(reached),
                    "column": np.tile(np.arange(1, d + 1), len(reached)),
                    "factor": relevant.factors[: len(reached)].ravel(),
                    "selected": np.repeat(reached == relevant.network.iteration, d),
                }
            )
        )
    return pl.concat(frames)
