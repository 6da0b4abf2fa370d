"""The chart of differences on splits."""

import polars as pl


def test_drawn(page):
    found = pl.DataFrame(
        {
            "method": ["a-1", "b-1", "a-1", "b-1"],
            "task": ["uci-yacht/splits/holdout-20"] * 2 + ["uci-energy/splits/holdout-20"] * 2,
            "difference": [0.5, -0.25, 0.125, 1.0],
            "standard_error": [0.1, 0.2, 0.3, 0.4],
            "p": [0.01, 0.2, 0.6, 0.04],
            "usual_p": [0.001, 0.02, 0.3, 0.004],
            "splits": [20] * 4,
            "against": ["mlp-1"] * 4,
        }
    )
    share = {"uci-yacht/splits/holdout-20": 0.11, "uci-energy/splits/holdout-20": 0.25}
    page.differences(found, share)
