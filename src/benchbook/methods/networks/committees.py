"""Committees of networks: mlp-committee-1, with a variance that depends on the inputs, and mlp-committee-class-1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.networks.held_out import CommitteeDesign, train_committee
from benchbook.methods.networks.mixtures import diagnostics, predict
from benchbook.methods.shared.scaling import standard
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Categorical

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

REGRESSION = CommitteeDesign()
"""The constants of mlp-committee-1, found by a look at the errors out of fold and at the losses of the real tasks."""

CLASSES = CommitteeDesign(components=0, hidden=(20,), decay=0.1, budget=2e9)
"""The constants of mlp-committee-class-1, found in the same way."""

FEWEST_INPUTS = 10
_TRAINING = (
    "benchbook.methods.networks.held_out:train_committee",
    "benchbook.kernels.density_networks:descend",
)


@method(
    name="mlp-committee-1",
    description="mixture of ten networks that give mean and variance, each stopped by and "
    "calibrated on a tenth of the cases, after the challenge's MLP committees",
    kinds={"real"},
    settings=REGRESSION,
    source=f"{CHALLENGE}, section 6; what the chapter leaves open ours",
    calls=["benchbook.methods.networks.mixtures:predict", *_TRAINING],
)
def mlp_committee_1(
    instance: TaskInstance, rng: np.random.Generator, settings: CommitteeDesign
) -> tuple[Predictive, dict[str, Any]]:
    """A committee of networks with two outputs, the mean and the logarithm of the variance.

    The idea is that of G. Cawley's entries, heteroscedastic and inflated-variance committees of multilayer perceptrons
    (Quiñonero-Candela and others, Evaluating Predictive Uncertainty Challenge, 2006, section 6), of which the chapter
    gives no more than the names. The likelihood is Nix and Weigend's; all else is ours:

    1. Divide the cases at random into ten portions. For each train a network on the other nine: 40 and 20 hidden units,
       direct connections, minibatch Adam (``kernels.density_networks``); first the mean alone, by squared error, then
       mean and variance by likelihood. A network that learns both at once gives up on cases where it is bad at first.
    2. The weights with the least loss on the portion count. The step size is cut to a third, three times, when the
       loss has not fallen by 0.001 nats in 1000 steps (4 to 50 epochs).
    3. Mix the ten Gaussians. All variances are multiplied by one factor, which with the weight of the Gaussian of all
       training targets maximises the likelihood of the portions under the networks that have not learnt from them
       (``network_mixtures.calibrate``). These are the cases by which training was stopped; their losses are a little
       too small, those of the mixture are smaller than its members'.
    """
    need_cases(instance, 2, "mlp-committee-1")
    return predict(instance, settings, rng)


@method(
    name="mlp-committee-class-1",
    description="mean probability of ten softmax networks, each stopped by a tenth "
    "of the cases, after the challenge's bagged and ensembled networks",
    kinds={"class"},
    settings=CLASSES,
    source=f"{CHALLENGE}, section 6; what the chapter leaves open ours",
    calls=_TRAINING,
)
def mlp_committee_class_1(
    instance: TaskInstance, rng: np.random.Generator, settings: CommitteeDesign
) -> tuple[Predictive, dict[str, Any]]:
    """A committee of networks that give the probability of each class.

    The challenge's networks for classes were averaged, by bagging (Cawley's, on catalysis) or as an ensemble
    (Ohlsson's, on gatineau; Evaluating Predictive Uncertainty Challenge, 2006, section 6); another, Delalleau's, had a
    penalty that drives weights to 0, and the winner's trees looked at few of the inputs. Ours:

    1. Train ten networks as mlp-committee-1 does, with 20 hidden units, softmax and log loss.
    2. Do so with all d inputs, with d / 4, d / 16 and so on, at least 10, of them: those most correlated with the
       target over the cases that the network learns from. Keep the committee with the least loss held out.
    3. Average the probabilities; with Laplace's rule (N p + 1) / (N + C) none is 0.
    """
    need_cases(instance, 2, "mlp-committee-class-1")
    classes, cases = len(instance.classes), standard(instance)
    wanted = np.eye(classes)[cases.targets]
    with one_thread():
        tried = [
            train_committee(cases.inputs, wanted, classes, settings, rng, seen)
            for seen in _sizes(cases.inputs.shape[1])
        ]
        committee = min(tried, key=lambda each: each.held_loss)
        predicted = np.mean(
            [probabilities(network.outputs(cases.queries)) for network in committee.networks],
            axis=0,
        )
    return Categorical((len(wanted) * predicted + 1.0) / (len(wanted) + classes)), diagnostics(
        committee
    )


def _sizes(inputs: int) -> list[int]:
    """How many inputs are tried: all, a quarter, a quarter of that, and so on, down to ten."""
    sizes = [inputs]
    while sizes[-1] // 4 >= FEWEST_INPUTS:
        sizes.append(sizes[-1] // 4)
    return sizes


def probabilities(outputs: np.ndarray) -> np.ndarray:
    """exp z_k / sum exp z for outputs z [N, C]."""
    grown = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return grown / grown.sum(axis=1, keepdims=True)
