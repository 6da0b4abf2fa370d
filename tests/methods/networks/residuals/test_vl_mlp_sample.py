"""Sampled posteriors of networks: what they hold, what they learn, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchbook import methods
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook.methods.networks.residuals.sampling import sample_mlp
from benchbook.predictive import Categorical, Mixture, StudentTMixture
from benchbook.seeds import generator

QUICK = ResidualSettings(hidden=4, passes=6000, draws=20, chains=2, length=20)


def curve(rng, n=60):
    """Inputs [n, 2], of which the first matters, and what the target is but for noise."""
    inputs = rng.normal(size=(n, 2))
    return inputs, np.tanh(2 * inputs[:, 0])


def sampled(kind, targets, inputs, settings=QUICK, seed=0):
    return sample_mlp(inputs, targets, kind, settings, generator(seed, "sampled"))


@pytest.mark.parametrize(
    ("kind", "holds"),
    [("n", Mixture), ("t", StudentTMixture), ("in", Mixture), ("it", StudentTMixture)],
)
def test_posterior_holds_what_its_predictions_say(rng, kind, holds):
    inputs, f = curve(rng)
    targets = f + 0.1 * rng.normal(size=60)
    result = sampled(kind, targets, inputs)
    assert result.log_likelihood.shape == (20, 60)
    np.testing.assert_allclose(result.log_density_draws(inputs, targets), result.log_likelihood)
    predicted = result.predict(inputs)
    assert isinstance(predicted, holds)
    np.testing.assert_allclose(
        predicted.log_density(targets), result.log_density(inputs, targets), rtol=1e-10
    )
    queries, truth = curve(generator(1, "queries"), 200)
    assert np.sqrt(np.mean((result.predict(queries).mean() - truth) ** 2)) < 0.12
    assert {"rhat_prediction", "ks_residual", "acceptance", "minutes"} <= set(result.diagnostics)
    assert result.diagnostics["draws"] == result.draws == 20


def test_tails_find_outliers_and_leave_the_rest_sharp(rng):
    inputs, f = curve(rng, 120)
    targets = f + 0.05 * rng.normal(size=120)
    targets[:8] += 3.0
    normal, tails = (
        sampled(kind, targets, inputs, replace(QUICK, passes=20_000)) for kind in ("n", "t")
    )
    assert tails.diagnostics["degrees"] < 4
    assert tails.diagnostics["residual_sd"] < 0.12 < normal.diagnostics["residual_sd"]


def test_indicators_give_each_group_its_own_spread(rng):
    inputs, f = curve(rng, 200)
    inputs[:, 1] = rng.random(200) < 0.5
    targets = f + np.where(inputs[:, 1] > 0, 0.4, 0.05) * rng.normal(size=200)
    for settings in (replace(QUICK, passes=20_000, spread=(1,)), replace(QUICK, passes=20_000)):
        result = sampled("in", targets, inputs, settings)
        calm, wild = result.components(np.array([[0.3, 0.0], [0.3, 1.0]])).scale.T
        assert np.median(calm) == pytest.approx(0.05, rel=0.3)
        assert np.median(wild) == pytest.approx(0.4, rel=0.3)


def test_two_outputs_share_the_network_and_the_noise(rng):
    inputs, f = curve(rng, 150)
    targets = np.column_stack([f, -f]) + 0.1 * rng.normal(size=(150, 2))
    result = sampled("n", targets, inputs, replace(QUICK, outputs=2))
    parts = result.components(inputs)
    assert parts.location.shape == (20, 150, 2)
    expected = stats.norm.logpdf(targets, parts.location, parts.scale).sum(axis=2)
    np.testing.assert_allclose(result.log_likelihood, expected, rtol=1e-10)
    assert np.median(parts.scale) == pytest.approx(0.1, rel=0.2)
    np.testing.assert_allclose(
        result.predict(inputs, 1).mean(), parts.location[:, :, 1].mean(axis=0), rtol=1e-12
    )
    with pytest.raises(FaultyInput, match=r"say which one, 0\.\.1"):
        result.predict(inputs)


def test_logistic_network_tells_probabilities(rng):
    inputs = rng.normal(size=(300, 2))
    chance = 1 / (1 + np.exp(-3 * inputs[:, 0]))
    targets = (rng.random(300) < chance).astype(float)
    result = sampled("logistic", targets, inputs)
    predicted = result.predict(inputs)
    assert isinstance(predicted, Categorical)
    assert np.mean(np.abs(predicted.probability[:, 1] - chance)) < 0.06
    np.testing.assert_allclose(
        predicted.log_density(targets.astype(int)), result.log_density(inputs, targets), rtol=1e-10
    )


@pytest.mark.parametrize(
    ("kind", "targets", "changes", "said"),
    [
        ("s", np.zeros(5), {}, "must be one of n, t, in, it, logistic"),
        ("n", np.zeros(4), {}, r"must be \[N\], \(5,\)"),
        ("n", np.full(5, np.nan), {}, "must be finite"),
        ("logistic", np.full(5, 2.0), {}, "the number of the class"),
        ("t", np.zeros((5, 2)), {"outputs": 2}, "several go with 'n'"),
        ("in", np.zeros(5), {"spread": (2,)}, r"a column of the inputs, 0\.\.1"),
    ],
)
def test_what_cannot_be_sampled_is_named(kind, targets, changes, said):
    with pytest.raises(FaultyInput, match=said):
        sampled(kind, targets, np.ones((5, 2)), replace(QUICK, **changes))


def test_budget_falls_with_the_size_of_the_data():
    settings = ResidualSettings()
    assert settings.chains * settings.budget(215, 8) == settings.passes
    assert 10_000 < settings.chains * settings.budget(29_000, 37) < 11_000
    assert 2000 < settings.chains * settings.budget(5176, 1092) < 2500
    assert settings.steps(settings.budget(5176, 1092)) == 5


def test_methods_are_registered_and_more_than_two_classes_are_refused(make_instance, rng):
    for name in ("n", "t", "in", "it", "logistic"):
        assert methods.get(f"vl-mlp-{name}").kinds == (
            {"class"} if name == "logistic" else {"real"}
        )
    instance = make_instance(
        rng.normal(size=(9, 2)), np.arange(9) % 3, rng.normal(size=(2, 2)), ("a", "b", "c")
    )
    with pytest.raises(BenchbookError, match="tells two classes apart; the target has 3: a, b, c"):
        methods.get("vl-mlp-logistic").predict(instance, rng)
