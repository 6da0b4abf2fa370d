"""The chart of false positives."""

import polars as pl


def test_drawn(page):
    table = pl.DataFrame(
        {
            "procedure": ["ours", "ours", "ours", "theirs", "other"],
            "scenario": ["a", "b", "c", "a", "a"],
            "loss": "squared",
            "rejects": [0.01, 0.02, 0.06, 0.55, 1.0],
        }
    )
    page.false_positives(table, {"ours": "compare", "theirs": "paired t"})
