"""Networks that give distributions: losses against the distributions themselves, gradients, Adam, early stopping."""

import numpy as np
import pytest

from benchbook.kernels import density_networks as kernel
from benchbook.kernels import feedforward
from benchbook.methods.networks.held_out import CommitteeDesign
from benchbook.methods.networks.mixtures import gaussians
from benchbook.predictive import Categorical, Mixture

FLOOR = 0.01
HEADS = {"gaussian": (1, 2), "mixture": (3, 9), "classes": (0, 4)}


class Net:
    """A network for 37 cases of three inputs, in blocks of 16."""

    def __init__(self, rng, kind, spread=True, hidden=(5, 4)):
        components, self.outputs = HEADS[kind]
        self.head = kernel.Head(components, FLOOR, spread)
        self.layers = feedforward.plan((3, *hidden, self.outputs), True)
        self.inputs = rng.normal(size=(37, 3))
        self.targets = (
            np.eye(4)[rng.integers(4, size=37)] if kind == "classes" else rng.normal(size=(37, 1))
        )
        self.weights = 0.7 * rng.normal(size=feedforward.weight_count(self.layers))
        self.cases = feedforward.in_blocks(self.inputs, self.targets, self.layers, size=16)
        self.scratch = feedforward.scratch(self.layers, 16)

    def loss(self, weights):
        return kernel.loss(weights, self.layers, self.head, self.cases, self.scratch)

    def gradient(self, block):
        slope = np.full(len(self.weights), np.nan)
        kernel.gradient(
            self.weights, self.layers, self.head, self.cases, block, slope, self.scratch
        )
        return slope

    def state(self):
        count = len(self.weights)
        return kernel.AdamState(
            np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(1, dtype=np.int64)
        )


def plain_outputs(net):
    """The network again, with all shortcuts, in plain numpy."""
    seen = np.hstack([np.ones((37, 1)), net.inputs])
    for index, (width, _, sources, _, first, _) in enumerate(net.layers):
        made = seen @ net.weights[first : first + width * sources].reshape(width, sources).T
        if index == len(net.layers) - 1:
            return made
        seen = np.hstack([seen, made / (1 + np.abs(made))])
    raise AssertionError


@pytest.mark.parametrize("kind", HEADS)
def test_the_loss_is_that_of_the_distribution(rng, kind):
    net = Net(rng, kind)
    z = plain_outputs(net)
    if kind == "classes":
        shares = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        expected = -Categorical(shares).log_density(net.targets.argmax(axis=1))
    else:
        output = gaussians(z, CommitteeDesign(components=net.head.components, floor=FLOOR))
        expected = -Mixture(*output).log_density(net.targets[:, 0])
    assert net.loss(net.weights) == pytest.approx(expected.mean(), rel=1e-12)


@pytest.mark.parametrize("kind", HEADS)
def test_the_gradient_is_that_of_the_loss(rng, kind):
    net = Net(rng, kind)
    result = sum(net.gradient(block) for block in range(3)) / 37
    steps = 1e-6 * np.eye(len(net.weights))
    expected = [
        (net.loss(net.weights + step) - net.loss(net.weights - step)) / 2e-6 for step in steps
    ]
    np.testing.assert_allclose(result, expected, atol=2e-8)


def test_a_wrong_gradient_would_be_found(rng):
    """The control: with the variances held fixed the slope is no longer that of the loss."""
    net = Net(rng, "gaussian", spread=False)
    result = sum(net.gradient(block) for block in range(3)) / 37
    steps = 1e-6 * np.eye(len(net.weights))
    expected = np.array(
        [(net.loss(net.weights + step) - net.loss(net.weights - step)) / 2e-6 for step in steps]
    )
    width, _, sources, _, first, _ = net.layers[-1]
    of_means = slice(first, first + sources)
    np.testing.assert_allclose(result[of_means], expected[of_means], atol=2e-8)
    assert np.all(result[first + sources : first + width * sources] == 0)
    assert np.abs(result - expected).max() > 1e-3


def test_an_epoch_is_adam_block_by_block(rng):
    net, order, rate = Net(rng, "mixture"), np.array([2, 0, 1]), 0.02
    decay = rng.uniform(size=len(net.weights))
    moved, twin = net.weights.copy(), net.weights.copy()
    state = net.state()
    kernel.epoch(moved, net.layers, net.head, net.cases, order, rate, decay, state, net.scratch)
    first, second = np.zeros_like(twin), np.zeros_like(twin)
    for step, block in enumerate(order, start=1):
        net.weights = twin
        g = net.gradient(block) / (5 if block == 2 else 16) + decay * twin
        first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g**2
        twin = twin - rate * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    np.testing.assert_allclose(moved, twin, rtol=1e-9, atol=1e-12)
    assert state.steps[0] == 3


def descend(net, held, rule, rng):
    room = feedforward.scratch(net.layers, held.units.shape[2])
    return kernel.descend(
        net.weights,
        net.layers,
        net.head,
        net.cases,
        held,
        np.zeros(len(net.weights)),
        rule,
        net.state(),
        net.scratch,
        room,
        rng,
    )


def test_training_ends_with_the_best_weights_and_when_patience_does(rng):
    net = Net(rng, "gaussian")
    held_out = feedforward.in_blocks(rng.normal(size=(20, 3)), rng.normal(size=(20, 1)), net.layers)
    before = net.loss(net.weights)
    least, taken = descend(net, held_out, kernel.StoppingRule(0.01, 2, 5, 0.0, 10_000), rng)
    again = kernel.loss(
        net.weights, net.layers, net.head, held_out, feedforward.scratch(net.layers, 32)
    )
    assert least == pytest.approx(again, rel=1e-14)
    assert 15 <= taken < 2000
    assert net.loss(net.weights) < before
    longer, most = descend(net, held_out, kernel.StoppingRule(0.01, 2, 5, 0.0, 3), rng)
    assert longer <= least
    assert most == 3


def test_a_step_into_nowhere_is_taken_back(rng):
    net = Net(rng, "gaussian")
    least, _ = descend(net, net.cases, kernel.StoppingRule(1e200, 1, 3, 0.0, 50), rng)
    assert np.isfinite(net.weights).all()
    assert np.isfinite(least)
