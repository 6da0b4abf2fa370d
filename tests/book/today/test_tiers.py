"""Loss against seconds from few training cases to many: the bars, and who is in colour."""

import polars as pl

FOUND = pl.DataFrame(
    {
        "method": ["a", "a", "b", "b", "c", "c"],
        "training_cases": [64, 1024] * 3,
        "seconds": [1.0, 10.0, 2.0, 20.0, 0.5, 5.0],
        "mean": [0.75, 0.25, 0.5, 0.125, 0.875, 0.5],
        "standard_error": [0.125, 0.0625, 0.25, 0.03125, 0.125, 0.0625],
    }
)


def test_drawn(page):
    page.paths(FOUND, 2)
