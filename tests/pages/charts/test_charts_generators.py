"""Clouds of recorded targets about a clean function."""

import polars as pl

from benchbook_book.pages.charts.explained import explained


def test_drawn():
    """One panel of mean 5 and deviation 1, and one that differs in its unit."""
    clean = pl.Series([4.0, 6.0, 6.0, 4.0, 6.0, 4.0])
    one = pl.DataFrame({"panel": "a, one", "clean": clean, "recorded": 2 * clean - 4.5})
    numbers = (pl.col("clean", "recorded") * 40 - 7, pl.lit("b, two").alias("panel"))
    explained(pl.concat([one, one.with_columns(*numbers)]))
