"""Our conformal intervals against crepes and MAPIE, our Gaussian process against GPyTorch; scripts have kept theirs."""

import polars as pl
import pytest

from benchbook import studies


@pytest.fixture(scope="module")
def libraries():
    return studies.simulated("plain-conformal")


def test_ours_are_theirs(page, libraries):
    found = page.conformal_apart(libraries)
    assert found.height == 12
    assert found["apart"].max() < 1e-12
    assert found["width"].min() > 0.2


def test_intervals_of_another_rank_would_be_found(page, libraries):
    other = libraries.with_columns(coverage=pl.col("coverage").replace({0.8: 0.9, 0.9: 0.8}))
    found = page.conformal_apart(other)
    assert found.filter(pl.col("coverage") > 0.5)["apart"].min() > 0.05


@pytest.fixture(scope="module")
def processes():
    return studies.simulated("plain-processes").filter(pl.col("task").str.ends_with(".64"))


def test_our_gaussian_process_is_gpytorchs_with_the_same_hyperparameters(page, processes):
    found = page.processes_apart(processes)
    assert found.height == 4
    assert found.select(pl.max_horizontal("mean", "sd").max()).item() < 1e-9


def test_another_length_scale_would_be_found(page, processes):
    first = (pl.col("kind") == "hyperparameter") & (pl.col("number") == 2)
    other = processes.with_columns(
        value=pl.when(first).then(pl.col("value") + 0.1).otherwise("value")
    )
    assert page.processes_apart(other)["mean"].min() > 1e-4


def test_drawn(page):
    found = {"method": ["a", "b"], "promised": [0.8, 0.9], "coverage": [0.75, 0.5]}
    page.coverages(pl.DataFrame(found | {"standard_error": [0.01, 0.125]}))
