"""Standard errors from training sets that overlap, by their formulas worked out by hand."""

import numpy as np
import pytest
from scipy import stats

from benchbook.assess.overlapping import (
    corrected_error,
    entries,
    jackknife_error,
    loss_sums,
    tails,
)


def casewise_error(values, where):
    return where.clusters.error(loss_sums(values, where).centred(where))


def estimate(values, where):
    return loss_sums(values, where).mean(where)


def test_without_weights_and_repeats_the_case_wise_error_is_the_usual_one(rng):
    values = rng.normal(size=30)
    where = entries(np.repeat(np.arange(5), 6), np.arange(30))
    assert estimate(values, where) == pytest.approx(values.mean())
    assert casewise_error(values, where) == pytest.approx(values.std(ddof=1) / np.sqrt(30))
    assert loss_sums(values, where).splits == pytest.approx(values.reshape(5, 6).mean(axis=1))
    assert where.units == 30


def test_repeats_of_a_case_are_one_unit_and_so_is_a_group(rng):
    first, second = rng.normal(size=(2, 12))
    rows = np.tile(np.arange(12), 2)
    where = entries(np.repeat(np.arange(4), 6), rows)
    values = np.concatenate([first, second])
    mean = (first + second) / 2
    assert casewise_error(values, where) == pytest.approx(mean.std(ddof=1) / np.sqrt(12))
    groups = entries(np.repeat(np.arange(2), 6), np.arange(12), group=np.repeat(np.arange(4), 3))
    sums = first.reshape(4, 3).mean(axis=1)
    assert casewise_error(first, groups) == pytest.approx(sums.std(ddof=1) / 2)
    assert (groups.units, groups.grouped, where.grouped) == (4, True, False)


def test_splits_of_unequal_sizes_count_alike_and_weights_count_by_their_sum():
    """Splits of 1 and 3 cases: (4 + (1 + 2 + 3) / 3) / 2 = 3; with weights 1, 1, 1, 3 it is 19 / 6."""
    values = np.array([4.0, 1.0, 2.0, 3.0])
    split = [0, 1, 1, 1]
    assert estimate(values, entries(split, range(4))) == pytest.approx(3.0)
    weighted = entries(split, range(4), weight=[1.0, 1.0, 1.0, 3.0])
    assert estimate(values, weighted) == pytest.approx((4 + 1 + 2 + 9) / 6)
    assert weighted.split_share == pytest.approx([1 / 6, 5 / 6])


@pytest.mark.parametrize("ratio", [0.0, 0.25, 1.0])
def test_the_corrected_error_is_nadeaus_and_bengios(rng, ratio):
    means = rng.normal(size=(3, 10))
    wanted = np.sqrt((1 / 10 + ratio) * means.var(axis=1, ddof=1))
    assert corrected_error(means, None, ratio) == pytest.approx(wanted)
    assert corrected_error(means, np.full(10, 0.1), ratio) == pytest.approx(wanted)


def test_shares_of_splits_by_hand():
    """Shares 1/4 and 3/4 of means 1 and 3: 5/2; gaps -3/2 and 1/2; s^2 = 2 (9/64 + 9/64) / (5/8) = 9/10."""
    result = corrected_error(np.array([1.0, 3.0]), np.array([0.25, 0.75]), 0.5)
    assert result == pytest.approx(np.sqrt((0.625 + 0.5) * 0.9))


def test_the_jackknife_by_hand():
    """Without fold 0, 1, 2 the means are 2, 3, 7: their mean is 4, and SE^2 = 2/3 (4 + 1 + 9)."""
    second = np.array([[9.0, 1.0, 3.0], [2.0, 9.0, 4.0], [6.0, 8.0, 9.0]])
    assert jackknife_error(second[None]) == pytest.approx(np.sqrt(2 / 3 * 14))
    repeats = np.stack([second, second * 2])
    assert jackknife_error(repeats) == pytest.approx(np.sqrt(2 / 3 * (14 + 4 * 14) / 2))
    shares = np.array([1.0, 1.0, 2.0])
    without = np.array([(1 + 2 * 3) / 3, (2 + 2 * 4) / 3, (6 + 8) / 2])
    wanted = np.sqrt(2 / 3 * ((without - without.mean()) ** 2).sum())
    assert jackknife_error(second[None], shares) == pytest.approx(wanted)


def test_the_share_of_the_top_cases():
    """Of 100 cases the two furthest have 98 of 98 + 98 parts."""
    values = np.array([7.0, -7.0] + [1.0, -1.0] * 49)
    where = entries(np.zeros(100), range(100))
    assert tails(loss_sums(values, where).centred(where)) == pytest.approx((98 / (98 + 98), 0.0))
    assert np.isnan(tails(loss_sums(np.ones(100), where).centred(where))).all()
    assert np.isnan(casewise_error(np.ones(1), entries([0], [0])))


def test_a_jackknife_of_several_methods_is_that_of_each():
    second = np.random.default_rng(3).gamma(2.0, size=(4, 2, 5, 5))
    together = jackknife_error(second)
    assert together == pytest.approx([float(jackknife_error(item)) for item in second])


def test_sums_of_a_difference_are_those_of_its_losses_and_rounding_is_none():
    rng = np.random.default_rng(5)
    where = entries(np.repeat(np.arange(6), 8), np.tile(np.arange(24), 2), rng.gamma(2.0, size=48))
    one, other = rng.normal(size=(2, 48))
    both, apart = (loss_sums(each, where) for each in (one - other, one))
    apart = apart.minus(loss_sums(other, where))
    for name in ("splits", "units", "cases"):
        assert getattr(apart, name) == pytest.approx(getattr(both, name), abs=1e-15)
    assert apart.codes is None
    same = loss_sums(one, where).minus(loss_sums(one * (1 + 1e-14), where))
    assert same.any()
    assert not same.without_rounding(1.0, where).any()
    assert apart.without_rounding(1.0, where).mean(where) == pytest.approx(both.mean(where))


def test_codes_are_those_of_losses_of_0_and_1_alone():
    where = entries(np.zeros(4), np.arange(4))
    right, wrong = (
        loss_sums(np.array(each, dtype=float), where) for each in ([0, 1, 1, 0], [0, 0, 1, 1])
    )
    assert right.minus(wrong).codes.tolist() == [0, 1, 0, -1]
    assert right.minus(loss_sums(np.full(4, 0.5), where)).codes is None


def test_skewness_of_units_is_that_of_scipy_over_the_root_of_their_number(rng):
    values = rng.gamma(0.5, size=60)
    assert tails(values - values.mean())[1] == pytest.approx(stats.skew(values) / np.sqrt(60))
