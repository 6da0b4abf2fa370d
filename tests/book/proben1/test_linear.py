"""The chart of what stopping promises and keeps."""

import polars as pl

GAINS = pl.DataFrame(
    {
        "dataset": ["a1", "b1", "c1"],
        "kind": ["classification"] * 2 + ["approximation"],
        "validation_gain": [0.2, 0.0, -0.1],
        "test_gain": [0.05, 0.01, -0.02],
    }
)


def test_drawn(page):
    page.gains_chart(GAINS)
