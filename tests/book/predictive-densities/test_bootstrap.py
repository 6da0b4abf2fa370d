"""The Bayesian bootstrap, weight by weight and part by part."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess.densities import MEAN, ROOT_MEAN
from benchbook.errors import FaultyInput


def test_weights_make_the_summaries_that_are_shown(page):
    u = np.arange(1.0, 8.0)
    weights, replicates = page.replicates_shown(u, MEAN, 5, np.random.default_rng(1))
    assert weights.group_by("replicate").agg(pl.col("weight").sum())[
        "weight"
    ].to_list() == pytest.approx([1.0] * 5)
    again = weights.group_by("replicate", maintain_order=True).agg(
        mean=(pl.col("u") * pl.col("weight")).sum()
    )
    np.testing.assert_allclose(again["mean"], replicates["summary"])
    chart = page.dancing_weights(weights, replicates, 10, "error", 3).to_dict()
    assert "replicate 3 gives case" in chart["description"]
    with pytest.raises(FaultyInput, match="from 1 to 5"):
        page.dancing_weights(weights, replicates, 10, "error", 6)


def test_more_draws_leave_less_monte_carlo_error(page):
    few, many = (
        dict(
            page.sampled_components(40, 3, draws, ROOT_MEAN, np.random.default_rng(2))
            .table()
            .select("component", "sd")
            .iter_rows()
        )
        for draws in (20, 2000)
    )
    assert many["Monte Carlo"] < 0.3 * few["Monte Carlo"]
    assert many["future data"] == pytest.approx(few["future data"], rel=0.2)


def test_summaries_are_stacked_in_the_bins_they_fall_into_and_none_is_cut_off(page):
    weights = pl.DataFrame(
        {
            "replicate": [1, 1, 2, 2, 3, 3],
            "case": [1, 2] * 3,
            "u": [10.0, 20.0] * 3,
            "weight": [0.5, 0.5, 0.45, 0.55, 0.1, 0.9],
        }
    )
    replicates = pl.DataFrame({"replicate": [1, 2, 3], "summary": [15.0, 15.5, 19.0]})
    chart = page.dancing_weights(weights, replicates, 10, "error", 1)
    rows = [row for rows in chart.to_dict()["datasets"].values() for row in rows if "middle" in row]
    assert {row["replicate"]: (row["middle"], row["height"]) for row in rows} == {
        1: (15.5, 1),
        2: (15.5, 2),
        3: (19.5, 1),
    }
    domains = [
        layer["encoding"]["y"]["scale"]["domain"]
        for layer in _layers(chart.to_dict())
        if layer.get("encoding", {}).get("y", {}).get("field") == "height"
    ]
    assert domains
    assert all(top >= 2 for _, top in domains)


def _layers(chart):
    return (
        [layer for part in chart["layer"] for layer in _layers(part)]
        if "layer" in chart
        else [chart]
    )
