"""The charts of PROBEN1's statistics: what they carry is what they were given, and their words come from it."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.outliers import outliers_out, p_paths
from benchbook.charts.output import picture
from benchbook.charts.permutations import rank_order, runs_and_permutations
from benchbook.charts.rates import alarm_rates
from benchbook.charts.reproduced import columns_apart, ours_against_theirs
from benchbook.charts.shortcuts import VERDICTS, error_ratios
from benchbook.errors import FaultyInput

BESIDE = pl.DataFrame({
    "kind": ["linear", "linear", "pivot"] * 2, "choice": ["ours"] * 3 + ["text"] * 3, "column": ["test error"] * 6,
    "dataset": ["card1", "horse1", "card1"] * 2, "printed": [10.0, 13.0, 10.5] * 2,
    "ours": [10.1, 13.1, 10.0, 10.1, 13.1, 8.0], "standard_error": [0.1, 0.2, 0.2] * 2,
    "apart": [1.0, 0.5, -2.5, 1.0, 0.5, -12.5]})
POINTS = pl.DataFrame({"dataset": ["a1"] * 6 + ["b1"] * 6, "method": (["x"] * 3 + ["y"] * 3) * 2,
                       "error": [1.0, 1.1, 5.0, 1.2, 1.3, 1.25] * 2, "place": [3, 2, 1, 1, 2, 3] * 2})
PATH = pl.DataFrame({"dataset": ["a1", "a1", "b1", "b1"], "removed": [0, 1, 0, 1], "p": [0.4, 0.01, 0.5, 0.6],
                     "normal": [False, True, True, True]})
RATIOS = pl.DataFrame({"rule": ["report"] * 2 + ["Holm"] * 2, "dataset": ["a1", "a2"] * 2, "problem": ["a"] * 4,
                       "permutation": [1, 2] * 2, "ratio": [0.9, 1.2] * 2, "low": [0.85, 1.0] * 2,
                       "high": [0.95, 1.4] * 2, "reliable": [True, False] * 2,
                       "verdict": [VERDICTS[0], VERDICTS[1], VERDICTS[0], VERDICTS[2]]})
RANKS = pl.DataFrame({"problem": ["a"] * 4, "permutation": [1, 1, 2, 2], "method": ["m", "n", "m", "n"],
                      "rank": [1.0, 2.0, 2.0, 1.0], "mean": [1.0, 2.0, 3.0, 2.5]})
RATES = pl.DataFrame({"world": ["w"] * 4, "test": ["t", "t", "u", "u"], "runs": [10, 60, 10, 60],
                      "rate": [0.1, 0.2, 0.09, 0.11], "standard_error": [0.01] * 4})


def test_ours_against_theirs_names_what_is_far():
    chart = ours_against_theirs(BESIDE)
    table = pl.read_csv(charts.data_csv(chart).encode())
    assert table["above"].to_list() == pytest.approx((BESIDE["ours"] / BESIDE["printed"] - 1).to_list())
    assert table.filter("far")["dataset"].to_list() == ["card1", "card1"]
    assert "pivot, constants text: 1 dot, 1 more than 2 standard errors off: card1 by -12.5" in chart.description
    assert [one["bind"]["options"] for one in charts.specification(chart)["params"] if "bind" in one] == [
        ["ours", "text"]]
    assert not any("bind" in one for one in charts.specification(
        ours_against_theirs(BESIDE.filter(choice="ours"))).get("params", []))


def test_what_is_beyond_the_edge_stands_at_it():
    chart = columns_apart(BESIDE)
    rows = charts.specification(chart)["data"]["values"]
    assert min(row["_at"] for row in rows) == -6.0
    assert [row["_beyond"] for row in rows] == [False] * 5 + [True]
    assert "linear: test error 100% of 4; for pivot: test error 0% of 2" in chart.description


def test_outliers_and_the_p_that_is_left():
    chart = outliers_out(POINTS, PATH)
    assert "On 1 the verdict at 10% changes" in chart.description
    assert "a1: p = 0.4 with all runs, p = 0.01 with 1 out of each" in chart.description
    svg = picture(charts.specification(chart))
    assert "p = 0.4, not significant" in svg
    assert "(unreliable: not log-normal)" in svg
    assert svg.count("×") == 0


def test_paths_whose_verdict_changes_are_marked():
    rows = charts.specification(p_paths(PATH))["layer"][0]["data"]["values"]
    assert {row["dataset"]: row["verdict"] for row in rows} == {"a1": "verdict changes", "b1": "stays"}


def test_ratios_count_their_verdicts_by_rule():
    chart = error_ratios(RATIOS, ("with", "without"))
    said = "report: with better on 1, without on 1, neither on 0; Holm: with better on 1, without on 0"
    assert said in chart.description
    assert "from 0.9 on a1 and 1.2 on a2" in chart.description
    assert "without better" in picture(charts.specification(chart))


def test_permutations_and_their_middles():
    runs = pl.DataFrame({"problem": ["a"] * 4, "permutation": [1, 1, 2, 2], "relative": [0.5, 2.0, 4.0, 1.0]})
    assert "a 1 and 2." in runs_and_permutations(runs).description


def test_ranks_name_the_best_of_every_permutation():
    chart = rank_order(RANKS)
    assert chart.description.endswith("a: m, n.")
    assert charts.specification(chart)["usermeta"]["benchbook"]["panels"]["count"] == 1


def test_rates_have_a_rule_only_for_a_level():
    with_rule, without = (charts.specification(alarm_rates(RATES, level))["spec"]["layer"] for level in (0.1, 0))
    assert len(with_rule) == len(without) + 1
    assert "t 10% with 10 runs, t 20% with 60 runs" in alarm_rates(RATES, 0.1).description


@pytest.mark.parametrize("draw", [ours_against_theirs, columns_apart, runs_and_permutations, rank_order,
                                  lambda table: error_ratios(table, ("a", "b")), lambda table: p_paths(table),
                                  lambda table: alarm_rates(table, 0.1)])
def test_empty_tables_are_refused(draw):
    with pytest.raises(FaultyInput):
        draw(pl.DataFrame())
