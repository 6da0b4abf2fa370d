"""Two methods side by side on many tasks: ratios, intervals, and counts by dataset."""

import math

import numpy as np
import polars as pl
import pytest

from benchbook import assess

LEVELS = {"a": 1.0, "b": 0.7, "c": 0.69}
DATASETS = ("kin-8nm-sim", "kin-32nm-sim", "bank-8nm")
SIZES = (64, 128, 256)


@pytest.fixture(scope="module")
def compared(toy_losses):
    return assess.comparisons(
        pl.concat([toy_losses(f"{name}/t", LEVELS, SIZES) for name in DATASETS])
    )


def test_they_count_the_comparisons(compared):
    item = assess.ratios(compared, "b", "a")
    both = compared.filter(method="b", other="a")
    assert item.lines["task"].to_list() == both["task"].to_list()
    assert item.lines["ratio"].to_list() == pytest.approx(
        (both["mean"] / both["other_mean"]).to_list()
    )
    assert (
        item.better.height
        == both.filter((pl.col("p") <= 0.05) & (pl.col("difference") < 0)).height
        > 5
    )
    assert (
        item.worse.height == both.filter((pl.col("p") <= 0.05) & (pl.col("difference") > 0)).height
    )
    assert item.lower.height == both.filter(pl.col("difference") < 0).height
    assert item.mean_ratio == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize("pair", [("a", "b"), ("b", "c"), ("c", "b")])
def test_an_interval_excludes_one_exactly_when_p_is_small(compared, pair):
    lines = assess.ratios(compared, *pair).lines
    assert ((lines["high"] < 1.0) | (lines["low"] > 1.0)).to_list() == (
        lines["p"] <= 0.05
    ).to_list()
    assert ((lines["low"] < lines["ratio"]) & (lines["ratio"] < lines["high"])).all()


def test_prototasks_are_chosen_in_their_order(compared):
    item = assess.ratios(compared, "b", "a", ["bank-8nm/t", "kin-8nm-sim/t", "kin-8nm/t"])
    assert item.lines["dataset"].unique(maintain_order=True).to_list() == [
        "bank-8nm",
        "kin-8nm-sim",
    ]
    assert item.lines["training_cases"].to_list() == [*SIZES, *SIZES]
    assert item.on("kin").lines["dataset"].unique().to_list() == ["kin-8nm-sim"]


def test_they_are_summed_by_dataset(compared):
    item = assess.ratios(compared, "b", "a")
    table = item.by_dataset()
    assert sorted(table["dataset"]) == sorted(DATASETS)
    assert table.select("tasks", "lower", "better", "worse").unique().rows() == [(3, 3, 3, 0)]
    for dataset, mean in table.select("dataset", "ratio").iter_rows():
        assert mean == pytest.approx(np.exp(item.on(dataset).lines["ratio"].log().mean()))
        assert mean == pytest.approx(1.0 / assess.ratios(compared, "a", "b").on(dataset).mean_ratio)


def test_nothing_to_compare_is_an_empty_table(compared):
    nothing = assess.ratios(compared, "a", "z", ["kin-8nm-sim/t"])
    assert nothing.lines.is_empty()
    assert math.isnan(nothing.mean_ratio)
    assert nothing.better.is_empty()
    assert nothing.by_dataset().is_empty()
