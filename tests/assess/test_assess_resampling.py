"""The older tests: their formulas against scipy and by hand, and how often they cry wolf."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook.assess import (
    corrected_resampled_t,
    cross_validated_t,
    false_alarms,
    five_by_two_t,
    resampled_t,
)
from benchbook.assess.simulations import false_alarms as false_alarms_module
from benchbook.assess.simulations import worlds
from benchbook.errors import FaultyInput


@pytest.mark.parametrize("test", [resampled_t, cross_validated_t])
def test_plain_t_is_scipys(rng, test):
    d = rng.normal(0.3, 1.0, 12)
    ours, theirs = test(d), stats.ttest_1samp(d, 0.0)
    assert (ours.p, ours.statistic, ours.df) == pytest.approx(
        (theirs.pvalue, theirs.statistic, 11), rel=1e-12
    )


def test_corrected_variance(rng):
    d = rng.normal(0.3, 1.0, 10)
    wanted = d.mean() / math.sqrt((1 / 10 + 0.5) * d.var(ddof=1))
    result = corrected_resampled_t(d, 0.5)
    assert result.statistic == pytest.approx(wanted, rel=1e-12)
    assert result.p == pytest.approx(2 * stats.t.sf(abs(wanted), 9), rel=1e-12)
    assert result.p > resampled_t(d).p


def test_five_by_two_by_hand():
    # replication r has differences 1 and 3: mean 2, s^2 = 2; t = 1 / sqrt(2)
    result = five_by_two_t(np.tile([1.0, 3.0], (5, 1)))
    assert result.statistic == pytest.approx(1 / math.sqrt(2))
    assert result.p == pytest.approx(2 * stats.t.sf(1 / math.sqrt(2), 5))


def test_undefined_is_said():
    assert "one difference" in resampled_t([1.0]).reason
    assert resampled_t([1.0, 1.0]).p is None
    assert "same" in resampled_t([1.0, 1.0]).reason
    assert five_by_two_t(np.ones((5, 2))).p is None
    for wrong in ([], [1.0, math.nan], [[1.0], [2.0]]):
        with pytest.raises(FaultyInput):
            resampled_t(wrong)
    with pytest.raises(FaultyInput):
        five_by_two_t(np.ones((2, 5)))
    with pytest.raises(FaultyInput):
        corrected_resampled_t([1.0, 2.0], 0.0)


def slow_errors(learner, x, y, train):
    """Squared error of every case, the plain way, for one data set and one training set."""
    if learner == "straight line":
        slope, intercept = np.polyfit(x[train], y[train], 1)
        return (y - intercept - slope * x) ** 2
    away = np.abs(x[:, None] - x[train][None, :])
    away[train] = np.where(np.eye(len(x))[train][:, train], 0.0, away[train])
    return (y - y[train][away.argmin(axis=1)]) ** 2


@pytest.mark.parametrize("learner", sorted(worlds.LEARNERS))
def test_learners_are_what_they_say(rng, learner):
    world, parts = worlds.draw_world(rng, 3, 25), worlds.random_partitions(rng, 25, 15, 4)
    result = worlds.case_differences(world, parts.train, learner)
    means = worlds.mean_differences(world, parts, learner)
    for b in range(3):
        for r in range(4):
            wanted = np.subtract(
                *(
                    slow_errors(learner, x[b], world.targets[b], parts.train[r])
                    for x in world.inputs
                )
            )
            test = parts.test[r]
            np.testing.assert_allclose(result[r, b][test], wanted[test], rtol=1e-8, atol=1e-10)
            assert means[b, r] == pytest.approx(wanted[test].mean(), rel=1e-8)


def test_partitions_are_what_they_say(rng):
    drawn = worlds.random_partitions(rng, 30, 20, 5)
    assert (drawn.train.sum(axis=1) == 20).all()
    assert (drawn.train ^ drawn.test).all()
    cut = worlds.folds(30, 7)
    assert (cut.test.sum(axis=0) == 1).all()
    assert set(cut.test.sum(axis=1)) == {4, 5}
    delve = worlds.delve_partitions(30, 4)
    assert (delve.train.sum(axis=1) == 3).all()
    assert (delve.test.sum(axis=1) == 3).all()
    assert (delve.train.sum(axis=0) + delve.test.sum(axis=0)).max() == 1


@pytest.fixture(scope="module")
def rates():
    table = false_alarms(np.random.default_rng(3), (2, 5, 10, 50), replications=4000)
    return {
        (test, number): rate
        for test, number, rate in table.select("test", "resamples", "rate").iter_rows()
    }


def test_the_resampled_test_cries_wolf_ever_more(rates):
    climbing = [rates["resampled t", number] for number in (2, 5, 10, 50)]
    assert climbing == sorted(climbing)
    assert climbing[0] > 0.06
    assert climbing[2] > 0.4
    assert climbing[3] > 0.7


def test_the_cross_validated_test_cries_wolf_too(rates):
    assert all(0.10 < rates["cross-validated t", number] < 0.20 for number in (5, 10, 50))
    assert rates["5x2cv t", 10] > 0.10
    assert 0.06 < rates["corrected resampled t", 50] < 0.13


def test_delves_tests_keep_their_word(rates):
    assert all(rates["DELVE paired t", number] < 0.06 for number in (2, 5, 10))
    assert all(rates["DELVE quasi-F", number] < 0.06 for number in (5, 10))
    assert ("DELVE paired t", 50) not in rates


def test_the_two_methods_really_are_equal(rng):
    """The null hypothesis itself: on fresh data for training and testing the mean difference is zero."""
    world = worlds.draw_world(rng, 20_000, 30)
    d = worlds.mean_differences(
        world, worlds.random_partitions(rng, 30, 20, 1), "nearest neighbour"
    )[:, 0]
    assert abs(d.mean()) < 3.5 * d.std() / math.sqrt(len(d))


def test_with_an_advantage_the_rates_are_power(rng):
    result = false_alarms(
        rng, (5,), cases=200, replications=400, advantage=0.8, tests=("DELVE paired t",)
    )
    assert result["rate"][0] > 0.5
    assert result.schema["rate"] == pl.Float64


def test_a_stable_learner_hides_the_fault_of_cross_validation(rng):
    result = false_alarms(
        rng,
        (10,),
        learner="straight line",
        replications=3000,
        tests=("cross-validated t", "resampled t"),
    )
    cv, resampled = result["rate"]
    assert 0.03 < cv < 0.075
    assert resampled > 0.3


def test_all_faults_of_a_simulation_together(rng):
    with pytest.raises(FaultyInput) as caught:
        false_alarms(
            rng, (1, 5), tests=("z",), learner="oracle", train_fraction=1.0, replications=0
        )
    assert len(caught.value.faults) == 5


def test_each_half_of_the_cases_is_trained_on_once_and_tested_by_the_other(monkeypatch, rng):
    used = []

    def differences(world, partitions, learner):
        used.append(partitions)
        return np.zeros((1, 10))

    monkeypatch.setattr(false_alarms_module, "mean_differences", differences)
    world = worlds.draw_world(rng, 1, 12)
    assert false_alarms_module._halves(rng, world, "line").shape == (1, 5, 2)
    assert (used[0].train.sum(axis=1) == 6).all()
    assert (used[0].train[0::2] == used[0].test[1::2]).all()
    assert (used[0].train != used[0].test).all()
