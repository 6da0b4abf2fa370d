"""Tests of two samples against scipy, against the formula, and against each other."""

import numpy as np
import pytest
from scipy import special, stats

from benchbook.assess.proben1 import bootstrap_interval, cochran_cox, mann_whitney, welch
from benchbook.assess.proben1.two_samples import cochran_cox_critical
from benchbook.errors import FaultyInput


def samples(rng, first=60, second=60):
    return rng.normal(0.0, 1.0, first), rng.normal(0.3, 3.0, second)


def test_equal_counts_give_students_law_with_one_less(rng):
    x, y = samples(rng, 25, 25)
    result = cochran_cox(x, y)
    wanted = stats.ttest_ind(x, y, equal_var=False)
    assert result.statistic == pytest.approx(wanted.statistic)
    assert result.p == pytest.approx(2.0 * special.stdtr(24, -abs(wanted.statistic)))


@pytest.mark.parametrize(("first", "second"), [(5, 60), (60, 54), (9, 10)])
def test_p_solves_the_equation_of_cochran_and_cox(rng, first, second):
    x, y = samples(rng, first, second)
    result = cochran_cox(x, y)
    weights = x.var(ddof=1) / first, y.var(ddof=1) / second
    critical = [stats.t.isf(result.p / 2, count - 1) for count in (first, second)]
    assert abs(result.statistic) == pytest.approx(np.average(critical, weights=weights), rel=1e-8)
    ends = [2 * stats.t.sf(abs(result.statistic), count - 1) for count in (first, second)]
    assert min(ends) <= result.p <= max(ends)


def test_exchange_changes_the_sign_and_scale_changes_nothing(rng):
    x, y = samples(rng, 12, 40)
    result, other = cochran_cox(x, y), cochran_cox(10.0 * y + 3.0, 10.0 * x + 3.0)
    assert other.statistic == pytest.approx(-result.statistic)
    assert other.p == pytest.approx(result.p)
    assert other.difference == pytest.approx(-10.0 * result.difference)


def test_welch_is_never_more_cautious(rng):
    for _ in range(20):
        x, y = samples(rng, 8, 15)
        assert welch(x, y).p <= cochran_cox(x, y).p + 1e-12


def test_a_far_difference_has_a_tiny_p_and_no_fault():
    x = np.array([1.0, 1.0001, 0.9999, 1.0002] * 10)
    assert 0.0 <= cochran_cox(x, x[:30] + 1000.0).p < 1e-100


def test_samples_that_do_not_vary_have_no_p():
    result = cochran_cox([2.0, 2.0, 2.0], [3.0, 3.0])
    assert (result.difference, result.p) == (-1.0, None)
    assert "no run differs" in result.reason
    assert welch([2.0, 2.0], [2.0, 2.0]).p is None


def test_critical_value_of_equal_counts_does_not_depend_on_the_weights():
    values = cochran_cox_critical(0.1, (np.array([1.0, 5.0]), np.array([3.0, 0.1])), (60, 60))
    assert values == pytest.approx([stats.t.isf(0.05, 59)] * 2)


def test_ranks_are_scipys_and_deaf_to_any_increasing_function(rng):
    x, y = np.exp(samples(rng, 20, 30)[0]), np.exp(samples(rng, 20, 30)[1])
    result, logs = mann_whitney(x, y), mann_whitney(np.log(x), np.log(y))
    assert result.p == pytest.approx(stats.mannwhitneyu(x, y).pvalue)
    assert logs.p == pytest.approx(result.p)
    share = (x[:, None] > y[None, :]).mean() - 0.5
    assert result.statistic == pytest.approx(share)


def test_bootstrap_interval_is_near_the_normal_one_and_that_of_the_ratio_is_the_logs(rng):
    x, y = rng.normal(10.0, 1.0, 200), rng.normal(9.0, 2.0, 200)
    result = bootstrap_interval(x, y, rng, draws=8000)
    half = 1.645 * np.sqrt(x.var(ddof=1) / 200 + y.var(ddof=1) / 200)
    assert (result.low, result.high) == pytest.approx(
        (result.estimate - half, result.estimate + half), abs=0.02
    )
    ratio = bootstrap_interval(np.exp(x), np.exp(y), np.random.default_rng(3), ratio=True)
    logs = bootstrap_interval(x, y, np.random.default_rng(3))
    assert np.log([ratio.estimate, ratio.low, ratio.high]) == pytest.approx(
        [logs.estimate, logs.low, logs.high]
    )


def test_bootstrap_is_scipys(rng):
    x, y = rng.gamma(2.0, size=40), rng.gamma(2.0, size=30)
    result = bootstrap_interval(x, y, rng, draws=20_000)
    wanted = stats.bootstrap(
        (x, y),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        n_resamples=20_000,
        confidence_level=0.9,
        method="percentile",
        rng=rng,
    ).confidence_interval
    assert (result.low, result.high) == pytest.approx((wanted.low, wanted.high), abs=0.02)


@pytest.mark.parametrize("bad", [[1.0], [[1.0, 2.0]], [1.0, np.inf]])
def test_what_is_refused(bad):
    with pytest.raises(FaultyInput, match="two or more finite numbers"):
        cochran_cox(bad, [1.0, 2.0])
