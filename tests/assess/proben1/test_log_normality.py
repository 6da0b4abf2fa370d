"""The test of normality is scipy's, and outliers are removed as the rules say and no further."""

import numpy as np
import pytest
from scipy import stats

from benchbook.assess.proben1 import removal_order, shapiro, without_outliers
from benchbook.assess.proben1.lognormal import trim
from benchbook.errors import FaultyInput


@pytest.mark.parametrize("count", [6, 11, 12, 60, 400])
def test_it_is_scipys_test_on_samples_that_are_not_normal(rng, count):
    samples = rng.gamma(2.0, size=(30, count))
    result = shapiro(samples)
    wanted = [stats.shapiro(sample) for sample in samples]
    assert result.statistic == pytest.approx([item.statistic for item in wanted], abs=1e-8)
    assert result.p == pytest.approx([item.pvalue for item in wanted], abs=1e-7)


def test_scale_and_order_do_not_matter_and_a_constant_sample_has_no_statistic(rng):
    sample = rng.normal(size=20)
    assert shapiro(5.0 - 3.0 * sample[::-1]).p == pytest.approx(shapiro(sample).p)
    assert np.isnan(shapiro(np.full(20, 2.5)).p)
    with pytest.raises(FaultyInput, match="5 values"):
        shapiro(np.arange(5.0))


def test_normal_samples_are_rejected_as_often_as_the_level_says(rng):
    share = (shapiro(rng.normal(size=(4000, 60))).p < 0.05).mean()
    assert share == pytest.approx(0.05, abs=0.012)


def test_two_runs_that_diverged_are_removed_and_nothing_else(rng):
    errors = np.exp(0.1 * rng.standard_normal(60))
    errors[[4, 31]] = 9.0, 7.0
    cleaned = without_outliers(errors)
    assert (cleaned.low, cleaned.high, cleaned.removed) == (0, 2, 2)
    assert cleaned.normal
    assert cleaned.kept.tolist() == sorted(errors)[:-2]


def test_an_outlier_below_is_removed_at_its_end():
    scores = stats.norm.ppf((np.arange(1, 60) - 0.5) / 59)
    cleaned = without_outliers(np.exp(np.append(0.1 * scores, -2.0)))
    assert (cleaned.low, cleaned.high) == (1, 0)


def test_a_log_normal_sample_is_left_alone(rng):
    errors = np.exp(3.0 + 0.2 * stats.norm.ppf((np.arange(1, 61) - 0.5) / 60))
    cleaned = without_outliers(rng.permutation(errors))
    assert cleaned.removed == 0
    assert cleaned.normal
    assert cleaned.kept == pytest.approx(np.sort(errors))


def test_where_ten_per_cent_are_not_enough_nothing_is_removed():
    errors = np.concatenate([np.linspace(1.0, 1.1, 45), np.linspace(9.0, 9.9, 15)])
    cleaned = without_outliers(errors)
    assert not cleaned.normal
    assert cleaned.removed == 0
    assert len(cleaned.kept) == 60


@pytest.mark.parametrize(("runs", "limit"), [(9, 0), (10, 1), (60, 6)])
def test_never_more_than_a_tenth(rng, runs, limit):
    logs = rng.standard_t(1.5, size=(200, runs))
    result = trim(logs)
    removed = runs - (result.high - result.low)
    assert removed.max() == limit


def test_many_samples_at_once_are_each_as_alone(rng):
    logs = 0.1 * rng.standard_t(2, size=(40, 30))
    result = trim(logs)
    for k in range(40):
        alone = without_outliers(np.exp(logs[k]))
        assert (result.low[k], 30 - result.high[k]) == (alone.low, alone.high)
        assert result.p[k] == pytest.approx(alone.p)


def test_errors_without_a_logarithm_are_named_all_together():
    with pytest.raises(FaultyInput) as caught:
        without_outliers([1.0, 0.0, 2.0, np.nan, 3.0, 4.0, -1.0])
    assert [fault.where for fault in caught.value.faults] == ["run 1", "run 3", "run 6"]


def test_runs_go_in_the_order_in_which_they_are_far():
    errors = np.exp([0.0, 0.1, -0.1, 3.0, -1.0, 0.05])
    places = removal_order(errors)
    assert places[[3, 4]].tolist() == [1, 2]
    assert sorted(places) == [1, 2, 3, 4, 5, 6]


def test_the_order_is_that_of_the_removal(rng):
    for _ in range(20):
        errors = np.exp(0.1 * rng.standard_t(1.5, size=40))
        cleaned = without_outliers(errors)
        selected = errors[removal_order(errors) > cleaned.removed]
        assert np.sort(selected) == pytest.approx(cleaned.kept)
