"""The numbers a report should give, from a table of runs."""

import math

import polars as pl
import pytest

from benchbook.assess.proben1 import correlations, ratios, summaries
from benchbook.errors import FaultyInput

RUNS = pl.DataFrame(
    {
        "dataset": ["a1"] * 4 + ["b1"],
        "method": ["m"] * 5,
        "run": [0, 1, 2, 3, 0],
        "test_error": [1.0, 2.0, 4.0, 9.0, 5.0],
        "validation_error": [1.0, 2.0, 4.0, 9.0, 5.0],
        "test_wrong": [None, None, None, None, 10.0],
        "traversals": [5, 5, 5, 5, 7],
    }
)


def test_summaries_by_hand():
    table = summaries(RUNS)
    line = table.filter(dataset="a1", quantity="test_error").row(0, named=True)
    assert (line["runs"], line["mean"], line["least"], line["median"], line["largest"]) == (
        4,
        4.0,
        1.0,
        3.0,
        9.0,
    )
    assert line["sd"] == pytest.approx(math.sqrt(38 / 3))
    assert line["unit"] == "squared error percentage"
    assert table.filter(dataset="b1", quantity="test_error")["sd"].item() is None


def test_a_quantity_without_values_is_left_out():
    first = summaries(RUNS).filter(dataset="a1")["quantity"].to_list()
    assert first == ["validation_error", "test_error", "traversals"]
    assert "test_wrong" in summaries(RUNS).filter(dataset="b1")["quantity"].to_list()
    nan = RUNS.with_columns(test_wrong=pl.lit(math.nan))
    assert "test_wrong" not in summaries(nan)["quantity"].to_list()


def test_correlations_need_three_runs():
    result = dict(correlations(RUNS).select("dataset", "correlation").iter_rows())
    assert result["a1"] == pytest.approx(1.0)
    assert math.isnan(result["b1"])


def test_what_is_refused():
    with pytest.raises(FaultyInput, match="'method'"):
        summaries(RUNS.drop("method"))


def test_ratios_are_of_means_and_leave_out_what_has_no_reference():
    lonely = RUNS.head(1).with_columns(dataset=pl.lit("c1"), method=pl.lit("other"))
    other = RUNS.filter(dataset="a1").with_columns(
        pl.Series([1.0, 2.0, 4.0, 27.0]).alias("test_error"), method=pl.lit("other")
    )
    table = ratios(pl.concat([RUNS, lonely, other]), "m")
    assert table.rows() == [("a1", "other", 4, 8.5, 8.5 / 4.0)]
