"""Coverage by world and procedure."""

import polars as pl
import pytest

from benchbook.charts import specification
from benchbook.charts.worlds import coverage_chart
from benchbook.errors import FaultyInput


def test_every_procedure_of_every_world_is_drawn_and_told():
    table = pl.DataFrame(
        {
            "world": ["a", "a", "b"],
            "procedure": ["p", "q", "p"],
            "interval": ["i", "i", "j"],
            "coverage": [0.8, 0.9, 0.25],
            "standard_error": [0.01, 0.02, 0.03],
        }
    )
    spec = specification(coverage_chart(table, 0.9))
    values = next(layer["data"]["values"] for layer in [spec["spec"], spec] if "data" in layer)
    assert len(values) == 3
    assert "a: p (i) 80%, q (i) 90%; b: p (j) 25%" in spec["description"]
    with pytest.raises(FaultyInput, match="standard_error"):
        coverage_chart(table.drop("standard_error"), 0.9)
