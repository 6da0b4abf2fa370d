"""The report's comparison of two methods, and today's beside it."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook.assess.proben1 import (
    cochran_cox,
    compare_as_report,
    compare_today,
    comparisons,
    holm,
    repeated,
)
from benchbook.errors import BenchbookError, FaultyInput


def log_normal(shift=0.0, runs=60):
    return np.exp(shift + 0.1 * stats.norm.ppf((np.arange(1, runs + 1) - 0.5) / runs))


def test_without_outliers_it_is_the_test_of_the_logs():
    result = compare_as_report(log_normal(), log_normal(0.05))
    wanted = cochran_cox(np.log(log_normal()), np.log(log_normal(0.05)))
    assert result.test.p == pytest.approx(wanted.p)
    assert result.ratio == pytest.approx(np.exp(-0.05))
    assert result.reliable
    assert result.entry("P", "N") == f"P {100 * wanted.p:.1f}"
    assert compare_as_report(log_normal(0.05), log_normal()).entry("P", "N").startswith("N ")


def test_equal_samples_get_a_dash_and_doubtful_ones_parentheses():
    assert compare_as_report(log_normal(), log_normal()).entry("P", "N") == "–"
    two_heaps = np.concatenate([log_normal(0.0, 40), log_normal(2.0, 20)])
    assert compare_as_report(two_heaps, two_heaps).entry("P", "N") == "(–)"
    assert compare_as_report(log_normal(), two_heaps).entry("P", "N").startswith("(P ")


def test_three_divergent_runs_hide_a_difference_until_they_are_out():
    better = log_normal(-0.08)
    better[:3] = 20.0
    inside = compare_as_report(better, log_normal(), most=0.0)
    out = compare_as_report(better, log_normal())
    assert inside.test.p > 0.1
    assert not inside.reliable
    assert out.test.p < 0.001
    assert (out.first.high, out.second.removed) == (3, 0)


def test_today_tells_both_sides_of_the_same_samples(rng):
    better = log_normal(-0.08)
    better[:3] = 20.0
    result = compare_today(better, log_normal(), rng)
    assert result.ranks.p < 0.01
    assert result.means.p > 0.05
    assert result.ranks.statistic < 0.0 < result.difference.estimate
    assert result.ratio.low < 1.0 < result.ratio.high


def test_a_line_for_every_dataset_with_runs_of_both(runs):
    table = comparisons(runs, "a", "b", draws=200)
    assert table["dataset"].to_list() == [
        f"{problem}{k}" for problem in ("card", "wine") for k in (1, 2, 3)
    ]
    card = table.filter(pl.col("dataset").str.starts_with("card"))
    assert card["better"].to_list() == ["P"] * 3
    assert card["ratio"].to_list() == pytest.approx([np.exp(-0.2)] * 3, rel=0.08)
    assert (
        (table["ratio_low"] < table["ratio_all"]) & (table["ratio_all"] < table["ratio_high"])
    ).all()
    assert table["holm"].to_list() == pytest.approx(holm(table["p"].to_numpy()))
    again = comparisons(runs.filter(pl.col("dataset") == "wine2"), "a", "b", draws=200)
    shared = [name for name in table.columns if "holm" not in name and "benjamini" not in name]
    assert again.select(shared).equals(table.filter(pl.col("dataset") == "wine2").select(shared))


def test_exchanging_the_methods_exchanges_the_letters(runs):
    present, back = (comparisons(runs, *names, draws=50) for names in (("a", "b"), ("b", "a")))
    assert back["p"].to_list() == pytest.approx(present["p"].to_list())
    assert back["ratio"].to_list() == pytest.approx((1 / present["ratio"]).to_list())
    assert (
        back.filter(pl.col("better") == "N").height
        == present.filter(pl.col("better") == "P").height
    )


def as_runs(**samples):
    return pl.concat(
        [
            pl.DataFrame({"dataset": "one", "method": name, "test_error": errors})
            for name, errors in samples.items()
        ]
    )


def test_equal_methods_get_the_same_verdict_twice_as_often_as_two_tests_at_ten_per_cent():
    result = repeated(as_runs(a=log_normal(), b=log_normal()), "a", "b", draws=400)
    assert result.height == 400
    assert result["once"].eq_missing(result["again"]).mean() == pytest.approx(
        0.9**2 + 2 * 0.05**2, abs=0.06
    )
    assert result["once"].is_null().mean() == pytest.approx(0.9, abs=0.05)


def test_a_large_difference_gets_the_same_verdict_always_and_one_of_two_standard_errors_about_half():
    large = repeated(as_runs(a=log_normal(), b=log_normal(0.2)), "a", "b")
    assert (large["once"] == "P").all()
    assert (large["again"] == "P").all()
    edge = 0.1 * np.sqrt(2 / 60) * stats.norm.ppf(0.95)
    small = repeated(as_runs(a=log_normal(edge), b=log_normal()), "a", "b", draws=200)
    assert small["once"].eq_missing(small["again"]).mean() == pytest.approx(0.5, abs=0.12)
    assert set(small["once"].drop_nulls()) == {"N"}


def test_what_is_refused(runs):
    with pytest.raises(BenchbookError, match="no dataset has runs of both a and c"):
        comparisons(runs, "a", "c")
    with pytest.raises(FaultyInput, match="'test_error'"):
        comparisons(runs.drop("test_error"), "a", "b")
