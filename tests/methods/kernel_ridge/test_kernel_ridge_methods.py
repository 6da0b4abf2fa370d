"""kernel-variance-1 and loohkrr-1: noise that changes with the inputs, doubt far away, and more cases than centres."""

from functools import partial

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.kernel_ridge import kernel_variance, loohkrr
from benchbook.methods.kernel_ridge.heteroscedastic import Heteroscedastic, Hyper
from benchbook.seeds import generator

NAMES = ("kernel-variance-1", "loohkrr-1")


def ask(name, instance):
    return methods.answer(methods.get(name), instance, generator(1, name))


@pytest.fixture
def fan(make_instance):
    """A wave whose noise grows tenfold from left to right; 160 training cases, 400 test cases and the truth."""
    rng = generator(21)
    inputs = rng.uniform(-2, 2, size=(560, 1))
    clean, spread = 5 + 2 * np.sin(2 * inputs[:, 0]), 0.3 * np.exp(0.6 * inputs[:, 0])
    targets = clean + spread * rng.normal(size=560)
    return (
        make_instance(inputs[:160], targets[:160], inputs[160:]),
        targets[160:],
        clean[160:],
        spread[160:],
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_noise_follows_the_inputs(fan, name):
    instance, targets, clean, spread = fan
    prediction, _ = ask(name, instance)
    truth = np.mean(0.5 * np.log(2 * np.pi * spread**2) + 0.5 * ((targets - clean) / spread) ** 2)
    loss = -prediction.log_density(targets).mean()
    assert loss < truth + 0.1
    assert loss < -ask("gp-map-1", instance)[0].log_density(targets).mean() - 0.1
    assert np.corrcoef(np.log(prediction.variance()), np.log(spread))[0, 1] > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_far_from_all_cases_it_is_unsure(make_instance, fan, name):
    instance, *_ = fan
    far = make_instance(instance.train_inputs, instance.train_targets, [[0.0], [30.0]])
    near, away = ask(name, far)[0].variance()
    assert away > 10 * near


@pytest.mark.parametrize("name", NAMES)
def test_with_fewer_centres_than_cases_the_answer_is_near(monkeypatch, fan, name):
    instance, targets, *_ = fan
    whole, _ = ask(name, instance)
    monkeypatch.setattr(
        kernel_variance, "Kernels", partial(kernel_variance.Kernels, trial=100, centres=40)
    )
    monkeypatch.setattr(loohkrr, "Leaving", partial(loohkrr.Leaving, trial=100, centres=40))
    part, diagnostics = ask(name, instance)
    assert diagnostics["unreached"] in (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    assert np.mean((part.mean() - whole.mean()) ** 2) < 0.02
    assert abs(part.log_density(targets).mean() - whole.log_density(targets).mean()) < 0.1


def test_the_loss_found_by_leaving_out_is_that_of_fits_without_each_case():
    """One turn, so that no weight knows the case: the log variance is one Newton step from exact, all else is exact."""
    rng = generator(2)
    inputs = rng.normal(size=(40, 1))
    targets = np.sin(2 * inputs[:, 0]) + 0.2 * np.exp(0.5 * inputs[:, 0]) * rng.normal(size=40)
    hyper = Hyper(0.8, 1.0, 1.5, 2.0)
    fit = Heteroscedastic.fit(hyper, inputs, targets, inputs, 1)
    losses = []
    for index in range(40):
        mask = np.arange(40) != index
        spread = np.sqrt(np.var(targets) / np.var(targets[mask]))
        other = Heteroscedastic.fit(hyper, inputs[mask], targets[mask] * spread, inputs, 1)
        mean, variance = (part[0] for part in other.at(inputs[index : index + 1]))
        mean, variance = mean / spread, variance / spread**2
        losses.append(
            0.5 * np.log(2 * np.pi * variance) + 0.5 * (targets[index] - mean) ** 2 / variance
        )
    assert fit.loss == pytest.approx(np.mean(losses), abs=0.05)


def test_an_outlier_in_the_targets_does_not_pull_the_mean(make_instance):
    """Weights of one over the noise: 5 % of the cases with a hundredfold noise in one corner barely move the rest."""
    rng = generator(9)
    inputs = rng.uniform(-2, 2, size=(300, 1))
    clean = np.sin(2 * inputs[:, 0])
    targets = clean + np.where(inputs[:, 0] > 1.8, 10.0, 0.1) * rng.normal(size=300)
    instance = make_instance(inputs[:200], targets[:200], inputs[200:])
    calm = inputs[200:, 0] < 1.3
    error = {
        name: np.mean((ask(name, instance)[0].mean() - clean[200:])[calm] ** 2) for name in NAMES
    }
    assert error["loohkrr-1"] < 0.5 * error["kernel-variance-1"]
