"""Laplace's last layer against dense algebra, SWAG's moments against their definitions, and the network of both."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from benchbook import methods
from benchbook.methods.today import laplace, one_network, swag


def evidence_of(design, targets, noise, weights):
    covariance = np.eye(len(targets)) / noise + design @ design.T / weights
    return multivariate_normal(np.zeros(len(targets)), covariance).logpdf(targets)


@pytest.fixture
def regression(rng):
    design = np.column_stack([rng.normal(size=(30, 4)), np.ones(30)])
    return design, design @ rng.normal(size=5) + 0.5 * rng.normal(size=30)


def test_the_evidence_is_greatest_where_it_is_said_to_be(regression):
    result = laplace.evidence(*regression)
    best = evidence_of(*regression, result.noise, result.weights)
    for noise, weights in (
        (1.2, 1),
        (1 / 1.2, 1),
        (1, 1.2),
        (1, 1 / 1.2),
        (1.2, 1.2),
        (1 / 1.2, 1 / 1.2),
    ):
        assert best > evidence_of(*regression, result.noise * noise, result.weights * weights)


def test_the_posterior_is_that_of_a_gaussian_process_with_the_same_covariance(regression, rng):
    design, targets = regression
    result, queries = laplace.evidence(design, targets), rng.normal(size=(7, 5))
    inner = design @ design.T / result.weights + np.eye(30) / result.noise
    across = queries @ design.T / result.weights
    np.testing.assert_allclose(
        queries @ result.mean, across @ np.linalg.solve(inner, targets), rtol=1e-8
    )
    np.testing.assert_allclose(
        queries @ result.covariance @ queries.T,
        queries @ queries.T / result.weights - across @ np.linalg.solve(inner, across.T),
        atol=1e-9,
    )


def test_noise_alone_leaves_no_weights(rng):
    result = laplace.evidence(rng.normal(size=(200, 3)), rng.normal(size=200))
    assert np.abs(result.mean).max() < 0.2
    assert result.noise == pytest.approx(1.0, rel=0.3)


def test_more_units_than_cases_are_no_trouble(rng):
    result = laplace.evidence(rng.normal(size=(5, 40)), rng.normal(size=5))
    assert np.isfinite(result.mean).all()
    assert np.linalg.eigvalsh(result.covariance).min() > 0


def test_moments_are_those_of_the_path(rng):
    path = rng.normal(size=(9, 4))
    result = swag.moments(path, 3)
    np.testing.assert_allclose(result.mean, path.mean(axis=0))
    np.testing.assert_allclose(result.variance, (path**2).mean(axis=0) - path.mean(axis=0) ** 2)
    np.testing.assert_allclose(
        result.deviations, [path[k] - path[: k + 1].mean(axis=0) for k in (6, 7, 8)]
    )


def test_drawn_weights_have_half_of_both_covariances(rng):
    result = swag.moments(rng.normal(size=(30, 3)) * [1.0, 2.0, 0.5], 5)
    drawn = swag.draw(result, 200_000, rng)
    wanted = (np.diag(result.variance) + result.deviations.T @ result.deviations / 4) / 2
    np.testing.assert_allclose(drawn.mean(axis=0), result.mean, atol=0.02)
    np.testing.assert_allclose(np.cov(drawn.T), wanted, atol=0.06)


def test_a_row_of_weights_and_back(rng):
    weights = [rng.normal(size=shape) for shape in ((1, 2, 3), (1, 1, 3), (1, 3, 1), (1, 1, 1))]
    for first, other in zip(swag.unpacked(swag.packed(weights), weights), weights, strict=True):
        np.testing.assert_array_equal(first, other)


def test_noise_is_the_likeliest(rng):
    targets = rng.normal(size=4000)
    assert swag.likeliest_noise(np.zeros((3, 4000)), targets) == 1.0
    assert swag.likeliest_noise(np.zeros((3, 4000)), 0.1 * targets) == pytest.approx(0.01)


def test_descent_is_a_step_of_momentum_by_hand(rng):
    inputs, targets = rng.normal(size=(6, 2)), rng.normal(size=6)
    settings = swag.SWAG(epochs=2, rate=0.05, momentum=0.5)
    weights = one_network.start(2, 1, 3, rng)
    path = swag.descend(weights, inputs, targets, np.arange(6), settings, rng)
    first = [-0.05 * slope for slope in one_network.slopes_of(weights, inputs, targets)]
    now = [part + push for part, push in zip(weights, first, strict=True)]
    np.testing.assert_allclose(path[0], swag.packed(now))
    second = [
        0.5 * push - 0.05 * slope
        for push, slope in zip(first, one_network.slopes_of(now, inputs, targets), strict=True)
    ]
    np.testing.assert_allclose(
        path[1], swag.packed([part + push for part, push in zip(now, second, strict=True)])
    )


def test_the_epoch_that_is_kept_is_the_best_on_the_cases_left_out(rng):
    inputs = rng.normal(size=(40, 3))
    targets = inputs[:, 0] + rng.normal(size=40)

    def error(epochs):
        result = one_network.fitted(
            inputs, targets, one_network.EarlyStopped(epochs=epochs), np.random.default_rng(5)
        )
        assert len(result.held) == 8
        assert sorted([*result.kept, *result.held]) == list(range(40))
        predicted = one_network.outputs_of(result.weights, inputs[result.held])[0]
        return result.epoch, float(np.mean((targets[result.held] - predicted) ** 2))

    epoch, least = error(60)
    assert 0 < epoch < 60
    assert error(epoch) == (epoch, least)
    assert error(epoch - 1)[1] > least


@pytest.mark.parametrize("name", ["laplace-last-1", "swag-1", "swag-slow-1"])
def test_it_finds_a_curve_and_its_noise(name, make_instance, rng):
    x = rng.uniform(-2, 2, size=(400, 1))
    y = 30 + 10 * (np.sin(2 * x[:, 0]) + 0.2 * rng.normal(size=len(x)))
    queries = np.linspace(-1.5, 1.5, 9)[:, None]
    result, diagnostics = methods.get(name).predict(make_instance(x, y, queries), rng)
    assert np.abs(result.mean() - 30 - 10 * np.sin(2 * queries[:, 0])).max() < 3
    assert 1.4 < np.sqrt(result.variance()).mean() < 4
    assert 0 < diagnostics["stopped"] <= 400


@pytest.mark.parametrize(
    ("name", "single"),
    [("laplace-ensemble-1", "laplace-last-1"), ("swag-ensemble-1", "swag-slow-1")],
)
def test_an_ensemble_is_the_mixture_of_its_networks(name, single, smooth):
    """The networks come one after another from one generator, as they would alone."""
    found, noted = methods.variant(name, members=3).predict(smooth, np.random.default_rng(4))
    rng = np.random.default_rng(4)
    alone = [methods.get(single).predict(smooth, rng) for _ in range(3)]
    assert noted["gradient_passes"] == 3 * alone[0][1]["gradient_passes"]
    for y in (-1.0, 0.3):
        at = np.full(len(smooth.test_inputs), y)
        np.testing.assert_allclose(
            np.exp(found.log_density(at)),
            np.mean([np.exp(answer.log_density(at)) for answer, _ in alone], axis=0),
        )
    np.testing.assert_allclose(
        found.mean(), np.mean([answer.mean() for answer, _ in alone], axis=0)
    )
