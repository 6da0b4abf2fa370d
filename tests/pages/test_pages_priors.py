"""Draws from priors for a picture: against the exact distribution and against the model's own draws."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook.errors import FaultyInput
from benchbook.methods.bayes import constants
from benchbook.methods.bayes.model import draw_chain
from benchbook.pages.priors import sd_draws, sd_quantiles
from benchbook.seeds import generator


@pytest.mark.parametrize(("text", "sources"), [("0.05:0.5", 1), ("x0.2:0.5:1", 32), ("0.1:4", 7)])
def test_quantiles_are_those_of_the_precision(text, sources):
    """The probability of a smaller standard deviation, by the distribution function of the precision."""
    from benchbook.methods.bayes.priors import Prior

    prior = Prior.parse(text)
    scale = 2.0 * prior.mean_precision(sources) / prior.group
    for level, sd in zip((0.05, 0.5, 0.95), sd_quantiles(text, sources), strict=True):
        assert stats.gamma.sf(sd**-2.0, prior.group / 2, scale=scale) == pytest.approx(level)


def test_a_wider_prior_has_all_quantiles_wider_in_proportion():
    narrow, wide = (np.array(sd_quantiles(text, 5)) for text in ("0.05:0.5", "0.15:0.5"))
    np.testing.assert_allclose(wide, 3.0 * narrow)


def test_a_fixed_width_is_its_own_quantile():
    assert sd_quantiles("0.3", 4) == [pytest.approx(0.3)] * 3
    draws = sd_draws("0.3::1", 4, 3, generator(1))
    assert draws.filter(level="group")["sd"].to_list() == pytest.approx([0.3] * 3)


def test_the_model_draws_from_the_same_distribution():
    model = constants.model(relevance=True, direct=False)
    rng = generator(1, "model")
    chains = [draw_chain(model, 32, rng) for _ in range(400)]
    exact = sd_quantiles("x0.2:0.5:1", 32, np.linspace(0.01, 0.99, 99))
    below = np.searchsorted(exact, [chain.upper[0] ** -0.5 for chain in chains]) / 100
    assert stats.kstest(below, "uniform").pvalue > 0.001
    wrong = np.searchsorted(sd_quantiles("x0.4:0.5:1", 32, np.linspace(0.01, 0.99, 99)),
                            [chain.upper[0] ** -0.5 for chain in chains]) / 100
    assert stats.kstest(wrong, "uniform").pvalue < 0.001


def test_inputs_vary_about_their_group_as_the_last_number_says():
    draws = sd_draws("x0.2:0.5:1", 200, 20, generator(1, "draws"))
    group = draws.filter(level="group").select("draw", group="sd")
    ratio = draws.filter(level="input").join(group, on="draw").select((pl.col("group") / pl.col("sd")) ** 2).to_series()
    assert ratio.len() == 4000
    assert stats.kstest(ratio.to_numpy(), stats.gamma(0.5, scale=2.0).cdf).pvalue > 0.001
    assert stats.kstest(ratio.to_numpy(), stats.gamma(1.0, scale=1.0).cdf).pvalue < 1e-6


def test_one_network_from_each_range_of_the_prior():
    groups = sd_draws("0.05:0.5", 1, 10, generator(1))["sd"].to_list()
    edges = [0.0, *sd_quantiles("0.05:0.5", 1, [k / 10 for k in range(1, 10)]), math.inf]
    assert all(low <= sd <= high for low, sd, high in zip(edges[:-1], groups, edges[1:], strict=True))


def test_a_prior_of_one_level_has_no_inputs_of_its_own_and_a_bad_one_is_refused():
    assert set(sd_draws("0.05:0.5", 8, 3, generator(1), "label")["level"]) == {"group"}
    assert set(sd_draws("0.05:0.5", 8, 3, generator(1), "label")["prior"]) == {"label"}
    with pytest.raises(FaultyInput, match="width"):
        sd_draws("wide", 8, 3, generator(1))
