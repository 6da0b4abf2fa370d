"""Committees of networks: what they say of a world whose truth is known, calibration, and the choice of inputs."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.networks import committees, mixture_density
from benchbook.methods.networks.held_out import (
    CommitteeDesign,
    first_weights,
    most_correlated,
    train_committee,
)
from benchbook.methods.networks.mixtures import Gaussians, calibrate, gaussians, held_out, joined

SHORT = CommitteeDesign(members=4, hidden=(8,), cuts=1, patience=100, epochs=(4, 20))


@pytest.fixture
def quick(monkeypatch):
    """The same methods with fewer and smaller networks."""
    monkeypatch.setattr(committees, "REGRESSION", replace(SHORT, members=5, hidden=(15,), cuts=2))
    monkeypatch.setattr(
        mixture_density, "DESIGN", replace(SHORT, components=3, hidden=(15,), cuts=2)
    )
    monkeypatch.setattr(committees, "CLASSES", replace(SHORT, components=0, decay=0.1))


def noisy(rng, cases):
    """sin(2 x) with noise whose standard deviation goes from 0.05 to 0.6; a second input says nothing."""
    inputs = rng.uniform(-2, 2, size=(cases, 2))
    sd = 0.05 + 0.55 * (inputs[:, 0] + 2) / 4
    return inputs, np.sin(2 * inputs[:, 0]) + sd * rng.normal(size=cases), sd


def forked(rng, cases):
    """+x or -x, either with probability a half, and a little noise."""
    inputs = rng.uniform(0.5, 2, size=(cases, 1))
    return inputs, rng.choice([-1.0, 1.0], size=cases) * inputs[:, 0] + 0.1 * rng.normal(size=cases)


def ask(name, instance, rng):
    return methods.answer(methods.get(name), instance, rng)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["mlp-committee-1", "mdn-1"])
def test_a_variance_of_its_own_beats_one_for_all(make_instance, rng, name):
    inputs, targets, sd = noisy(rng, 1400)
    instance = make_instance(inputs[:400], targets[:400], inputs[400:])
    prediction, diagnostics = ask(name, instance, rng)
    mean = prediction.mean()
    losses = -prediction.log_density(targets[400:])
    best_common = 0.5 * (1 + np.log(2 * np.pi * np.mean((targets[400:] - mean) ** 2)))
    law = 0.5 * np.mean(1 + np.log(2 * np.pi * sd[400:] ** 2))
    assert losses.mean() < best_common - 0.1
    assert losses.mean() < law + 0.15
    low, high = prediction.interval(0.9)
    assert 0.86 < np.mean((low < targets[400:]) & (targets[400:] < high)) < 0.97
    assert np.corrcoef(np.sqrt(prediction.variance()), sd[400:])[0, 1] > 0.9
    assert 0.5 < diagnostics["variance_factor"] < 2


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["mlp-committee-1", "mdn-1"])
def test_where_nothing_can_be_learnt_nothing_is_claimed(make_instance, rng, name):
    """The control: the same targets, shuffled."""
    inputs, targets, _ = noisy(rng, 900)
    targets = rng.permutation(targets)
    instance = make_instance(inputs[:200], targets[:200], inputs[200:])
    losses = [
        -ask(each, instance, rng)[0].log_density(targets[200:]).mean() for each in (name, "base-1")
    ]
    assert abs(losses[0] - losses[1]) < 0.08


@pytest.mark.usefixtures("quick")
def test_only_a_mixture_sees_that_there_are_two_answers(make_instance, rng):
    inputs, targets = forked(rng, 900)
    instance = make_instance(inputs[:300], targets[:300], inputs[300:])
    losses = {
        name: -ask(name, instance, rng)[0].log_density(targets[300:]).mean()
        for name in ("mdn-1", "mlp-committee-1")
    }
    law = np.log(2) + 0.5 * (1 + np.log(2 * np.pi * 0.1**2))
    assert losses["mdn-1"] < law + 0.25
    assert losses["mlp-committee-1"] > law + 1


def test_the_portions_are_disjoint_and_the_others_learn_from_them(rng):
    inputs, targets, _ = noisy(rng, 40)
    committee = train_committee(inputs, targets[:, None], 2, SHORT, rng)
    assert sorted(np.concatenate(committee.held)) == list(range(40))
    result = held_out(committee, inputs, SHORT)
    for network, places in zip(committee.networks, committee.held, strict=True):
        predicted = gaussians(network.outputs(inputs), SHORT)
        np.testing.assert_array_equal(result.mean[places], predicted.mean[places])
        assert network.held_loss == pytest.approx(
            -np.log(predicted.density(targets, 1.0)[places]).mean()
        )


@pytest.mark.parametrize("components", [0, 1, 4])
def test_networks_begin_as_the_baseline(rng, components):
    from benchbook.kernels.feedforward import forward, in_blocks, plan

    targets = np.eye(3)[[0, 0, 1]] if components == 0 else rng.normal(size=(50, 1))
    design = CommitteeDesign(components=components)
    layers = plan(
        (2, *design.hidden, max(2, 3 * max(components, 1) if components != 1 else 2)), True
    )
    weights = first_weights(layers, targets, design, rng)
    cases = in_blocks(rng.normal(size=(5, 2)), np.zeros((5, 1)), layers)
    forward(weights, layers, False, cases.units[0])
    line = layers[-1, 3]
    T = cases.units[0, line:, :5].T
    if components == 0:
        np.testing.assert_allclose(np.exp(T), np.tile([3 / 6, 2 / 6, 1 / 6], (5, 1)))
    elif components == 1:
        np.testing.assert_allclose(T, np.tile([targets.mean(), 0.0], (5, 1)))
    else:
        np.testing.assert_allclose(
            T[:, 4:8], np.tile(np.quantile(targets, [1 / 8, 3 / 8, 5 / 8, 7 / 8]), (5, 1))
        )
        np.testing.assert_allclose(np.exp(T[:, 8:]), targets.var())


def test_calibration_finds_the_factor_and_the_share_of_the_lost(rng):
    mean = rng.normal(size=(20_000, 1))
    targets = mean[:, 0] + 0.2 * rng.normal(size=20_000)
    lost = rng.random(20_000) < 0.1
    targets[lost] = rng.normal(size=lost.sum())
    result = calibrate(Gaussians(np.ones_like(mean), mean, np.full_like(mean, 0.01)), targets)
    assert result.factor == pytest.approx(4.0, rel=0.2)
    assert result.share == pytest.approx(0.1, abs=0.02)
    right = calibrate(Gaussians(np.ones((50, 1)), mean[:50], np.full((50, 1), 0.04)), mean[:50, 0])
    assert right.factor < 1
    assert right.share >= 1 / 51


def test_a_far_miss_costs_little_more_than_it_costs_the_baseline():
    sure = Gaussians(np.ones((1, 1)), np.zeros((1, 1)), np.full((1, 1), 1e-6))
    weight, mean, variance = joined([sure, sure], calibrate(sure, np.zeros(1)))
    assert weight.sum() == pytest.approx(1)
    assert mean.shape == (1, 3)
    assert (weight[0, -1], variance[0, -1]) == (pytest.approx(0.5, abs=0.01), 1.0)


def test_inputs_are_ranked_by_their_correlation(rng):
    inputs = rng.normal(size=(300, 6))
    inputs[:, 4] = 7.0
    targets = np.eye(2)[(inputs[:, 2] - 0.5 * inputs[:, 5] > 0).astype(int)]
    assert most_correlated(inputs, targets, 2).tolist() == [2, 5]
    assert 4 not in most_correlated(inputs, targets, 5)


@pytest.mark.usefixtures("quick")
def test_classes_are_told_apart_among_many_inputs_that_say_nothing(make_instance, rng):
    inputs = rng.normal(size=(700, 160))
    probability = 1 / (1 + np.exp(-3 * inputs[:, 3]))
    targets = (rng.random(700) < probability).astype(int)
    instance = make_instance(inputs[:300], targets[:300], inputs[300:], ("-1", "+1"))
    prediction, diagnostics = ask("mlp-committee-class-1", instance, rng)
    law = -np.mean(np.log(np.where(targets == 1, probability, 1 - probability))[300:])
    baseline, _ = ask("base-1", instance, rng)
    assert diagnostics["inputs_seen"] == 10
    assert -prediction.log_density(targets[300:]).mean() < law + 0.15
    assert -baseline.log_density(targets[300:]).mean() > law + 0.25
    assert prediction.probability.min() >= 1 / 302
