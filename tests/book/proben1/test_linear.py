"""The chart of what stopping promises and keeps."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

GAINS = pl.DataFrame(
    {
        "dataset": ["a1", "b1", "c1"],
        "kind": ["classification"] * 2 + ["approximation"],
        "validation_gain": [0.2, 0.0, -0.1],
        "test_gain": [0.05, 0.01, -0.02],
    }
)


def test_gains_chart_names_what_is_far_and_counts_the_shortfall(page):
    chart = page.gains_chart(GAINS)
    table = pl.read_csv(charts.data_csv(chart).encode())
    assert table["validation_gain"].to_list() == GAINS["validation_gain"].to_list()
    assert (
        "1 dataset gained more than 5% on the validation cases: a1 +20% and +5% on the test cases"
        in chart.description
    )
    assert "1 are below the diagonal" in chart.description
    assert (
        "stopped more than 5% short of least squares on the validation cases: c1"
        in chart.description
    )
    picture(charts.specification(chart))


def test_what_cannot_be_drawn_is_refused(page):
    with pytest.raises(FaultyInput, match="no lines"):
        page.gains_chart(GAINS.clear())
    with pytest.raises(FaultyInput, match="is needed"):
        page.gains_chart(GAINS.drop("dataset"))
