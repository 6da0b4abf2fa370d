"""Bayesian logistic regression: gradients, exactness of the updates, brute force, and what the methods promise."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, log_expit

from benchbook import methods
from benchbook.methods.logistic.chains import LogisticSampling, LogisticWalk, sample
from benchbook.methods.logistic.posterior import LogisticPosterior, LogisticPrior, best_scale, mode
from benchbook.seeds import generator

PRIORS = {
    "one scale": LogisticPrior(),
    "a relevance for each group": LogisticPrior(relevance_sd=0.7),
}


def made(rng, prior, cases=30, positive=None):
    """Four inputs in three groups."""
    inputs = rng.normal(size=(cases, 4))
    positive = rng.integers(2, size=cases) if positive is None else positive(inputs)
    return LogisticPosterior(inputs, positive, np.array([0, 1, 1, 2]), prior)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_slopes_are_those_of_the_height(rng, prior):
    posterior = made(rng, prior)
    states = 0.7 * posterior.draw(3, rng)
    for column, slope in zip(states.T, posterior.slope(states).T, strict=True):
        by_differences = approx_fprime(column, lambda q: posterior.height(q[:, None])[0], 1e-6)
        np.testing.assert_allclose(slope, by_differences, rtol=1e-3, atol=1e-3)


def test_height_by_definition(rng):
    posterior = made(rng, PRIORS["a relevance for each group"])
    state = posterior.draw(1, rng)
    v, log_s, log_t = state[:5, 0], state[5, 0], state[6:, 0]
    weights = v[:4] * np.exp(log_s) * np.exp(log_t)[[0, 1, 1, 2]] / 2.0
    chance = expit(posterior.design[:, :4] @ weights + 5.0 * v[4])
    likelihood = np.log(np.where(posterior.positive[:, 0] == 1, chance, 1 - chance)).sum()
    expected = likelihood - 0.5 * (v @ v + (log_s / 1.5) ** 2 + np.sum((log_t / 0.7) ** 2))
    assert posterior.height(state)[0] == pytest.approx(expected)


def test_the_mode_is_flat_and_its_curvature_that_of_the_slopes(rng):
    posterior = made(rng, LogisticPrior())
    result = mode(posterior, 0.3, np.zeros(5))
    state = np.append(result.standard, 0.3)
    slope = posterior.slope(state[:, None])[:, 0]
    np.testing.assert_allclose(slope[:5], 0.0, atol=1e-2)
    apart = np.array(
        [posterior.slope((state + 1e-5 * unit)[:, None])[:, 0] - slope for unit in np.eye(6)[:5]]
    )
    np.testing.assert_allclose(
        np.tril(result.curvature)[:5, :5], np.tril(-1e5 * apart[:, :5]), rtol=1e-3, atol=1e-3
    )
    evidences = [mode(posterior, at, np.zeros(5)).evidence for at in np.arange(-3, 3.1, 0.5)]
    assert best_scale(posterior).evidence == pytest.approx(max(evidences), abs=0.01)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("update", ["trajectory", "rescale"])
def test_updates_leave_the_posterior_as_it_is(prior, update):
    """States from the prior, each with targets of its own drawn given it, are draws from their posteriors; so they are
    after an update, whose mean change of any figure is then 0. Five standard errors for each of about 20 figures."""
    rng = generator(4, "invariance", update)
    chains = 20_000
    blank = made(rng, prior, cases=6)
    states = blank.draw(chains, rng)
    positive = rng.random((6, chains)) < expit(blank.design @ blank.weights(states))

    def largest_change(believed):
        walk = LogisticWalk(blank, best_scale(blank))
        walk.posterior = LogisticPosterior(
            blank.design[:, :-1], positive, np.array([0, 1, 1, 2]), believed
        )
        after = (
            walk.trajectory(states, 0.6, 3, rng)[0]
            if update == "trajectory"
            else walk.rescale(states, rng)
        )
        assert np.mean(np.any(after != states, axis=0)) > 0.3
        weights = [np.tanh(blank.weights(q)) * (2.0 * positive[:5] - 1.0) for q in (states, after)]
        change = np.vstack(
            [
                after - states,
                after**2 - states**2,
                after[0] * after[5] - states[0] * states[5],
                weights[1] - weights[0],
            ]
        )
        error = change.std(axis=1) / np.sqrt(chains)
        moved = error > 1e-9
        return np.max(np.abs(change.mean(axis=1))[moved] / error[moved])

    assert largest_change(prior) < 5.0
    other = LogisticPrior(scale_sd=1.2, relevance_sd=prior.relevance_sd)
    assert largest_change(other) > 5.0, "a wrong belief must show"


def test_probabilities_are_those_of_integration(make_instance):
    """One input: the posterior over weight, intercept and scale on a grid of 61 x 41 x 41 places."""
    rng = generator(8)
    inputs = rng.normal(size=(14, 1))
    inputs = (inputs - inputs.mean()) / inputs.std()
    positive = rng.random(14) < expit(2 * inputs[:, 0] + 1)
    queries = np.array([[-2.0], [-0.5], [0.0], [1.0], [3.0]])
    v, intercept, log_s = np.meshgrid(
        np.linspace(-5, 5, 61), np.linspace(-6, 10, 41), np.linspace(-5, 5, 41), indexing="ij"
    )
    slope = v * np.exp(log_s)
    log_p = -0.5 * (v**2 + (intercept / 5) ** 2 + (log_s / 1.5) ** 2)
    for x, truth in zip(inputs[:, 0], positive, strict=True):
        log_p += log_expit((2.0 * truth - 1.0) * (intercept + slope * x))
    weight = np.exp(log_p - log_p.max())
    exact = [np.sum(weight * expit(intercept + slope * x)) / weight.sum() for x in queries[:, 0]]
    instance = make_instance(inputs, positive, queries, ("-1", "+1"))
    prediction, diagnostics = methods.answer(
        methods.get("bayes-logistic-1"), instance, generator(2)
    )
    np.testing.assert_allclose(prediction.probability[:, 1], exact, atol=0.025)
    assert diagnostics["rhat"] < 1.1


@pytest.mark.parametrize("name", ["bayes-logistic-1", "bayes-logistic-ard-1"])
def test_what_is_predicted_is_believed_as_much_as_it_deserves(make_instance, name):
    """Weights from the prior: the loss is near that of the true probabilities, and below that of the frequencies."""
    rng = generator(5)
    inputs = rng.normal(size=(1400, 8))
    chance = expit(inputs @ np.array([2.0, -1.5, 1.0, 0.5, 0, 0, 0, 0]))
    truth = (rng.random(1400) < chance).astype(int)
    prediction, diagnostics = methods.answer(
        methods.get(name),
        make_instance(inputs[:200], truth[:200], inputs[200:], ("-1", "+1")),
        generator(1),
    )
    loss = -np.log(prediction.probability[np.arange(1200), truth[200:]]).mean()
    best = -np.log(np.where(truth == 1, chance, 1 - chance)[200:]).mean()
    assert best - 0.01 < loss < best + 0.04 < np.log(2) - 0.1
    assert 0.7 < diagnostics["acceptance"] < 0.97
    assert diagnostics["rhat_prediction"] < 1.1


def test_wide_instances_and_a_class_that_was_never_seen(make_instance, rng):
    inputs = rng.normal(size=(20, 60))
    instance = make_instance(inputs, [0, 1] * 10, inputs[:4], ("a", "b", "c"))
    prediction, _ = methods.answer(methods.get("bayes-logistic-1"), instance, rng)
    np.testing.assert_allclose(prediction.probability.sum(axis=1), 1.0, rtol=1e-12)
    assert np.all((prediction.probability[:, 2] > 0) & (prediction.probability[:, 2] < 0.25))


def test_relevances_are_larger_for_what_matters(rng):
    posterior = made(
        rng,
        PRIORS["a relevance for each group"],
        400,
        lambda x: rng.random(len(x)) < expit(4.0 * x[:, 0]),
    )
    walk = LogisticWalk(posterior, best_scale(posterior))
    state = walk.begin(50, rng)
    for _ in range(60):
        state = walk.rescale(walk.trajectory(state, 0.25, 6, rng)[0], rng)
    relevance = state[6:].mean(axis=1)
    assert relevance[0] > max(relevance[1:]) + 0.5


def test_settings_are_kept(rng):
    posterior = made(rng, LogisticPrior())
    draws = sample(posterior, rng, LogisticSampling(chains=3, discarded=5, kept=7))
    assert draws.weights.shape == (7, 5, 3)
    assert draws.log_scale.shape == (7, 3)
