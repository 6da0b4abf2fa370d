"""Monte Carlo dropout: slopes against differences, the mixture, what must not change the answer, and what it is for."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from benchbook import methods
from benchbook.methods.today import mc_dropout

SHORT = {"epochs": 30, "draws": 40}


def test_slopes_are_those_of_the_loss(rng):
    weights = [
        part + 0.1 * rng.normal(size=part.shape) for part in mc_dropout.start(2, 3, 4, rng)
    ]  # away from kinks
    inputs, targets = rng.normal(size=(3, 7, 2)), rng.normal(size=(3, 7))
    left = mc_dropout.masks(weights, 7, np.array([0.1, 0.3, 0.5]), rng)
    decay = np.array([0.1, 0.2, 0.3])[:, None, None]

    def loss():
        result, _ = mc_dropout.outputs(weights, inputs, left)
        squares = sum((part**2).sum(axis=(1, 2)) for part in (weights[0], weights[2]))
        return float((((targets - result) ** 2).mean(axis=1) + 0.5 * decay.ravel() * squares).sum())

    for part, slope in zip(
        weights, mc_dropout.slopes(weights, inputs, targets, left, decay), strict=True
    ):
        for index in np.ndindex(part.shape):
            before, ends = part[index], []
            for step in (1e-5, -1e-5):
                part[index] = before + step
                ends.append(loss())
            part[index] = before
            assert slope[index] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7)


def test_units_are_left_out_as_often_as_is_asked_and_the_others_make_up_for_it(rng):
    weights = mc_dropout.start(30, 2, 50, rng)
    left = mc_dropout.masks(weights, 400, np.array([0.1, 0.5]), rng)
    for factors in left:
        np.testing.assert_allclose((factors == 0).mean(axis=(1, 2)), [0.1, 0.5], atol=0.02)
        np.testing.assert_allclose(factors.mean(axis=(1, 2)), 1.0, atol=0.05)
        assert len(np.unique(factors[1])) == 2


def test_held_out_cases_are_judged_by_the_mixture(rng):
    """With the draws made again from the same chance, by scipy's normal density."""
    weights, dropped = mc_dropout.start(2, 2, 5, rng), np.array([0.1, 0.5])
    inputs, targets = rng.normal(size=(6, 2)), rng.normal(size=6)
    result = mc_dropout.log_densities(
        weights, inputs, targets, dropped, mc_dropout.MCDropout(draws=7), np.random.default_rng(2)
    )
    again = np.random.default_rng(2)
    drawn = np.stack(
        [
            mc_dropout.outputs(weights, inputs[None], mc_dropout.masks(weights, 1, dropped, again))[
                0
            ]
            for _ in range(7)
        ]
    )
    for index, noise in enumerate(mc_dropout.NOISE):
        expected = logsumexp(norm.logpdf(targets, drawn, np.sqrt(noise)), axis=0) - np.log(7)
        np.testing.assert_allclose(result[:, index], expected, rtol=1e-9)


def test_the_unit_of_the_target_does_not_matter(make_instance, smooth):
    plain, moved = (
        methods.variant("mc-dropout-1", **SHORT).predict(
            make_instance(smooth.train_inputs, targets, smooth.test_inputs),
            np.random.default_rng(1),
        )[0]
        for targets in (smooth.train_targets, 7.0 + 1000.0 * smooth.train_targets)
    )
    np.testing.assert_allclose(moved.mean(), 7.0 + 1000.0 * plain.mean(), rtol=1e-5)
    np.testing.assert_allclose(moved.variance(), 1e6 * plain.variance(), rtol=1e-5)


def test_with_many_cases_it_finds_the_curve_and_the_noise(make_instance, rng):
    x = rng.uniform(-2, 2, size=(600, 1))
    y = np.sin(2 * x[:, 0]) + 0.3 * rng.normal(size=len(x))
    queries = np.linspace(-1.5, 1.5, 9)[:, None]
    result, diagnostics = methods.variant("mc-dropout-1", epochs=150).predict(
        make_instance(x, y, queries), rng
    )
    assert np.abs(result.mean() - np.sin(2 * queries[:, 0])).max() < 0.3
    assert 0.2 < np.sqrt(result.variance()).mean() < 0.5
    assert np.sqrt(diagnostics["noise_variance"] * y.var()) < 0.45
    assert diagnostics["dropped"] in mc_dropout.DROPPED
    assert diagnostics["gradient_passes"] == 600


def test_targets_that_are_all_equal_are_said_with_doubt(make_instance, rng):
    result, _ = methods.variant("mc-dropout-1", **SHORT).predict(
        make_instance(np.arange(6.0)[:, None], np.full(6, 4.0), np.zeros((2, 1))), rng
    )
    assert (result.variance() >= 1.0).all()


def test_each_network_has_its_own_step_and_share(rng):
    """Networks that are trained side by side are those trained with one step alone, as far as chance is the same."""
    x, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    settings = mc_dropout.MCDropout(hidden=3, epochs=4)
    both = mc_dropout.train(
        x, y, np.zeros(2), np.array([0.001, 0.1]), settings, np.random.default_rng(3)
    )
    started = mc_dropout.start(2, 2, 3, np.random.default_rng(3))
    moved = [np.abs(part - own).max(axis=(1, 2)) for part, own in zip(both, started, strict=True)]
    assert all(slow <= 4 * 0.0011 < 0.1 <= quick for slow, quick in moved[:1])


def test_step_and_share_are_chosen_from_what_the_settings_say(smooth, rng):
    _, diagnostics = methods.variant(
        "mc-dropout-chosen-1", **SHORT, rates=(0.02,), dropped=(0.3,), noises=(0.5,)
    ).predict(smooth, rng)
    assert (diagnostics["rate"], diagnostics["dropped"], diagnostics["noise_variance"]) == (
        0.02,
        0.3,
        0.5,
    )
    assert diagnostics["gradient_passes"] == 30
