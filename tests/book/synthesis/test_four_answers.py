"""The chart of the chapter on four answers."""

import polars as pl
import pytest

from benchbook.errors import FaultyInput


def test_the_works_are_told_and_a_table_without_a_column_is_refused(chapter):
    draw = chapter("synthesis/four_answers").difference_chart
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
    spec = draw(table, "a", "b", "m²").to_dict()
    assert "Vehtari, 1030 training cases" in spec["description"]
    bar, point = (layer["encoding"] for layer in spec["layer"][1:])
    assert (bar["x"]["field"], bar["x2"]["field"], point["x"]["field"]) == (
        "low",
        "high",
        "difference",
    )
    with pytest.raises(FaultyInput, match="sure"):
        draw(table.drop("sure"), "a", "b", "m²")
