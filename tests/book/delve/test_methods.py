"""Watching methods for the relevance of inputs: the truth by known functions, the traces by the methods themselves."""

import math
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook import tasks
from benchbook.errors import FaultyInput
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.model import draw_chain
from benchbook.methods.networks.bayesian.runs import Update
from benchbook.methods.networks.early_stopping import BatchDescent
from benchbook.methods.networks.relevance import relevance_trace
from benchbook.seeds import generator


@pytest.fixture(scope="module")
def instance():
    return tasks.instance("kin-8nm-sim/dist/std.64", 0)


@pytest.fixture(scope="module")
def chain(page, instance):
    return page.chain(instance, 1500, generator(1, "chain"))


def test_truth_of_a_simulated_dataset(page):
    truth = page.truth("pumadyn-8nm-sim", generator(1, "truth"), 1000)
    assert truth["input"].to_list() == list(
        page.names(tasks.instance("pumadyn-8nm-sim/accel/std.64", 0))
    )
    assert set(truth.sort("share")["input"].tail(2)) == {"theta2", "theta3"}
    assert truth["share"].is_between(0, 1).all()


def test_factors_are_those_of_the_method(page, instance):
    four = page.networks(instance, BatchDescent(), generator(1, "networks"))
    whole = relevance_trace(instance, generator(1, "networks"))
    for number, net in enumerate(four, start=1):
        ours = page.factor_trace(instance, net, BatchDescent(), "p")
        theirs = whole.filter(network=number)
        np.testing.assert_array_equal(ours["value"], theirs["factor"])
        np.testing.assert_array_equal(ours["passes"], theirs["iteration"])
        assert ours["input"].to_list() == theirs["attribute"].to_list()


def test_a_shortened_schedule_ends_where_it_is_asked_to(page):
    assert page.shortened(100).saves == tuple(s for s in BatchDescent().saves if s <= 100)


def test_sigma_trace_is_taken_from_the_run(page, instance, chain):
    trace = page.sigma_trace(instance, chain, "p")
    assert trace["passes"].is_in(chain.passes.tolist()).all()
    assert trace["passes"].max() == chain.passes[-1]
    end = trace.filter(passes=chain.passes[-1])
    assert end["input"].to_list() == page.names(instance)
    np.testing.assert_array_equal(end["value"], chain.sigma[-1, :8])


def test_trajectories_of_short_steps_are_accepted_and_of_long_ones_not(page, instance, chain):
    model = constants.model(relevance=True, direct=False)
    result = page.acceptance(
        model,
        chain,
        instance.train_inputs,
        instance.train_targets,
        (0.02, 5.0),
        (1, 3),
        generator(1, "shares"),
        trajectories=40,
    )
    shares = {
        (line["factor"], line["window"]): line["accepted"] for line in result.iter_rows(named=True)
    }
    assert shares[0.02, 1] > 0.95
    assert shares[0.02, 3] > 0.95
    assert shares[5.0, 1] == shares[5.0, 3] == 0.0
    assert result["standard_error"][2] == pytest.approx((0.5 / 41 * 40.5 / 41 / 40) ** 0.5)


def test_only_the_weights_move(page, instance, chain, monkeypatch):
    """The steps of the measurement hold no update of a hyperparameter."""
    requested = []
    monkeypatch.setattr(
        page, "perform", lambda *updates: requested.extend(updates) or (lambda at: None)
    )
    monkeypatch.setattr(
        page,
        "_position",
        lambda *_: SimpleNamespace(tally=SimpleNamespace(accepted=[1.0], trials=[2.0])),
    )
    result = page.acceptance(
        constants.model(relevance=True, direct=False),
        chain,
        instance.train_inputs,
        instance.train_targets,
        (0.3,),
        (4,),
        generator(1),
    )
    assert requested == [Update("refresh"), Update("trajectory", steps=20, window=4, factor=0.3)]
    assert result["accepted"].to_list() == [0.5]


@pytest.mark.parametrize(("text", "sources"), [("0.05:0.5", 1), ("x0.2:0.5:1", 32), ("0.1:4", 7)])
def test_quantiles_are_those_of_the_precision(page, text, sources):
    """The probability of a smaller standard deviation, by the distribution function of the precision."""
    from benchbook.methods.networks.bayesian.priors import Prior

    prior = Prior.parse(text)
    scale = 2.0 * prior.mean_precision(sources) / prior.group
    for level, sd in zip((0.05, 0.5, 0.95), page.sd_quantiles(text, sources), strict=True):
        assert stats.gamma.sf(sd**-2.0, prior.group / 2, scale=scale) == pytest.approx(level)


def test_a_wider_prior_has_all_quantiles_wider_in_proportion(page):
    narrow, wide = (np.array(page.sd_quantiles(text, 5)) for text in ("0.05:0.5", "0.15:0.5"))
    np.testing.assert_allclose(wide, 3.0 * narrow)


def test_a_fixed_width_is_its_own_quantile(page):
    assert page.sd_quantiles("0.3", 4) == [pytest.approx(0.3)] * 3
    draws = page.sd_draws("0.3::1", 4, 3, generator(1))
    assert draws.filter(level="group")["sd"].to_list() == pytest.approx([0.3] * 3)


def test_the_model_draws_from_the_same_distribution(page):
    model = constants.model(relevance=True, direct=False)
    rng = generator(1, "model")
    chains = [draw_chain(model, 32, rng) for _ in range(400)]
    exact = page.sd_quantiles("x0.2:0.5:1", 32, np.linspace(0.01, 0.99, 99))
    below = np.searchsorted(exact, [chain.upper[0] ** -0.5 for chain in chains]) / 100
    assert stats.kstest(below, "uniform").pvalue > 0.001
    wrong = (
        np.searchsorted(
            page.sd_quantiles("x0.4:0.5:1", 32, np.linspace(0.01, 0.99, 99)),
            [chain.upper[0] ** -0.5 for chain in chains],
        )
        / 100
    )
    assert stats.kstest(wrong, "uniform").pvalue < 0.001


def test_inputs_vary_about_their_group_as_the_last_number_says(page):
    draws = page.sd_draws("x0.2:0.5:1", 200, 20, generator(1, "draws"))
    group = draws.filter(level="group").select("draw", group="sd")
    ratio = (
        draws.filter(level="input")
        .join(group, on="draw")
        .select((pl.col("group") / pl.col("sd")) ** 2)
        .to_series()
    )
    assert ratio.len() == 4000
    assert stats.kstest(ratio.to_numpy(), stats.gamma(0.5, scale=2.0).cdf).pvalue > 0.001
    assert stats.kstest(ratio.to_numpy(), stats.gamma(1.0, scale=1.0).cdf).pvalue < 1e-6


def test_one_network_from_each_range_of_the_prior(page):
    groups = page.sd_draws("0.05:0.5", 1, 10, generator(1))["sd"].to_list()
    edges = [0.0, *page.sd_quantiles("0.05:0.5", 1, [k / 10 for k in range(1, 10)]), math.inf]
    assert all(
        low <= sd <= high for low, sd, high in zip(edges[:-1], groups, edges[1:], strict=True)
    )


def test_a_prior_of_one_level_has_no_inputs_of_its_own_and_a_bad_one_is_refused(page):
    assert set(page.sd_draws("0.05:0.5", 8, 3, generator(1), "label")["level"]) == {"group"}
    assert set(page.sd_draws("0.05:0.5", 8, 3, generator(1), "label")["prior"]) == {"label"}
    with pytest.raises(FaultyInput, match="width"):
        page.sd_draws("wide", 8, 3, generator(1))
