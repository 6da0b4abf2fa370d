"""Our conformal intervals against crepes and MAPIE, our Gaussian process against GPyTorch; scripts have kept theirs."""

import polars as pl
import pytest

from benchbook import studies
from benchbook.charts import specification


@pytest.fixture(scope="module")
def libraries():
    return studies.simulated("plain-conformal")


def test_ours_are_theirs(chapter, libraries):
    found = chapter("today/coverage").conformal_apart(libraries)
    assert found.height == 12
    assert found["apart"].max() < 1e-12
    assert found["width"].min() > 0.2


def test_intervals_of_another_rank_would_be_found(chapter, libraries):
    other = libraries.with_columns(coverage=pl.col("coverage").replace({0.8: 0.9, 0.9: 0.8}))
    found = chapter("today/coverage").conformal_apart(other)
    assert found.filter(pl.col("coverage") > 0.5)["apart"].min() > 0.05


def test_bars_of_coverage_are_two_standard_errors_up_and_down(chapter):
    found = pl.DataFrame(
        {
            "method": ["a", "b"],
            "promised": [0.8, 0.8],
            "coverage": [0.75, 0.5],
            "standard_error": [0.01, 0.125],
        }
    )
    rows = specification(chapter("today/coverage").coverages(found))["layer"][1]["data"]["values"]
    assert [(row["low"], row["high"]) for row in rows] == [
        pytest.approx((0.73, 0.77)),
        (0.25, 0.75),
    ]


@pytest.fixture(scope="module")
def processes():
    return studies.simulated("plain-processes").filter(pl.col("task").str.ends_with(".64"))


def test_our_gaussian_process_is_gpytorchs_with_the_same_hyperparameters(chapter, processes):
    found = chapter("today/coverage").processes_apart(processes)
    assert found.height == 4
    assert found.select(pl.max_horizontal("mean", "sd").max()).item() < 1e-9


def test_another_length_scale_would_be_found(chapter, processes):
    first = (pl.col("kind") == "hyperparameter") & (pl.col("number") == 2)
    other = processes.with_columns(
        value=pl.when(first).then(pl.col("value") + 0.1).otherwise("value")
    )
    assert chapter("today/coverage").processes_apart(other)["mean"].min() > 1e-4
