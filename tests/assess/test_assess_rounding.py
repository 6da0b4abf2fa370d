"""Losses that differ by rounding alone are equal in every rank test and every comparison."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import assess
from benchbook.assess.proben1.two_samples import mann_whitney, welch
from benchbook.assess.rank_tests import rank_tests, signed_ranks
from benchbook.assess.resampling import corrected_resampled_t, five_by_two_t
from benchbook.statistics import difference, level, same

NOISE = 1.0 + 1e-15 * np.arange(60).reshape(20, 3)


def test_constants_that_rounding_moved_are_one_rank():
    result = rank_tests(NOISE)
    assert (result.p, result.chi_square) == (None, None)
    assert result.mean_rank.tolist() == [2.0, 2.0, 2.0]
    assert np.isnan(result.wilcoxon).all()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_ranks_are_those_without_the_rounding(scale):
    rng = np.random.default_rng(4)
    whole = rng.integers(1, 4, (15, 4)).astype(float)
    moved = whole * (1.0 + 1e-15 * rng.normal(size=whole.shape)) * scale
    clean, noisy = rank_tests(whole), rank_tests(moved)
    assert np.array_equal(clean.mean_rank, noisy.mean_rank)
    assert clean.p == noisy.p
    assert np.array_equal(clean.wilcoxon, noisy.wilcoxon, equal_nan=True)


def test_differences_of_one_size_share_their_rank():
    tenths = [0.1, -(0.3 - 0.2), 0.4 - 0.3, 0.7 - 0.6, 2.0]
    assert signed_ranks(tenths) == signed_ranks([0.1, -0.1, 0.1, 0.1, 2.0])


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, -3.0, np.inf, -np.inf]), min_size=1, max_size=12))
def test_level_values_are_equal_where_they_should_be_and_nowhere_else(values):
    given_values = np.array(values)
    with np.errstate(invalid="ignore"):
        moved = np.where(np.isfinite(given_values), given_values * (1 + 3e-16), given_values)
    both = np.concatenate([given_values, moved])
    levelled = level(both)
    assert len(np.unique(levelled)) == len(np.unique(given_values))
    assert same(levelled, both).all()


def test_what_differs_by_more_stays_apart():
    assert len(np.unique(level([1.0, 1.0 + 1e-11, 1.0 + 3e-11]))) == 3
    assert difference([1.0, np.inf], [1.0 + 1e-15, np.inf]).tolist() == [0.0, 0.0]
    assert difference([1.0], [1.0 + 1e-9])[0] != 0.0
    assert np.isnan(difference([np.nan], [1.0]))[0]


def test_tests_of_means_see_no_spread_in_rounding():
    gaps = 0.1 + 1e-17 * np.arange(10) + np.array([0.0, 1.4e-17] * 5)
    assert corrected_resampled_t(gaps, 0.1).p is None
    assert five_by_two_t(np.full((5, 2), 0.3) + 1e-17).p is None
    assert welch([0.1 + 0.2, 0.3], [0.7 - 0.3, 0.4]).p is None
    assert mann_whitney([0.3] * 5, [0.1 + 0.2] * 5).statistic == 0.0


@pytest.mark.parametrize("scheme", ["common", "hierarchical"])
def test_in_the_analysis_of_variance_they_are_alike(scheme):
    losses = np.random.default_rng(5).normal(size=(4, 6)) ** 2
    result = assess.compare(losses, losses * (1.0 + 2e-16), scheme)
    assert result.p is None
    assert result.reason == "both methods have the same loss in every case"
