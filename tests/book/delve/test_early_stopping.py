"""The charts of where networks were stopped: shares add up, bins are what they say, curves are those given."""

import polars as pl

LAST = 20_000
CHOSEN = pl.DataFrame(
    {
        "method": ["a"] * 8 + ["b"] * 4,
        "dataset": ["kin"] * 6 + ["bank"] * 2 + ["kin"] * 4,
        "size": [64, 64, 64, 64, 128, 128, 64, 64, 64, 64, 64, 64],
        "iteration": [1, 10, 11, LAST, LAST, LAST - 500, 0, 100, 5, 5, 5, 1000],
    }
)
CURVES = pl.DataFrame(
    {
        "network": [1, 1, 1, 2, 2, 2],
        "iteration": [1, 5, 10] * 2,
        "validation": [1.0, 0.4, 0.6, 1.1, 0.9, 0.7],
        "test": [1.0, 0.5, 0.55, 1.0, 0.8, 0.75],
    }
)
BEST = CURVES.filter(
    ((pl.col("network") == 1) & (pl.col("iteration") == 5))
    | ((pl.col("network") == 2) & (pl.col("iteration") == 10))
)


def test_drawn(page):
    page.selected_iterations(CHOSEN, LAST)
    page.selected_iterations(CHOSEN, LAST, methods=["b"])
    page.validation_curves(CURVES, BEST, 0.5)
