"""The deep ensemble: slopes against differences, what must not change the answer, and what it is for."""

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.today import deep_ensemble

SMALL = deep_ensemble.DeepEnsemble(members=3, hidden=4)


def test_slopes_are_those_of_the_loss(rng):
    weights = deep_ensemble.start(2, SMALL, rng)
    inputs, targets = rng.normal(size=(3, 7, 2)), rng.normal(size=(3, 7))

    def loss():
        mean, variance, _ = deep_ensemble.outputs(weights, inputs)
        return float(
            (0.5 * (np.log(variance) + (targets - mean) ** 2 / variance)).mean(axis=1).sum()
        )

    for part, slope in zip(weights, deep_ensemble.slopes(weights, inputs, targets), strict=True):
        for index in np.ndindex(part.shape):
            before, ends = part[index], []
            for step in (1e-5, -1e-5):
                part[index] = before + step
                ends.append(loss())
            part[index] = before
            assert slope[index] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7)


def test_the_variance_is_that_of_the_mixture(smooth):
    """By the networks themselves, trained from the same chance."""
    result, diagnostics = methods.get("deep-ensemble-1").predict(smooth, np.random.default_rng(3))
    x, t = smooth.train_inputs, smooth.train_targets
    centre, unit = x.mean(axis=0), x.std(axis=0)
    settings = deep_ensemble.DeepEnsemble()
    weights = deep_ensemble.train(
        (x - centre) / unit, (t - t.mean()) / t.std(), settings, np.random.default_rng(3)
    )
    mean, variance, _ = deep_ensemble.outputs(weights, (smooth.test_inputs - centre) / unit)
    np.testing.assert_allclose(result.mean(), t.mean() + t.std() * mean.mean(axis=0), rtol=1e-9)
    second = (variance + mean**2).mean(axis=0)
    np.testing.assert_allclose(
        result.variance(), t.var() * (second - mean.mean(axis=0) ** 2), rtol=1e-7
    )
    assert diagnostics == {"gradient_passes": 200}


def test_each_network_starts_and_is_fed_by_chance_of_its_own(rng):
    weights = deep_ensemble.train(rng.normal(size=(20, 2)), rng.normal(size=20), SMALL, rng)
    assert all(not np.allclose(part[0], part[1]) for part in weights)


def test_the_unit_of_the_target_does_not_matter(make_instance, smooth):
    plain, moved = (
        methods.get("deep-ensemble-1").predict(
            make_instance(smooth.train_inputs, targets, smooth.test_inputs),
            np.random.default_rng(1),
        )[0]
        for targets in (smooth.train_targets, 7.0 + 1000.0 * smooth.train_targets)
    )
    np.testing.assert_allclose(moved.mean(), 7.0 + 1000.0 * plain.mean(), rtol=1e-5)
    np.testing.assert_allclose(moved.variance(), 1e6 * plain.variance(), rtol=1e-5)


def test_with_many_cases_it_finds_the_curve_and_the_noise(make_instance, rng):
    x = rng.uniform(-2, 2, size=(1200, 1))
    sd = np.where(x[:, 0] > 0, 0.4, 0.1)
    y = np.sin(2 * x[:, 0]) + sd * rng.normal(size=len(x))
    queries = np.linspace(-1.5, 1.5, 9)[:, None]
    result, _ = methods.variant("deep-ensemble-1", epochs=60).predict(
        make_instance(x, y, queries), rng
    )
    assert np.abs(result.mean() - np.sin(2 * queries[:, 0])).max() < 0.25
    quiet, loud = np.sqrt(result.variance()[:4]), np.sqrt(result.variance()[5:])
    assert quiet.mean() < 0.2 < 0.3 < loud.mean() < 0.55


def test_targets_that_are_all_equal_are_said_with_doubt(make_instance, rng):
    result, _ = methods.get("deep-ensemble-1").predict(
        make_instance(np.arange(6.0)[:, None], np.full(6, 4.0), np.zeros((2, 1))), rng
    )
    assert (result.variance() >= 1.0).all()


def test_epochs_are_chosen_by_held_out_cases_and_all_cases_are_trained_on_again(make_instance):
    """Targets that are noise: one epoch does less harm than four hundred."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    noise = make_instance(x, y, rng.normal(size=(200, 5)))
    result, noted = methods.get("deep-ensemble-stopped-1").predict(noise, np.random.default_rng(1))
    longer, _ = methods.variant("deep-ensemble-1", epochs=400).predict(
        noise, np.random.default_rng(1)
    )
    assert 1 <= noted["epochs"] < 40
    assert noted["gradient_passes"] == 5 * (320 + noted["epochs"])
    assert result.mean().var() < 0.5 * longer.mean().var()


def test_the_best_epoch_is_the_one_after_which_held_out_cases_are_likeliest(rng):
    """By training again for so many epochs from the same chance, and for one more or less."""
    x, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    settings = deep_ensemble.StoppedEnsemble(members=2, hidden=3, epochs=25)
    best = deep_ensemble.best_epochs(x, y, settings, np.random.default_rng(4))
    again = np.random.default_rng(4)
    selected, validation = np.split(again.permutation(30), [24])
    losses = []

    def watch(weights):
        mean, variance = deep_ensemble.mixture(weights, x[validation])
        losses.append((np.log(variance) + (y[validation] - mean) ** 2 / variance).mean())

    deep_ensemble.train(x[selected], y[selected], settings, again, watch)
    assert len(losses) == 25
    assert losses[best - 1] == min(losses)
