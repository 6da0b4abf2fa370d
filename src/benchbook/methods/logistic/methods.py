"""Bayesian logistic regression by Monte Carlo: one scale for all inputs, or one for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from benchbook.assess.densities.chains import largest_rhat
from benchbook.methods.base import method, need_cases
from benchbook.methods.logistic.chains import LogisticDraws, LogisticSampling, sample
from benchbook.methods.logistic.posterior import LogisticPosterior, LogisticPrior
from benchbook.methods.shared.diagnostics import rounded
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Categorical

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_WATCHED = 5  # test cases whose linear parts are watched for convergence
_BLOCK = 2048  # test cases predicted at a time
_LEAST = 1e-15  # a probability is never nearer to 0 or 1
_SOURCE = f"{CHALLENGE}, section 7, Bayesian Neural Networks; prior and sampler ours"
_CALLS = (
    "benchbook.methods.logistic.chains:sample",
    "benchbook.methods.logistic.chains:LogisticWalk.trajectory",
    "benchbook.methods.mcmc.hmc:leapfrog",
)


@dataclass(frozen=True)
class Logistic:
    """The settings of Bayesian logistic regression: the prior and the chains."""

    prior: LogisticPrior = LogisticPrior()
    sampling: LogisticSampling = LogisticSampling()


@method(
    name="bayes-logistic-1",
    description="Bayesian logistic regression, one unknown prior scale, averaged over the "
    "posterior by Hamiltonian Monte Carlo",
    kinds={"class"},
    settings=Logistic(),
    source=_SOURCE,
    calls=_CALLS,
)
def bayes_logistic_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Logistic
) -> tuple[Predictive, dict[str, Any]]:
    """Logistic regression averaged over the posterior of its weights and of their scale.

    The idea is that of R. Neal's late entries to the Evaluating Predictive Uncertainty Challenge; prior and sampler are
    ours.

    1. Bring the inputs to mean 0 and standard deviation 1 over the training cases; leave constant inputs out.
    2. Gaussian weights of one standard deviation, which is itself unknown (``logistic.posterior.LogisticPrior``).
    3. Sixteen chains of HMC over weights and scale, from about the most probable weights at the scale of
       greatest evidence, in a space stretched by the curvature there (``logistic.chains``): no approximation but that
       of finitely many draws, 640.
    4. The probability of a class is the mean of those of the draws.

    With more than two classes each is told from the rest in this way and the probabilities are divided by their sum, a
    rule of ours. The diagnostics are of the last of these: acceptance rate, gradients taken, the scale's median, and
    R-hat of its logarithm and, the largest, of the linear parts of the first five test cases.
    """
    return _answer(instance, settings, rng)


@method(
    name="bayes-logistic-ard-1",
    description="Bayesian logistic regression, a prior scale for each attribute, "
    "averaged over the posterior by Hamiltonian Monte Carlo",
    kinds={"class"},
    settings=Logistic(LogisticPrior(relevance_sd=0.7)),
    source=_SOURCE,
    calls=_CALLS,
)
def bayes_logistic_ard_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Logistic
) -> tuple[Predictive, dict[str, Any]]:
    """As bayes-logistic-1, with a relevance for each attribute that multiplies the scale of its weights.

    The weights of all inputs that code one attribute share it, and its logarithm has the standard deviation 0.7 before
    the data are seen. Automatic relevance determination for logistic regression, after R. Neal's entries; the numbers
    are ours.
    """
    return _answer(instance, settings, rng)


def _answer(
    instance: TaskInstance, settings: Logistic, rng: np.random.Generator
) -> tuple[Predictive, dict[str, Any]]:
    need_cases(instance, 1, "Bayesian logistic regression")
    inputs, queries, groups = _prepared(instance)
    query_inputs = range(len(instance.classes)) if len(instance.classes) > 2 else (1,)
    stated, diagnostics = [], {}
    with one_thread():
        for index in query_inputs:
            posterior = LogisticPosterior(
                inputs, instance.train_targets == index, groups, settings.prior
            )
            draws = sample(posterior, rng, settings.sampling)
            stated.append(_probabilities(draws, queries))
            diagnostics = _diagnostics(draws, queries)
    probability = np.column_stack(stated if len(stated) > 1 else [1.0 - stated[0], stated[0]])
    return Categorical(probability / probability.sum(axis=1, keepdims=True)), diagnostics


def _prepared(instance: TaskInstance) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training inputs [N, d] and test inputs [J, d] that vary, scaled, and the group of each, 0 ... G - 1."""
    scale = Scale.of(instance.train_inputs, np.zeros(len(instance.train_inputs)))
    varies = np.isfinite(scale.unit)
    attribute = np.zeros(len(varies), dtype=np.intp)
    for number, (_, columns) in enumerate(instance.input_groups):
        attribute[columns] = number
    groups = np.unique(attribute[varies], return_inverse=True)[1]
    return (
        scale.inputs(instance.train_inputs)[:, varies],
        scale.inputs(instance.test_inputs)[:, varies],
        groups,
    )


def _probabilities(draws: LogisticDraws, queries: np.ndarray) -> np.ndarray:
    """The mean over the draws of the probability of the positive class, [J]."""
    weights = np.concatenate(list(draws.weights), axis=1)
    blocks = [
        scipy.special.expit(queries[start : start + _BLOCK] @ weights[:-1] + weights[-1]).mean(
            axis=1
        )
        for start in range(0, len(queries), _BLOCK)
    ]
    return np.clip(np.concatenate(blocks), _LEAST, 1.0 - _LEAST)


def _diagnostics(draws: LogisticDraws, queries: np.ndarray) -> dict[str, Any]:
    watched = queries[:_WATCHED] @ draws.weights[:, :-1] + draws.weights[:, -1:]
    return {
        "acceptance": rounded(draws.acceptance),
        "gradients": draws.gradients,
        "scale": rounded(float(np.exp(np.median(draws.log_scale)))),
        "rhat": rounded(largest_rhat([draws.log_scale.T])),
        "rhat_prediction": rounded(largest_rhat(each.T for each in np.moveaxis(watched, 1, 0))),
    }
