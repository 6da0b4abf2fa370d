"""Watching methods for the relevance of inputs: the truth by known functions, the traces by the methods themselves."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchbook import tasks
from benchbook.methods.bayes.updates import Update
from benchbook.methods.networks import BatchDescent
from benchbook.methods.networks_relevance import relevance_trace
from benchbook.pages import relevance, trajectories
from benchbook.seeds import generator


def uniform(cases, rng):
    return rng.uniform(-1, 1, (cases, 3))


@pytest.fixture(scope="module")
def instance():
    return tasks.instance("kin-8nm-sim/dist/std.64", 0)


@pytest.fixture(scope="module")
def chain(instance):
    return relevance.chain(instance, 1500, generator(1, "chain"))


@pytest.mark.parametrize(("function", "expected"), [
    (lambda x: 2.0 * x[:, 0] + x[:, 1], [0.8, 0.2, 0.0]),  # variances 4 : 1
    (lambda x: x[:, 0] * x[:, 1], [1.0, 1.0, 0.0]),  # nothing is left without either
    (lambda x: x[:, 0] + np.sqrt(3.0) * x[:, 1] * x[:, 2], [0.5, 0.5, 0.5]),
])
def test_total_effects_of_functions_whose_variance_is_known(function, expected):
    found = relevance.total_effects(uniform, function, generator(1, "effects"), cases=20_000)
    np.testing.assert_allclose(found, expected, atol=0.03)


def test_total_effects_do_not_see_unit_or_origin():
    plain, moved = (relevance.total_effects(uniform, lambda x, a=a, b=b: a * np.sin(x[:, 0] + x[:, 1]) + b,
                                            generator(1, "same"), 500) for a, b in ((1.0, 0.0), (-7.0, 100.0)))
    np.testing.assert_allclose(plain, moved, atol=1e-12)
    assert plain[2] == 0.0


def test_truth_of_a_simulated_dataset():
    truth = relevance.truth("pumadyn-8nm-sim", generator(1, "truth"), 1000)
    assert truth["input"].to_list() == list(relevance.names(tasks.instance("pumadyn-8nm-sim/accel/std.64", 0)))
    assert set(truth.sort("share")["input"].tail(2)) == {"theta2", "theta3"}
    assert truth["share"].is_between(0, 1).all()


def test_factors_are_those_of_the_method(instance):
    """``relevance_trace`` trains the whole schedule; the shortened one is the beginning of the same."""
    settings = relevance.shortened(100)
    four = relevance.networks(instance, settings, generator(1, "networks"))
    assert settings.saves == tuple(save for save in BatchDescent().saves if save <= 100)
    whole = relevance_trace(instance, generator(1, "networks"))
    for number, net in enumerate(four, start=1):
        ours = relevance.factor_trace(instance, net, settings, "p")
        theirs = whole.filter(network=number).filter(whole.filter(network=number)["iteration"] <= 100)
        np.testing.assert_array_equal(ours["value"], theirs["factor"])
        np.testing.assert_array_equal(ours["passes"], theirs["iteration"])
        assert ours["input"].to_list() == theirs["attribute"].to_list()


def test_sigma_trace_is_taken_from_the_run(instance, chain):
    trace = relevance.sigma_trace(instance, chain, "p")
    assert trace["passes"].is_in(chain.passes.tolist()).all()
    assert trace["passes"].max() == chain.passes[-1]
    end = trace.filter(passes=chain.passes[-1])
    assert end["input"].to_list() == relevance.names(instance)
    np.testing.assert_array_equal(end["value"], chain.sigma[-1, :8])


def test_trajectories_of_short_steps_are_accepted_and_of_long_ones_not(instance, chain):
    from benchbook.methods.bayes import constants

    model = constants.model(relevance=True, direct=False)
    found = trajectories.acceptance(model, chain, instance.train_inputs, instance.train_targets, (0.02, 5.0), (1, 3),
                                    generator(1, "shares"), trajectories=40)
    shares = {(line["factor"], line["window"]): line["accepted"] for line in found.iter_rows(named=True)}
    assert shares[0.02, 1] > 0.95
    assert shares[0.02, 3] > 0.95
    assert shares[5.0, 1] == shares[5.0, 3] == 0.0
    assert found["standard_error"][2] == pytest.approx((0.5 / 41 * 40.5 / 41 / 40) ** 0.5)


def test_only_the_weights_move(instance, chain, monkeypatch):
    """The steps of the measurement hold no update of a hyperparameter."""
    from benchbook.methods.bayes import constants

    asked = []
    monkeypatch.setattr(trajectories, "perform", lambda *updates: asked.extend(updates) or (lambda at: None))
    monkeypatch.setattr(trajectories, "_position", lambda *_: SimpleNamespace(tally=SimpleNamespace(
        accepted=[1.0], trials=[2.0])))
    found = trajectories.acceptance(constants.model(relevance=True, direct=False), chain, instance.train_inputs,
                                    instance.train_targets, (0.3,), (4,), generator(1))
    assert asked == [Update("refresh"), Update("trajectory", steps=20, window=4, factor=0.3)]
    assert found["accepted"].to_list() == [0.5]
