"""Divergence is noticed, the run ends in a fallback, and its record names it; without need there is no fallback."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.methods.conformal import methods as conformal
from benchbook.methods.gaussian_processes import methods as gaussian_processes
from benchbook.methods.gaussian_processes.model import HyperparameterPosterior
from benchbook.methods.networks.bayesian import constants, predict
from benchbook.methods.shared.diagnostics import listed, rounded
from benchbook.seeds import generator

BATCH = ("mlp-bgd-1", "mlp-bgd-2", "mlp-bgd-3")


def ask(name, instance):
    return methods.answer(methods.get(name), instance, generator(3, name))


def test_nothing_falls_back_on_ordinary_cases(each_method, ordinary):
    _, diagnostics = methods.answer(each_method, ordinary, generator(3))
    declared = {"fallback_to_marginal"} if len(ordinary.train_targets) < conformal.LEAST else set()
    assert [key for key in diagnostics if key.startswith("fallback") and key not in declared] == []
    assert diagnostics.get("diverged", 0) == 0


@pytest.mark.parametrize("name", BATCH)
def test_descent_with_steps_beyond_all_measure_falls_back_to_the_mean(ordinary, name):
    prediction, diagnostics = ask(f"{name}[step=1e300, halvings=0]", ordinary)
    assert (diagnostics["diverged"], diagnostics["fallback_to_mean"]) == (4, 4)
    assert diagnostics["selected_iterations"] == [0] * 4
    np.testing.assert_allclose(prediction.mean(), ordinary.train_targets.mean(), rtol=1e-12)
    assert prediction.variance()[0] == pytest.approx(ordinary.train_targets.var(), rel=0.5)


@pytest.mark.parametrize("name", BATCH)
def test_descent_that_diverges_later_keeps_its_best_network(ordinary, name):
    _, diagnostics = ask(f"{name}[step=1e80, halvings=0]", ordinary)
    assert diagnostics["diverged"] == 4
    assert max(diagnostics["iterations"]) < 150
    assert diagnostics["selected_iterations"] == [1] * 4
    assert "fallback_to_mean" not in diagnostics


def test_conjugate_gradient_from_an_infinite_error_falls_back_to_the_mean(ordinary):
    prediction, diagnostics = ask("mlp-ese-1[start=1e200]", ordinary)
    assert diagnostics["fallback_to_mean"] == diagnostics["networks"] == 4
    targets = ordinary.train_targets
    assert targets.min() < prediction.mean()[0] < targets.max()
    assert np.ptp(prediction.mean()) < 1e-12


@pytest.fixture
def chain_answer(ordinary):
    """The answer of the network of mlp-mc-2 after a short chain with some of the schedule changed."""

    def answer(instance=ordinary, **changes):
        schedule = replace(constants.schedule(), **({"passes": 600} | changes))
        return predict.answer(
            constants.model(relevance=True, direct=True), schedule, instance, generator(4)
        )

    return answer


def test_a_chain_that_never_moves_falls_back_to_the_mean(chain_answer, ordinary):
    prediction, diagnostics = chain_answer(factor=1e200, start_factor=1e200)
    assert (diagnostics["acceptance"], diagnostics["fallback_to_mean"]) == (0.0, 1)
    assert diagnostics["diverged"] > 0
    assert diagnostics["step_halvings"] > 0
    np.testing.assert_allclose(prediction.mean(), ordinary.train_targets.mean(), rtol=1e-12)
    np.testing.assert_allclose(prediction.variance(), ordinary.train_targets.var(), rtol=1e-12)


def test_step_sizes_too_long_at_first_are_halved_until_the_chain_moves(chain_answer):
    _, diagnostics = chain_answer(factor=50.0, start_factor=50.0, passes=20_000)
    assert diagnostics["step_halvings"] >= 2
    assert diagnostics["acceptance"] > 0.3
    assert "fallback_to_mean" not in diagnostics


def test_outputs_beyond_all_numbers_fall_back_to_the_mean(chain_answer, ordinary):
    far = replace(
        ordinary,
        train_targets=30 * ordinary.train_targets,
        test_inputs=np.diag([1.7e308] * 3),
        case_ids=np.arange(3),
    )
    prediction, diagnostics = chain_answer(far, passes=3000)
    assert diagnostics["fallback_to_mean"] == 1
    assert diagnostics["acceptance"] > 0.5
    np.testing.assert_allclose(prediction.mean(), far.train_targets.mean(), rtol=1e-12)


def test_a_sampler_that_never_moves_stays_at_the_most_probable_hyperparameters(
    monkeypatch, ordinary
):
    monkeypatch.setattr(
        gaussian_processes, "move", lambda energy, state, *rest: (state, 0.0, False)
    )
    prediction, diagnostics = ask("gp-mc-1", ordinary)
    assert (diagnostics["acceptance"], diagnostics["fallback_to_one_state"]) == (0.0, 1)
    assert diagnostics["diverged"] == diagnostics["trajectories"]
    best = methods.answer(methods.get("gp-map-1"), ordinary, generator(3, "gp-mc-1"))[0]
    np.testing.assert_allclose(prediction.mean(), best.mean(), rtol=1e-9)


def test_covariances_that_cannot_be_factorised_say_so(rng):
    posterior = HyperparameterPosterior(rng.normal(size=(6, 2)), rng.normal(size=6))
    assert posterior.evidence(np.full(5, np.nan))[0] == -np.inf
    with pytest.raises(BenchbookError, match=r"cannot be factorised.*look for inputs"):
        posterior.predict(np.full(5, np.nan), np.zeros((1, 2)))
    posterior.predict(np.array([0.0, 0.0, 0.0, 0.0, -50.0]), np.zeros((1, 2)))
    assert posterior.jitter == 0.0


def test_jitter_is_told_when_it_was_needed(rng):
    """A slope of 1e12 leaves nothing of a noise of 1e-6 in double precision."""
    twice = np.repeat(rng.normal(size=(10, 2)), 2, axis=0)
    posterior = HyperparameterPosterior(twice, rng.normal(size=20))
    posterior.predict(np.array([0.0, 0.0, 0.0, np.log(1e11), -50.0]), np.zeros((1, 2)))
    assert posterior.jitter > 0.0


def test_least_squares_with_too_few_cases_falls_back_to_ridge(hard):
    assert ask("lin-1", hard("five cases"))[1] == {"fallback_to_ridge": 1}
    assert ask("lin-1", hard("200 inputs"))[1] == {"fallback_to_ridge": 1}


def test_figures_have_four_digits_and_are_numbers():
    assert rounded(np.pi * 1e-9) == 3.142e-9
    assert [rounded(value) for value in (np.nan, np.inf, -np.inf)] == [0.0, 1e6, -1e6]
    assert listed([1.23456, 2.0]) == [1.235, 2.0]
    assert listed(np.ones(101)) == []
