"""The charts of the chapter on the study: their data, their words, and what they refuse."""

import polars as pl
import pytest
from refusals import refused

from benchbook import charts
from benchbook.assess import Ratios
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

SIZES = (64, 128)
GROUPS = {"lines": ("lin-1",), "samplers": ("mlp-mc-3",), "trees": ("forest-1",)}


def table(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def ratios(values=(0.5, 1.02), p=(0.001, 0.6)):
    return pl.DataFrame(
        [
            {
                "dataset": dataset,
                "training_cases": size,
                "ratio": value,
                "low": 0.9 * value,
                "high": 1.1 * value,
                "p": item,
            }
            for dataset in ("kin-8nm-sim", "bank-8nm-sim")
            for size, value, item in zip(SIZES, values, p, strict=True)
        ]
    )


def points():
    return pl.DataFrame(
        [
            {
                "dataset": dataset,
                "training_cases": 64,
                "method": name,
                "recreated": value,
                "original": 1.1 * value,
            }
            for dataset in ("kin-8nm", "bank-8nm")
            for name, value in (("lin-1", 1.0), ("mlp-mc-3", 0.3))
        ]
    )


def test_ratios_are_the_tables(page):
    shown = table(page.advantage(ratios(), "a", "b"))
    assert shown["ratio"].to_list() == ratios()["ratio"].to_list()
    assert shown["p"].to_list() == ratios()["p"].to_list()


def test_an_interval_beyond_the_axis_ends_there(page):
    lines = ratios().with_columns(low=pl.lit(1e-6), high=pl.lit(1e6))
    spec = charts.specification(page.advantage(lines, "a", "b"))
    low, high = spec["spec"]["layer"][2]["encoding"]["y"]["scale"]["domain"]
    assert 0.3 < low < 0.5
    assert 1.25 <= high < 2
    drawn = spec["data"]["values"]
    assert [line["_low"] for line in drawn] == pytest.approx([low] * 4)
    assert [line["_high"] for line in drawn] == pytest.approx([high] * 4)


def test_what_has_no_p_is_drawn_as_open(page):
    lines = ratios().with_columns(
        low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64), p=pl.lit(None, pl.Float64)
    )
    chart = page.advantage(lines, "a", "b")
    assert "p undefined" in chart.to_dict()["description"]
    assert picture(charts.specification(chart)).count("<path") > 4


def test_losses_side_by_side_are_the_tables(page):
    shown = table(page.side_by_side(points(), GROUPS, "base-1"))
    assert shown["recreated"].to_list() == points()["recreated"].to_list()
    words = page.side_by_side(points(), GROUPS, "base-1").to_dict()["description"]
    assert "that of base-1 being 1" in words
    assert "kin-8nm: 2 marks, the median a factor of 1.1 off the diagonal" in words


def test_methods_in_no_group_are_not_drawn(page):
    assert table(page.side_by_side(points(), {"lines": ("lin-1",)}, "x"))[
        "method"
    ].unique().to_list() == ["lin-1"]


def test_tables_that_cannot_be_drawn_are_refused(page):
    refused(FaultyInput, "no lines", page.advantage, ratios().head(0), "a", "b")
    refused(FaultyInput, "'p' is needed", page.advantage, ratios().drop("p"), "a", "b")
    refused(FaultyInput, "no lines", page.side_by_side, points(), {"x": ("cart-1",)}, "lin-1")


def test_a_ratio_is_significant_up_to_one_in_twenty_and_without_a_p_value_not(page):
    lines = ratios(values=(0.5, 0.9), p=(0.05, None))
    chart = page.questions({"who": (Ratios("", "", lines),) * 2})
    shown = {(row["training cases"], row["significant"]) for row in table(chart).to_dicts()}
    assert shown == {(64, "p ≤ 0.05"), (128, "p > 0.05")}
