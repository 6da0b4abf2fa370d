"""The charts of the problems and their representation: they draw what they are given, and say it."""

import polars as pl

CELLS = pl.DataFrame(
    {
        "case": ["one"] * 4 + ["two"] * 4,
        "attribute": ["size", "colour", "colour", "colour"] * 2,
        "raw": ["3", "red", "red", "red", "-2", "?", "?", "?"],
        "column": [0, 0, 1, 2] * 2,
        "value": [0.25, 1.0, 0.0, 0.0, -0.5, 0.0, 0.0, 1.0],
        "kind": ["continuous", "binary", "binary", "missing"] * 2,
    }
)
COSTS = pl.DataFrame(
    {
        "data": ["d"] * 4,
        "coding": ["c"] * 4,
        "network": ["linear", "linear", "deep", "deep"],
        "permutation": [1, 2, 1, 2],
        "cost": [0.1, 0.3, -0.2, 0.0],
    }
)


def test_drawn(page):
    page.encoded_line(CELLS)
    page.coding_costs(COSTS)
