"""Every test's false alarms and power were counted before it was trusted; the counting agrees with the tests."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess.proben1 import (
    WORLDS,
    ErrorLaw,
    compare_as_report,
    mann_whitney,
    rejections,
    welch,
)
from benchbook.assess.proben1.trials import BOOTSTRAP, KEPT, RANKS, REPORT, TESTS, WELCH, _decide
from benchbook.errors import FaultyInput

FAST = (REPORT, KEPT, WELCH, RANKS)


def rates(table, runs):
    return dict(table.filter(pl.col("runs") == runs).select("test", "rate").iter_rows())


@pytest.mark.parametrize("runs", [10, 60])
def test_log_normal_errors_give_the_nominal_rate(rng, runs):
    result = rates(rejections(rng, ["log-normal"], [runs], replications=3000, tests=FAST), runs)
    assert all(rate == pytest.approx(0.1, abs=0.025) for rate in result.values()), result


def test_unequal_spread_keeps_the_rate_of_the_question_asked(rng):
    """Equal geometric means are the null hypothesis of the logs, equal means that of the errors."""
    geometric, arithmetic = "unequal spread, equal geometric means", "unequal spread, equal means"
    table = rejections(rng, [geometric, arithmetic], [60], replications=1500, tests=(KEPT, WELCH))
    results = {(line["world"], line["test"]): line["rate"] for line in table.iter_rows(named=True)}
    assert results[geometric, KEPT] == pytest.approx(0.1, abs=0.03)
    assert results[arithmetic, WELCH] == pytest.approx(0.1, abs=0.03)
    assert results[geometric, WELCH] > 0.18
    assert results[arithmetic, KEPT] > 0.2


def test_divergent_runs_break_the_cleaned_test_only_where_it_says_so(rng):
    laws = (ErrorLaw(0.1, divergent=0.15), ErrorLaw(0.1, divergent=0.15))
    table = rejections(rng, runs=[60], replications=2000, tests=FAST, laws=laws)
    line = table.filter(pl.col("test") == REPORT).row(0, named=True)
    assert line["unreliable"] > 0.9
    assert line["rate"] > 0.2
    assert rates(table, 60)[RANKS] == pytest.approx(0.1, abs=0.03)
    few = rejections(rng, ["divergent runs"], [60], replications=2000, tests=[REPORT]).row(
        0, named=True
    )
    assert few["reliable_rate"] == pytest.approx(0.1, abs=0.03)


def test_a_difference_is_found_more_often_with_more_runs_and_the_divergent_ones_out(rng):
    table = rejections(
        rng, ["log-normal", "divergent runs"], replications=800, advantage=0.05, tests=FAST
    )
    results = {
        (line["world"], line["runs"], line["test"]): line["rate"]
        for line in table.iter_rows(named=True)
    }
    assert all(
        results["log-normal", 60, test] > 2 * results["log-normal", 10, test] for test in FAST
    )
    assert results["divergent runs", 60, REPORT] > 3 * results["divergent runs", 60, KEPT]


def test_the_bootstrap_of_ten_runs_is_too_confident(rng):
    table = rejections(rng, ["log-normal"], [10, 60], replications=1500, tests=[BOOTSTRAP])
    assert rates(table, 10)[BOOTSTRAP] > 0.115
    assert rates(table, 60)[BOOTSTRAP] == pytest.approx(0.1, abs=0.03)


def test_the_counting_decides_as_the_tests_do(rng):
    first, second = (
        law.draw(rng, 60, 20) for law in (ErrorLaw(0.1, 0.05, 0.1), ErrorLaw(0.2, divergent=0.1))
    )
    counted = _decide(first, second, 0.1, FAST, rng, 299)
    for k in range(60):
        x, y = np.exp(first[k]), np.exp(second[k])
        report = compare_as_report(x, y)
        assert counted[REPORT][k].tolist() == [
            report.significant,
            not report.reliable,
            (report.first.removed + report.second.removed) / 2,
        ]
        assert bool(counted[KEPT][k, 0]) == compare_as_report(x, y, most=0.0).significant
        assert bool(counted[WELCH][k, 0]) == (welch(x, y).p < 0.1)
    exact = np.mean(
        [mann_whitney(np.exp(a), np.exp(b)).p < 0.1 for a, b in zip(first, second, strict=True)]
    )
    assert counted[RANKS].mean() == pytest.approx(exact, abs=0.04)


def test_worlds_are_what_their_names_say(rng):
    for name, (first, second) in WORLDS.items():
        logs = [law.draw(rng, 1, 400_000)[0] for law in (first, second)]
        if "equal means" in name:
            assert np.exp(logs[0]).mean() == pytest.approx(np.exp(logs[1]).mean(), rel=0.004)
        elif "geometric" in name:
            assert logs[0].mean() == pytest.approx(logs[1].mean(), abs=0.003)
        else:
            assert first == second


def test_what_is_refused(rng):
    with pytest.raises(FaultyInput, match="2 faults"):
        rejections(rng, ["none"], tests=["Fisher"])
    assert set(FAST) < set(TESTS)
