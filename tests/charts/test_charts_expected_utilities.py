"""Expected utilities line by line: the row of a distribution, the axis, where a rule is drawn, and the words."""

import numpy as np
import polars as pl

from benchbook.assess.densities import Distribution
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


def test_drawn():
    utilities_chart(TABLE, "error", "errors")
    utilities_chart(TABLE, "error", "errors", reference=4.0, fmt=".2f")
