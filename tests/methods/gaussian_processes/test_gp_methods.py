"""gp-map-1 and gp-mc-1: what they predict, what they tell, and bad data."""

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.gaussian_processes.search import search
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.predictive import Gaussian, Mixture
from benchbook.seeds import generator

NAMES = ("gp-map-1", "gp-mc-1")


def ask(name, instance, rng):
    return methods.answer(methods.get(name), instance, rng)


@pytest.fixture
def wave(make_instance, rng):
    """60 training and 200 test cases, the target on a scale of its own."""
    inputs = rng.uniform(-2, 2, size=(260, 3))
    targets = 50 + 10 * np.sin(2 * inputs[:, 0]) * inputs[:, 1] + rng.normal(size=260)
    return make_instance(inputs[:60], targets[:60], inputs[60:]), targets[60:]


@pytest.mark.parametrize("name", NAMES)
def test_it_learns_what_a_line_cannot_and_knows_how_well(wave, name):
    instance, targets = wave
    prediction, _ = ask(name, instance, generator(1))
    line, _ = ask("lin-1", instance, generator(1))
    error = np.mean((prediction.mean() - targets) ** 2)
    assert error < 0.2 * np.mean((line.mean() - targets) ** 2)
    assert 0.5 < np.mean(prediction.variance()) / error < 2.0
    assert prediction.log_density(targets).mean() > line.log_density(targets).mean() + 0.5
    low, high = prediction.interval(0.9)
    assert 0.82 < np.mean((low < targets) & (targets < high)) < 0.97


def test_the_map_prediction_is_that_of_the_hyperparameters_found(wave):
    instance, _ = wave
    prediction, diagnostics = ask("gp-map-1", instance, generator(1))
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    with one_thread():  # as the method does: with more the library's sums are in another order
        result = search(
            scale.inputs(instance.train_inputs), scale.targets(instance.train_targets), generator(1)
        )
        mean, variance = result.posterior.predict(result.t, scale.inputs(instance.test_inputs))
    assert isinstance(prediction, Gaussian)
    np.testing.assert_allclose(
        prediction.mean(), scale.target_centre + scale.target_unit * mean, rtol=1e-12
    )
    np.testing.assert_allclose(prediction.variance(), scale.target_unit**2 * variance, rtol=1e-12)
    np.testing.assert_allclose(diagnostics["length_scales"], np.exp(-0.5 * result.t[:3]), rtol=1e-3)
    assert diagnostics["noise"] == pytest.approx(np.exp(result.t[-1]), rel=1e-3)
    assert diagnostics["log_posterior"] == pytest.approx(-result.energy, rel=1e-3)


def test_what_the_sampler_tells(wave):
    prediction, diagnostics = ask("gp-mc-1", wave[0], generator(1))
    assert isinstance(prediction, Mixture)
    assert prediction.weight.shape == (200, 50)
    assert 0.5 < diagnostics["acceptance"] < 1.0
    assert diagnostics["diverged"] <= 0.03 * diagnostics["trajectories"]
    assert 0.9 < diagnostics["rhat"] < 1.2
    assert diagnostics["trajectories"] > 100
    assert 3000 < diagnostics["evaluations"] < 4000
    assert len(diagnostics["length_scales"]) == 3


def test_linear_targets_make_straight_predictions(make_instance, rng):
    inputs = rng.normal(size=(40, 2))
    targets = 3.0 + inputs @ [2.0, -1.0] + 0.01 * rng.normal(size=40)
    far = np.array([[4.0, 4.0], [-4.0, 4.0]])
    prediction, _ = ask("gp-map-1", make_instance(inputs, targets, far), rng)
    np.testing.assert_allclose(prediction.mean(), 3.0 + far @ [2.0, -1.0], atol=0.3)


@pytest.mark.parametrize("name", NAMES)
def test_shifting_and_scaling_inputs_and_targets_does_the_same_to_predictions(
    wave, make_instance, name
):
    instance, _ = wave
    prediction, _ = ask(name, instance, generator(1))
    moved = make_instance(
        1 + 2 * instance.train_inputs, 8 * instance.train_targets - 4, 1 + 2 * instance.test_inputs
    )
    other, _ = ask(name, moved, generator(1))
    away = (other.mean() - 8 * prediction.mean() + 4) / np.sqrt(other.variance())
    ratio = other.variance() / (64 * prediction.variance())
    apart = 0.01 if name == "gp-map-1" else 0.5
    assert np.abs(away).max() < apart
    assert np.abs(np.log(ratio)).max() < apart
