"""The chart of the chapter on four answers."""

import polars as pl


def test_drawn(page):
    table = pl.DataFrame(
        {
            "work": ["DELVE", "Vehtari"],
            "training_cases": [32, 1030],
            "difference": [-1.0, -2.0],
            "low": [-2.0, -3.0],
            "high": [0.5, -1.0],
            "sure": ["p = 0.2", "probability 1.00"],
        }
    )
    page.difference_chart(table, "a", "b", "m²")
