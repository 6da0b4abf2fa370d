"""Runs and ranks by permutation, as the chapter draws them."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.errors import FaultyInput

RANKS = pl.DataFrame(
    {
        "problem": ["a"] * 4,
        "permutation": [1, 1, 2, 2],
        "method": ["m", "n", "m", "n"],
        "rank": [1.0, 2.0, 2.0, 1.0],
        "mean": [1.0, 2.0, 3.0, 2.5],
    }
)


def test_permutations_and_their_middles(page):
    runs = pl.DataFrame(
        {"problem": ["a"] * 4, "permutation": [1, 1, 2, 2], "relative": [0.5, 2.0, 4.0, 1.0]}
    )
    assert "a 1 and 2." in page.runs_and_permutations(runs).description


def test_ranks_name_the_best_of_every_permutation(page):
    chart = page.rank_order(RANKS)
    assert chart.description.endswith("a: m, n.")
    assert charts.specification(chart)["usermeta"]["benchbook"]["panels"]["count"] == 1


def test_empty_tables_are_refused(page):
    with pytest.raises(FaultyInput):
        page.runs_and_permutations(pl.DataFrame())
    with pytest.raises(FaultyInput):
        page.rank_order(pl.DataFrame())
