"""The power of the paired t test: its size, agreement with simulation and with SciPy, invariances, a golden value."""

import numpy as np
import pytest
from scipy import integrate, stats

from benchbook.assess import (
    detectable_difference,
    instances_needed,
    mean_over_tasks,
    power,
    power_over_tasks,
    simulate_losses,
    size_of_test,
)
from benchbook.errors import FaultyInput


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_without_a_difference_the_power_is_the_level(level):
    instances = np.array([2, 3, 4, 8, 33, 500])
    np.testing.assert_allclose(power(0.0, 0.3, 1.0, instances, 16, level), level, rtol=1e-10)


@pytest.mark.parametrize(
    ("difference", "sd_instance", "instances", "cases"),
    [(0.3, 0.2, 8, 16), (0.5, 0.6, 8, 4), (0.4, 0.0, 4, 16), (1.0, 0.3, 3, 8)],
)
def test_simulated_assessments_reject_as_often(rng, difference, sd_instance, instances, cases):
    result = size_of_test(
        rng,
        "hierarchical",
        instances=instances,
        cases=cases,
        sd_instance=sd_instance,
        sd_case=0.0,
        sd_residual=1.0,
        replications=20_000,
        difference=difference,
    )
    reported = float(power(difference, sd_instance, 1.0, instances, cases))
    assert 0.1 < reported < 0.97
    assert abs(result.rate - reported) < 4.5 * result.standard_error


def test_taking_every_case_for_a_trial_promises_too_much(rng):
    """Negative control: what a plan that ignores training sets expects, the simulation does not keep."""
    ignoring = float(power(0.3, 0.0, 1.0, 8, 64))
    result = size_of_test(
        rng,
        "hierarchical",
        cases=64,
        sd_instance=0.5,
        sd_case=0.0,
        sd_residual=1.0,
        replications=2000,
        difference=0.3,
    )
    assert ignoring > 0.99
    assert result.rate < 0.4


def test_test_cases_of_their_own_are_part_of_the_residual(rng):
    """Under the hierarchical scheme the spread of cases joins the residual: sqrt(0.6² + 0.8²) = 1."""
    losses = simulate_losses(rng, 6, 10, 0.2, 0.6, 0.8, mean=0.3, replications=20_000)
    p = stats.ttest_1samp(losses.mean(axis=2), 0.0, axis=1).pvalue
    rate = float((p <= 0.05).mean())
    assert abs(rate - float(power(0.3, 0.2, 1.0, 6, 10))) < 4.5 * np.sqrt(
        rate * (1.0 - rate) / 20_000
    )


def test_agrees_with_scipys_noncentral_t_where_that_works():
    df, noncentrality = np.array([1, 3, 7, 31])[:, None], np.array([0.0, 0.5, 2.0, 4.0])
    critical = stats.t.isf(0.025, df)
    oracle = stats.nct.sf(critical, df, noncentrality) + stats.nct.cdf(-critical, df, noncentrality)
    ours = power(noncentrality / np.sqrt(df + 1.0), 1.0, 0.0, df + 1, 1)
    np.testing.assert_allclose(ours, oracle, rtol=1e-9)


def test_agrees_with_integration_over_the_spread_that_is_found():
    """Given the estimated spread s, the test rejects when |mean| > c s/√I; s² has a χ² distribution."""
    instances, gap, level = 5, 1.2, 0.05
    critical = stats.t.isf(level / 2, instances - 1)

    def rejecting(square):
        bound = critical * np.sqrt(square / (instances - 1))
        mean = gap * np.sqrt(instances)
        tails = stats.norm.sf(bound - mean) + stats.norm.cdf(-bound - mean)
        return tails * stats.chi2.pdf(square, instances - 1)

    assert float(power(gap, 1.0, 0.0, instances, 1)) == pytest.approx(
        integrate.quad(rejecting, 0, 60)[0], abs=1e-7
    )


def test_grows_with_difference_instances_cases_and_level():
    gaps = power(np.linspace(0, 3, 40), 0.4, 2.0, 6, 20)
    instances = power(0.3, 0.4, 2.0, np.arange(2, 60), 20)
    cases = power(0.3, 0.4, 2.0, 6, np.arange(1, 200))
    levels = [float(power(0.3, 0.4, 2.0, 6, 20, level)) for level in (0.001, 0.01, 0.1, 0.5)]
    assert all((np.diff(values) > 0).all() for values in (gaps, instances, cases, levels))


def test_test_cases_cannot_buy_what_training_sets_owe():
    few, many = power(0.3, 0.5, 1.0, 4, np.array([64, 10**9]))
    assert few < many
    assert many == pytest.approx(float(power(0.3, 0.5, 0.0, 4, 1)), rel=1e-6)


def test_sign_and_unit_do_not_matter():
    assert power(-0.3, 0.4, 2.0, 6, 20) == power(0.3, 0.4, 2.0, 6, 20)
    np.testing.assert_allclose(power(3e5, 4e5, 2e6, 6, 20), power(0.3, 0.4, 2.0, 6, 20), rtol=1e-12)


def test_a_difference_beyond_doubt_is_always_found():
    """SciPy's own noncentral t is nan at some of these places."""
    result = power(
        np.array([10.0, 30.0, 50.0, 1e3, 1e9]), 1.0, 0.0, np.array([4, 8, 9, 128, 1000])[:, None], 1
    )
    assert np.isfinite(result).all()
    np.testing.assert_allclose(result, 1.0, atol=2e-9)


def test_golden_value():
    """One standard deviation, eight instances; from the integral of the test above, with instances=8, up to 80."""
    assert float(power(1.0, 1.0, 0.0, 8, 1)) == pytest.approx(0.680833958198517, abs=1e-10)


@pytest.mark.parametrize("instances", [2, 4, 8, 40])
def test_the_detectable_difference_is_detected(instances):
    gap = detectable_difference(0.4, 2.0, instances, 20, power=0.8)
    assert float(power(gap, 0.4, 2.0, instances, 20)) == pytest.approx(0.8, abs=1e-9)


def test_instances_needed_are_the_fewest():
    needed = instances_needed(0.3, 0.4, 2.0, 20)
    assert power(0.3, 0.4, 2.0, needed, 20) >= 0.8 > power(0.3, 0.4, 2.0, needed - 1, 20)
    assert instances_needed(1e9, 0.4, 2.0, 20) == 2
    assert instances_needed(-0.3, 0.4, 2.0, 20) == needed


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: power(0.1, -1.0, 1.0, 8, 16), "sd_instances: found -1.0; a standard deviation"),
        (lambda: power(0.1, 0.0, 0.0, 8, 16), "both standard deviations"),
        (lambda: power(np.nan, 1.0, 1.0, 8, 16), "difference: found nan"),
        (lambda: power(0.1, 1.0, 1.0, [8, 1], 16), "instances: found 1.0; two or more"),
        (lambda: power(0.1, 1.0, 1.0, 8, 0), "cases: found 0.0"),
        (lambda: power(0.1, 1.0, 1.0, 8, 16, 1.0), "level: found 1.0"),
        (lambda: detectable_difference(1.0, 1.0, 8, 16, power=0.05), "power: found 0.05"),
        (
            lambda: instances_needed(0.0, 1.0, 1.0, 16),
            "100,000 instances the power is still below 0.8",
        ),
    ],
)
def test_numbers_that_cannot_be_are_refused(call, says):
    with pytest.raises(FaultyInput) as caught:
        call()
    assert says in str(caught.value)


def test_all_faults_are_told_together():
    with pytest.raises(FaultyInput) as caught:
        power(np.inf, -1.0, np.nan, 1, 0, 2.0)
    assert len(caught.value.faults) == 6


def test_power_over_one_task_is_that_of_the_t_test():
    for difference in (0.0, 0.2, 1.0):
        assert power_over_tasks(difference, [0.3], [2.0], 8, 128) == pytest.approx(
            power(difference, 0.3, 2.0, 8, 128), rel=1e-9
        )
    assert power_over_tasks([0.0, 0.1], [0.3, 0.3], [2.0, 2.0], 4, 64)[0] == pytest.approx(0.05)


def test_power_over_tasks_is_what_simulated_studies_reach():
    """The studies are drawn by the model, task by task, and judged by the test of ``tiers``."""
    rng, studies = np.random.default_rng(5), 4000
    sd_a, sd_e = (
        np.array([0.02, 0.05, 0.1, 0.0, 0.03, 0.04]),
        np.array([0.5, 1.0, 2.0, 0.7, 0.4, 0.6]),
    )
    instances, cases = 4, 256
    spread = np.sqrt(sd_a**2 + sd_e**2 / cases)
    drawn = 0.06 + spread[:, None] * rng.normal(size=(studies, 6, instances))
    errors = drawn.std(axis=2, ddof=1) / np.sqrt(instances)
    p = mean_over_tasks(drawn.mean(axis=2), errors, np.full(6, instances - 1.0))[3]
    planned = float(power_over_tasks(0.06, sd_a, sd_e, instances, cases))
    assert 0.3 < planned < 0.9
    assert np.mean(p <= 0.05) == pytest.approx(planned, abs=0.04)


def test_power_over_tasks_says_all_that_is_wrong():
    with pytest.raises(FaultyInput) as caught:
        power_over_tasks(0.1, [0.1, -1.0], [1.0, 1.0], 1, 64)
    assert "sd_instances" in str(caught.value)
    assert "two or more" in str(caught.value)
