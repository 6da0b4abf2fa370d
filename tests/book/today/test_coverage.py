"""Our conformal intervals against those of crepes and MAPIE, which a script has kept."""

import polars as pl
import pytest

from benchbook import studies


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
