"""The chart of the chapter on method and model."""

import polars as pl


def test_drawn(page):
    table = pl.DataFrame(
        {
            "panel": ["p"] * 3,
            "set": [1, 2, 3],
            "estimate": [1.0, 2.0, 3.0],
            "low": [0.5, 1.5, 2.5],
            "high": [1.5, 2.5, 3.5],
            "model": [1.2, 2.7, 2.6],
            "method": [2.0] * 3,
            "method_low": [1.9] * 3,
            "method_high": [2.1] * 3,
        }
    )
    page.intervals_and_truths(table, "m²")
