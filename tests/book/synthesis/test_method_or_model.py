"""The chart of the chapter on method and model."""

import polars as pl
import pytest

from benchbook.errors import FaultyInput


def test_the_chart_counts_who_holds_what(chapter):
    draw = chapter("synthesis/method_or_model").intervals_and_truths
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
    assert "2 cover the truth of their own model" in draw(table, "m²").to_dict()["description"]
    with pytest.raises(FaultyInput, match="model"):
        draw(table.drop("model"), "m²")
