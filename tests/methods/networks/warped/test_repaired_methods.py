"""Runs on warped targets, the way back to the target, and the methods made of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from benchbook.methods.networks.bayesian import constants, predict
from benchbook.methods.networks.bayesian.predict import unwarped, warped_answer, warps
from benchbook.methods.networks.bayesian.runs import run
from benchbook.predictive import Mixture
from benchbook.seeds import generator

MODEL = constants.model(relevance=True, direct=True)
SHORT = replace(constants.schedule(), passes=3000)


@pytest.fixture
def shares():
    """90 cases and 300 more of a skew target whose noise grows with the square root of its value."""
    rng = generator(6, "shares")
    inputs = rng.normal(size=(390, 3))
    root = 1.1 + 0.9 * np.tanh(inputs[:, 0] + 0.5 * inputs[:, 1]) + 0.05 * rng.normal(size=390)
    targets = root**2
    centre, spread = (
        np.median(targets[:90]),
        np.mean(np.abs(targets[:90] - np.median(targets[:90]))),
    )
    targets = (targets - centre) / spread
    return inputs[:90], targets[:90], inputs[90:], targets[90:]


@pytest.fixture
def prediction():
    """Outputs and noise of four draws for three cases, with the maps of skew targets."""
    maps = warps(generator(7, "maps").exponential(size=60))
    choice = np.array([int(np.flatnonzero(maps.powers == 1.0)[0]), 0, 40, 77])
    rng = generator(8, "outputs")
    return maps, choice, rng.normal(size=(3, 4)), np.array([0.2, 0.3, 0.4, 0.1])


def density(y, maps, choice, centres, noise):
    """The density of the target at y by change of variables: what slices stand for."""
    parts = [
        norm.pdf(maps.forward(y, k), centres[:, m], noise[m]) * np.exp(maps.log_slope(y, k))
        for m, k in enumerate(choice)
    ]
    return np.mean(parts, axis=0)


def test_mean_and_variance_are_those_of_draws_taken_back(prediction):
    maps, choice, centres, noise = prediction
    mixture = Mixture(*unwarped(maps, choice, centres, noise))
    rng = generator(9, "draws")
    drawn = np.stack(
        [
            maps.back(centres[:, m, None] + noise[m] * rng.normal(size=(3, 200_000)), k)
            for m, k in enumerate(choice)
        ]
    )
    error = drawn.std(axis=(0, 2)) / np.sqrt(drawn.shape[0] * drawn.shape[2])
    np.testing.assert_array_less(np.abs(mixture.mean() - drawn.mean(axis=(0, 2))), 5 * error)
    np.testing.assert_allclose(mixture.variance(), drawn.var(axis=(0, 2)), rtol=0.02)


def test_density_is_near_that_of_the_change_of_variables(prediction):
    maps, choice, centres, noise = prediction
    mixture = Mixture(*unwarped(maps, choice, centres, noise))
    away = []
    for level in (0.05, 0.25, 0.5, 0.75, 0.95):
        y = mixture.quantile([level])[:, 0]
        away.append(mixture.log_density(y) - np.log(density(y, maps, choice, centres, noise)))
    assert np.abs(away).max() < 0.1


def test_a_straight_map_leaves_each_gaussian_as_it_is(prediction):
    maps, choice, centres, noise = prediction
    straight = choice[:1]
    mixture = Mixture(*unwarped(maps, straight, centres[:, :1], noise[:1]))
    scale = maps.unit * maps.scales[straight[0]]
    np.testing.assert_allclose(mixture.mean(), maps.back(centres[:, 0], straight[0]), rtol=1e-12)
    np.testing.assert_allclose(mixture.variance(), (noise[0] * scale) ** 2, rtol=1e-9)
    y = mixture.quantile([0.02])[:, 0]
    exact = density(y, maps, straight, centres[:, :1], noise[:1])
    np.testing.assert_allclose(np.exp(mixture.log_density(y)), exact, rtol=0.02)


def test_budget_and_notes(shares):
    inputs, targets, *_ = shares
    chain = run(MODEL, SHORT, inputs, targets, generator(1), warps(targets))
    assert 3000 <= chain.passes[-1] < 3000 + 5 * 25.0 + 0.5
    assert chain.choice.shape == chain.passes.shape == chain.noise.shape
    assert chain.passes[chain.kept - 1] <= 1000 < chain.passes[chain.kept]
    np.testing.assert_array_equal(chain.noise_sd, chain.noise[chain.drawn])
    again, other = (
        run(MODEL, SHORT, inputs, targets, generator(seed), warps(targets)) for seed in (1, 2)
    )
    assert chain.weights.tobytes() == again.weights.tobytes()
    assert chain.weights.tobytes() != other.weights.tobytes()


def test_it_finds_the_power_of_the_noise_and_predicts_better_than_without(make_instance, shares):
    inputs, targets, queries, answers = shares
    schedule = replace(SHORT, passes=20_000)
    instance = make_instance(inputs, targets, queries)
    repaired, message = warped_answer(MODEL, schedule, instance, generator(2))
    plain, _ = predict.answer(MODEL, schedule, instance, generator(2))
    assert 0.2 < message["power"] < 0.8
    assert np.mean(repaired.log_density(answers)) > np.mean(plain.log_density(answers)) + 0.2
    assert np.mean((repaired.mean() - answers) ** 2) < np.mean((plain.mean() - answers) ** 2)


def test_constant_gaussian_noise_is_left_as_it_is(make_instance):
    """Recipe of a curve: no map that bends much is chosen, and the losses are those of the model without a warp."""
    rng = generator(10, "curve")
    inputs = rng.normal(size=(300, 2))
    targets = np.sin(1.5 * inputs[:, 0]) + 0.2 * rng.normal(size=300)
    instance = make_instance(inputs[:100], targets[:100], inputs[100:])
    schedule = replace(SHORT, passes=10_000)
    repaired, message = warped_answer(MODEL, schedule, instance, generator(2))
    plain, _ = predict.answer(MODEL, schedule, instance, generator(2))
    assert message["power"] > 0.7 or message["knot"] < 0.5
    lost = np.mean(plain.log_density(targets[100:])) - np.mean(repaired.log_density(targets[100:]))
    assert lost < 0.1


def test_diagnostics_are_plain_numbers(make_instance, shares):
    inputs, targets, queries, _ = shares
    prediction, message = warped_answer(
        MODEL, SHORT, make_instance(inputs, targets, queries), generator(2)
    )
    _, usual = predict.answer(MODEL, SHORT, make_instance(inputs, targets, queries), generator(2))
    assert set(message) == {*usual, "power", "knot", "rhat_power"}
    assert all(np.isfinite(value).all() for value in message.values())
    assert prediction.kind == "mixture"
    assert len(prediction.component_mean[0]) <= 12 * SHORT.draws


def test_a_run_that_never_moves_still_answers(make_instance, shares):
    inputs, targets, queries, _ = shares
    stuck = replace(SHORT, passes=500, factor=1e200, start_factor=1e200)
    prediction, message = warped_answer(
        MODEL, stuck, make_instance(inputs, targets, queries), generator(1)
    )
    assert message["fallback_to_mean"] == 1
    np.testing.assert_allclose(prediction.mean(), targets.mean(), rtol=1e-12)


def test_mean_squared_error_of_the_recipe_stays_what_it_was(make_instance, shares):
    """Recipe: the fixture ``shares``, the model of mlp-mc-2w, 6000 passes, seeds 0 to 3."""
    inputs, targets, queries, answers = shares
    instance = make_instance(inputs, targets, queries)
    schedule = replace(SHORT, passes=6000)
    errors = [
        np.mean(
            (warped_answer(MODEL, schedule, instance, generator(seed))[0].mean() - answers) ** 2
        )
        for seed in range(4)
    ]
    assert np.mean(errors) == pytest.approx(0.01295, rel=0.15)
