"""The chart of the learners of today beside the networks of 1994."""

import polars as pl

LATER = pl.DataFrame(
    {
        "dataset": ["a1", "a1", "b1", "b1"],
        "method": ["forest", "line"] * 2,
        "ratio": [0.5, 1.1, 0.9, 2.0],
        "error": [1.0, 2.2, 3.0, 7.0],
    }
)


def test_drawn(page):
    page.then_and_now(LATER, "the pivot networks", methods=["line", "forest"])
