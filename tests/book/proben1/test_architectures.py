"""The chart of an architecture search."""

import polars as pl

RUNS = pl.DataFrame(
    {
        "dataset": ["a1"] * 3 + ["b1"],
        "topology": ["4l", "16+8s", "2l", "2l"],
        "connections": [50, 400, 20, 30],
        "ratio": [1.0, 1.04, 2.5, 1.0],
        "test_error": [3.0, 3.5, 9.0, 1.0],
    }
)


def test_drawn(page):
    page.searched(RUNS)
