"""gated-experts-1: which clusters it finds, the gate, the experts, and what is gained where targets are clustered."""

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.challenge.gated_experts import Gating, clusters, gate, mixed, resolution
from benchbook.methods.challenge.ridge_experts import Parts, RidgeExpert, expanded, ridge, train
from benchbook.methods.shared.scaling import FARTHEST, Axes

SETTINGS = Gating(most=8)


def planes(rng, cases):
    """Four planes of depth; the inputs tell the depth to 0.15, the place within a plane to 0.01; 1 in 100 is wild."""
    plane = rng.integers(4, size=cases)
    across = rng.uniform(-1, 1, size=cases)
    depth = plane + 0.05 * across * (plane - 1.5) + 0.01 * rng.normal(size=cases)
    seen = depth + 0.15 * rng.normal(size=cases)
    seen[rng.random(cases) < 0.01] += 1.0
    inputs = np.column_stack([5 * across + 0.1 * seen, 5 * across - 0.1 * seen])
    return inputs, depth


def loss(name, instance, targets, rng):
    return -methods.answer(methods.get(name), instance, rng)[0].log_density(targets).mean()


def test_clusters_win_where_there_are_any(make_instance, rng):
    inputs, targets = planes(rng, 800)
    instance = make_instance(inputs[:300], targets[:300], inputs[300:])
    prediction, diagnostics = methods.answer(methods.get("gated-experts-1"), instance, rng)
    own = -prediction.log_density(targets[300:])
    assert diagnostics["clusters"] == 4
    assert own.mean() < -2.5
    assert own.max() < 10
    assert loss("lin-1", instance, targets[300:], rng) > own.mean() + 2
    low, high = prediction.interval(0.9)
    assert 0.85 < np.mean((low < targets[300:]) & (targets[300:] < high)) < 0.95


def test_where_inputs_say_nothing_of_the_cluster_the_gate_gives_its_share(make_instance, rng):
    """The control: the inputs of other cases. What is left is the density of the targets."""
    inputs, targets = planes(rng, 700)
    inputs = rng.permutation(inputs)
    instance = make_instance(inputs[:300], targets[:300], inputs[300:])
    prediction, _ = methods.answer(methods.get("gated-experts-1"), instance, rng)
    share = np.mean(prediction.weight[:, :2].sum(axis=1))
    assert share == pytest.approx(np.mean(targets[:300] < 0.5), abs=0.05)
    own = loss("gated-experts-1", instance, targets[300:], rng)
    assert -1.0 < own < loss("base-1", instance, targets[300:], rng) - 1.0


@pytest.mark.parametrize(
    ("draw", "count"),
    [
        (lambda rng: rng.normal(size=400), 1),
        (lambda rng: rng.gamma(2.0, size=400), 1),
        (lambda rng: rng.uniform(size=400), 1),
        (lambda rng: rng.integers(12, size=400).astype(float), 1),
        (lambda rng: np.append(rng.normal(size=397), [40.0, 41.0, 42.0]), 1),
        (lambda rng: np.append(rng.normal(size=300), 9 + rng.normal(size=100)), 2),
        (lambda rng: rng.integers(5, size=400) + 0.02 * rng.normal(size=400), 5),
    ],
    ids=["normal", "skewed", "flat", "whole numbers", "a few outliers", "two", "five"],
)
def test_how_many_clusters(rng, draw, count):
    targets = draw(rng)
    labels = clusters((targets - targets.mean()) / targets.std(), SETTINGS, rng)
    assert labels.max() + 1 == count
    order = np.argsort(targets)
    assert np.all(np.diff(labels[order]) >= 0)


def test_the_resolution_of_rounded_targets():
    assert resolution(np.sort(np.tile([1.0, 1.5, 2.0, 3.0], 3))) == 0.5
    assert resolution(np.arange(10.0)) == 0.0
    assert resolution(np.ones(10)) == 0.0


def test_the_gate_sees_a_small_difference_of_like_inputs(rng):
    common = rng.normal(size=300)
    small = rng.normal(size=300)
    inputs = np.column_stack([common + 0.01 * small, common - 0.01 * small])
    labels = (small > 0).astype(np.int64)
    shares = gate(inputs[:200], labels[:200], inputs[200:], SETTINGS, rng)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.mean(-np.log(shares[np.arange(100), labels[200:]])) < 0.15
    assert shares.min() >= 1 / 202


def test_errors_left_out_are_those_of_fits_without_the_case(rng):
    design, targets = rng.normal(size=(25, 4)), rng.normal(size=25)
    mask = np.arange(25) != 3
    fit = ridge(design, targets, mask, (0.7,))
    centred = design[mask] - design[mask].mean(axis=0)
    weights = np.linalg.solve(centred.T @ centred + 0.7 * np.eye(4), centred.T @ targets[mask])
    np.testing.assert_allclose(fit.weights, weights)
    case = np.column_stack([np.ones(25), design - design[mask].mean(axis=0)])
    penalty = np.diag([0.0, 0.7, 0.7, 0.7, 0.7])
    for left in (0, 11, 24):
        others = mask & (np.arange(25) != left)
        again = np.linalg.solve(
            case[others].T @ case[others] + penalty, case[others].T @ targets[others]
        )
        assert fit.residuals[left] == pytest.approx(targets[left] - case[left] @ again)
    assert fit.residuals[3] == pytest.approx(targets[3] - fit.predict(design)[0][3])


def test_an_expert_leaves_out_what_is_misread_and_bends_where_it_must(rng):
    inputs = rng.normal(size=(200, 2))
    targets = inputs[:, 0] * inputs[:, 1] + 0.05 * rng.normal(size=200)
    targets[:4] += 10.0
    expert = train(inputs, targets, RidgeExpert())
    assert (expert.misread, expert.products) == (4, True)
    parts = expert.parts(inputs[50:])
    assert np.sqrt(np.mean((parts.mean[:, 0] - inputs[50:].prod(axis=1)) ** 2)) < 0.03
    assert np.sqrt(np.median(parts.variance[:, 0])) == pytest.approx(0.05, rel=0.25)
    np.testing.assert_allclose(parts.weight[:, 1], 5 / 202)
    straight = train(inputs, inputs[:, 0] + rng.normal(size=200), RidgeExpert())
    assert straight.misread == 0


def test_the_mixture_has_all_experts_and_the_marginal():
    part = Parts(np.array([[0.9, 0.1]]), np.array([[2.0, 1.0]]), np.array([[0.1, 0.5]]))
    weight, mean, variance = mixed(np.array([[0.75, 0.25]]), [part, part], 9)
    np.testing.assert_allclose(weight, 0.9 * np.array([[0.675, 0.075, 0.225, 0.025, 1 / 9]]))
    assert (mean[0, -1], variance[0, -1]) == (0.0, 1.0)


def test_principal_axes_have_variance_one_and_an_end(rng):
    inputs = rng.uniform(-1, 1, size=(50, 3)) @ rng.normal(size=(3, 3))
    inputs = np.column_stack([inputs, inputs[:, 0]])
    axes = Axes.of(inputs)
    turned = axes(inputs)
    np.testing.assert_allclose(turned.T @ turned / 50, np.diag([1, 1, 1, 0]), atol=1e-9)
    assert np.abs(axes(1e9 * inputs)).max() == FARTHEST
    assert np.all(np.isfinite(Axes.of(np.zeros((4, 2)))(np.ones((3, 2)))))


def test_columns_of_products():
    np.testing.assert_array_equal(expanded(np.array([[2.0, 3.0]])), [[2, 3, 4, 6, 9]])
