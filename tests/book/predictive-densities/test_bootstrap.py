"""The Bayesian bootstrap, weight by weight and part by part."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess.densities import MEAN, ROOT_MEAN


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


def test_weights_make_the_summaries_that_are_shown(page):
    u = np.arange(1.0, 8.0)
    weights, replicates = page.replicates_shown(u, MEAN, 5, np.random.default_rng(1))
    by_replicate = weights.group_by("replicate", maintain_order=True)
    again = by_replicate.agg(
        mean=(pl.col("u") * pl.col("weight")).sum(), all=pl.col("weight").sum()
    )
    np.testing.assert_allclose(again["mean"], replicates["summary"])
    np.testing.assert_allclose(again["all"], 1.0)


def test_drawn(page):
    weights = pl.DataFrame(
        {
            "replicate": [1, 1, 2, 2, 3, 3],
            "case": [1, 2] * 3,
            "u": [10.0, 20.0] * 3,
            "weight": [0.5, 0.5, 0.45, 0.55, 0.1, 0.9],
        }
    )
    replicates = pl.DataFrame({"replicate": [1, 2, 3], "summary": [15.0, 15.5, 19.0]})
    page.dancing_weights(weights, replicates, 10, "error", 3)
