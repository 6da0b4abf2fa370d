"""Committees of networks: mlp-committee-1, with a variance that depends on the inputs, and mlp-committee-class-1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.density_networks import Design, train_committee
from benchbook.methods.threads import one_thread

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

REGRESSION = Design()
CLASSES = Design(components=0, hidden=(20,), decay=0.1, budget=2e9)
FEWEST_INPUTS = 10


@method(name="mlp-committee-1", description="mixture of ten networks that give mean and variance, each stopped by and "
        "calibrated on a tenth of the cases, after the challenge's MLP committees", kinds={"real"})
def mlp_committee_1(instance: TaskInstance, rng: np.random.Generator) -> tuple[Predictive, dict[str, Any]]:
    from benchbook.methods.network_mixtures import predict

    need_cases(instance, 2, "mlp-committee-1")
    return predict(instance, REGRESSION, rng)


@method(name="mlp-committee-class-1", description="mean probability of ten softmax networks, each stopped by a tenth "
        "of the cases, after the challenge's bagged and ensembled networks", kinds={"class"})
def mlp_committee_class_1(instance: TaskInstance, rng: np.random.Generator) -> tuple[Predictive, dict[str, Any]]:
    from benchbook.methods.gp.model import Scale
    from benchbook.methods.network_mixtures import FARTHEST, told
    from benchbook.predictive import Categorical

    need_cases(instance, 2, "mlp-committee-class-1")
    classes, cases = len(instance.classes), len(instance.train_targets)
    scale = Scale.of(instance.train_inputs, instance.train_inputs[:, 0])
    inputs, queries = (np.clip(scale.inputs(x), -FARTHEST, FARTHEST)
                       for x in (instance.train_inputs, instance.test_inputs))
    with one_thread():
        wanted = np.eye(classes)[instance.train_targets]
        tried = [train_committee(inputs, wanted, classes, CLASSES, rng, seen) for seen in _sizes(inputs.shape[1])]
        committee = min(tried, key=lambda each: each.held_loss)
        said = np.mean([probabilities(network.outputs(queries)) for network in committee.networks], axis=0)
    return Categorical((cases * said + 1.0) / (cases + classes)), told(committee)


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
