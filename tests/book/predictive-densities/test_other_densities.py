"""Six factors for a doubtful slope, and their chart."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook.assess.densities import log_marginal_by_powers, power_ladder


@pytest.fixture(scope="module")
def factors(page):
    return page.widened([0.0, 2.0, 3.0], *page.doubtful_slope(12))


def test_the_slope_has_the_statistic_it_was_asked_for(page):
    inputs, targets = page.doubtful_slope(20, 2.5)
    result = stats.linregress(inputs[:, 1], targets)
    assert result.slope / result.stderr == pytest.approx(2.5)


def test_only_the_prior_factor_follows_the_width(factors, page):
    wide = factors.filter(pl.col("exponent") >= 2.0)
    moved = {
        name: float(np.ptp(wide.filter(factor=name)["log_factor"].to_numpy()))
        for name in page.FACTORS
    }
    assert moved.pop("prior") == pytest.approx(np.log(10.0), abs=0.01)
    assert max(moved.values()) < 0.02


def test_factors_are_logarithms_of_what_they_say(page):
    """At a prior so narrow that there is no slope, no factor sees a difference."""
    assert list(page.log_factors(1e-6, *page.doubtful_slope(8)).values()) == pytest.approx(
        [0.0] * 6, abs=1e-6
    )


def test_shares_of_worlds(page):
    steep = page.preferred(10.0, 4, 8.0)
    assert list(steep) == [name for name in page.FACTORS if name != "intrinsic"]
    assert set(steep.values()) == {1.0}


def test_sampled_factors_agree_with_the_exact_ones(rng, page):
    x, y = page.doubtful_slope()
    result = page.sampled_factors(10.0, x, y, 500, rng)
    exact, named = page.log_factors(10.0, x, y, intrinsic=False), result.head(3)
    assert named["exact"].to_list() == pytest.approx([exact[name] for name in named["factor"]])
    assert ((result["stepping_stone"] - result["exact"]).abs() < 4.0 * result["error"]).all()
    assert (result["thermodynamic"] - result["exact"]).abs().max() < 0.6


def test_walks_find_what_the_formula_says(rng, page):
    """Dependent draws of somebody else's sampler; and another noise, at 200 degrees of freedom almost the same."""
    x, y = page.doubtful_slope()
    powers = power_ladder(20)
    exact = page.line(10.0).log_marginal(x, y)
    for freedom, slack in ((np.inf, 0.0), (200.0, 0.1)):
        result = log_marginal_by_powers(
            powers, page.power_walks(10.0, freedom, x, y, powers, 3000, rng)
        )
        assert abs(result.log_marginal - exact) < 4.0 * result.standard_error + slack < 1.2


def test_draws_of_a_power_posterior_have_its_log_likelihoods(page, rng):
    """At power 0 those of the prior, and at power 1 those of the posterior, by the normal density."""
    x, y = page.doubtful_slope(6)
    model = page.line(2.0)
    prior, posterior = page.power_draws(model, x, y, [0.0, 1.0], 4000, rng)
    for values, source in ((prior, model), (posterior, model.given(x, y))):
        weights, variance = source.draws(4000, rng)
        own = stats.norm.logpdf(y, weights @ x.T, np.sqrt(variance)[:, None]).sum(axis=1)
        expected = np.quantile(own, [0.2, 0.5])
        assert np.quantile(values, [0.2, 0.5]) == pytest.approx(expected, rel=0.1)
    assert np.median(prior) < np.median(posterior) - 1.0


def test_drawn(factors, page):
    page.widening_prior(factors, "line", "constant", 2.0)
