"""The rule by which chains may carry a verdict: every scalar, the worst run, both figures."""

import pytest

from benchbook.assess.convergence import Chains, ConvergenceRule, worst

GOOD = {
    "rhat_noise": 1.004,
    "ess_noise": 800.0,
    "rhat_value": 1.002,
    "ess_value": 500.0,
    "sweeps": 300,
}


def test_the_worst_run_of_each_scalar_counts():
    result = worst([GOOD, GOOD | {"rhat_value": 1.3, "ess_noise": 12.0}])
    assert result == Chains({"noise": 1.004, "value": 1.3}, {"noise": 12.0, "value": 500.0})
    assert result.largest_rhat == 1.3
    assert result.shortfall() == "R-hat 1.3 (value), effective size 12 (noise)"
    assert worst([GOOD, GOOD]).shortfall() == ""


@pytest.mark.parametrize("scalar", ["noise", "value"])
def test_one_scalar_is_enough_to_fail(scalar):
    assert "R-hat 1.02" in worst([GOOD | {f"rhat_{scalar}": 1.02}]).shortfall()
    assert "effective size 399" in worst([GOOD | {f"ess_{scalar}": 399.0}]).shortfall()


def test_the_bounds_themselves_pass_and_may_be_moved():
    edge = worst([{"rhat": 1.01, "ess": 400.0}])
    assert edge.shortfall() == ""
    assert edge.shortfall(ConvergenceRule(1.009, 400.0)) == "R-hat 1.01"
    assert edge.shortfall(ConvergenceRule(1.01, 401.0)) == "effective size 400"


def test_what_is_undefined_or_was_not_kept_does_not_pass():
    undefined = worst(
        [{"rhat": 1.0, "ess": 500.0}, {"rhat": 0.0, "ess": 500.0}, {"rhat": 1.2, "ess": 500.0}]
    )
    assert undefined.shortfall() == "R-hat undefined"
    assert undefined.largest_rhat == float("inf")
    for nothing in ([], [{"sweeps": 3}], [{"rhat": 1.0}], [{"ess": 999.0}]):
        assert "not kept" in worst(nothing).shortfall()
