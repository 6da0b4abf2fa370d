"""What is lost of a distribution that is stated by quantiles, and its mean by integration."""

import numpy as np
import pytest

from benchbook.predictive import Gaussian, Quantiles, StudentT


def test_levels_are_evenly_spread_and_quantiles_are_the_truth_s(page):
    output = page.described(Gaussian([1.0], [4.0]), 3)
    assert output.level.tolist() == pytest.approx([0.25, 0.5, 0.75])
    assert output.cdf([1.0])[0] == pytest.approx(0.5)


def test_the_price_of_another_gaussian_is_its_divergence(page):
    truth, other = Gaussian([0.0], [1.0]), Gaussian([0.5], [4.0])
    exact = 0.5 * (np.log(4.0) + (1 + 0.25) / 4 - 1)
    assert page.price(truth, other, "NLPD") == pytest.approx(exact, abs=1e-3)
    assert page.price(truth, truth, "CRPS") == 0.0


def test_more_quantiles_of_a_gaussian_cost_less(page):
    paid = page.prices({"gaussian": Gaussian([0.0], [1.0])}, (3, 9, 40), ("NLPD", "CRPS"))
    assert (paid["NLPD"].diff().drop_nulls() < 0).all()
    assert (paid["CRPS"] > 0).all()


def test_the_integral_is_the_corrected_mean(chapter, page):
    mean = chapter("uncertainty/challenge_equations").mean
    level, value = np.array([0.1, 0.3, 0.8]), np.array([-1.0, 0.0, 5.0])
    assert page.integrated_mean(level, value) == pytest.approx(mean(level, value), abs=1e-7)
    seldom = np.array([0.45, 0.5, 0.55])  # far more of it outside, and so reaching far
    assert page.integrated_mean(seldom, value) == pytest.approx(mean(seldom, value), abs=1e-7)
    assert Quantiles(level, [value]).mean()[0] == pytest.approx(mean(level, value), rel=1e-12)


def test_the_ranks_reach_into_tails_that_have_a_share_in_the_variance(page):
    """Twenty thousand evenly spread ranks make 2.89 of the variance 3 of t(3)."""
    rank, weight = page.ranks()
    values = StudentT([0.0], [1.0], 3.0).quantile(rank)[0]
    assert weight @ values**2 == pytest.approx(3.0, abs=0.001)
    assert weight @ values == pytest.approx(0.0, abs=1e-3)
    assert weight.sum() == pytest.approx(1.0)
