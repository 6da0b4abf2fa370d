"""Expected utilities line by line: the row of a distribution, the axis, where a rule is drawn, and the words."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess.densities import Distribution
from benchbook.charts import specification
from benchbook.charts.expected_utilities import utilities_chart, utility_row

TABLE = pl.DataFrame(
    {
        "panel": ["a", "a", "b"],
        "row": ["weights", "folds", "weights"],
        "model": ["m", "m", "n"],
        "estimate": [1.0, 2.0, 1.5],
        "low": [0.5, None, 1.25],
        "high": [1.75, None, 3.0],
        "truth": [None, 2.25, None],
    }
)


def test_a_row_has_the_estimate_and_the_ninety_per_cent_of_a_distribution():
    values = Distribution(np.arange(101.0), 40.0)
    row = utility_row(values, "a", "weights", "m", truth=3.0, extra=1)
    assert list(row) == ["extra", *TABLE.columns]
    assert (row["estimate"], row["truth"]) == (40.0, 3.0)
    assert (row["low"], row["high"]) == values.interval(0.9)


@pytest.mark.parametrize(("reference", "low", "high"), [(None, 0.4, 3.1), (4.0, 0.36, 4.14)])
def test_the_axis_holds_all_numbers_and_the_rule_with_a_twenty_fifth_beside(reference, low, high):
    spec = specification(utilities_chart(TABLE, "error", "errors", reference=reference))
    (domain,) = [
        layer["encoding"]["x"]["scale"]["domain"]
        for layer in spec["spec"]["layer"]
        if layer["encoding"]["x"].get("title") == "error"
    ]
    assert domain == pytest.approx([low, high])


def test_the_rule_is_drawn_once_a_panel_and_the_words_have_every_number():
    spec = specification(utilities_chart(TABLE, "error", "errors", reference=1.0, fmt=".2f"))
    drawn = spec["data"]["values"]
    assert [line["first"] for line in drawn] == [True, False, True]
    assert [line["low"] for line in drawn] == [0.5, None, 1.25]
    assert spec["description"].startswith("Error, with 90 % intervals and the truth. a: ")
    assert "weights, m: 1.00 (0.50 to 1.75), folds, m: 2.00, truth 2.25; b: " in spec["description"]
