"""Runs and ranks by permutation, as the chapter draws them."""

import polars as pl

RANKS = pl.DataFrame(
    {
        "problem": ["a"] * 4,
        "permutation": [1, 1, 2, 2],
        "method": ["m", "n", "m", "n"],
        "rank": [1.0, 2.0, 2.0, 1.0],
        "mean": [1.0, 2.0, 3.0, 2.5],
    }
)


def test_drawn(page):
    page.runs_and_permutations(
        pl.DataFrame(
            {"problem": ["a"] * 4, "permutation": [1, 1, 2, 2], "relative": [0.5, 2.0, 4.0, 1.0]}
        )
    )
    page.rank_order(RANKS)
