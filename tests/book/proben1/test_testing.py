"""Outliers in and out, on the page about honest tests: the counts, and what the charts say."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

POINTS = pl.DataFrame(
    {
        "dataset": ["a1"] * 6 + ["b1"] * 6,
        "method": (["x"] * 3 + ["y"] * 3) * 2,
        "error": [1.0, 1.1, 5.0, 1.2, 1.3, 1.25] * 2,
        "place": [3, 2, 1, 1, 2, 3] * 2,
    }
)
PATH = pl.DataFrame(
    {
        "dataset": ["a1", "a1", "b1", "b1"],
        "removed": [0, 1, 0, 1],
        "p": [0.4, 0.01, 0.5, 0.6],
        "normal": [False, True, True, True],
    }
)


@pytest.fixture
def page(chapter):
    return chapter("proben1/testing")


def test_outliers_and_the_p_that_is_left(page):
    chart = page.outliers_out(POINTS, PATH)
    assert "On 1 the verdict at 10% changes" in chart.description
    assert "a1: p = 0.4 with all runs, p = 0.01 with 1 out of each" in chart.description
    svg = picture(charts.specification(chart))
    assert "p = 0.4, not significant" in svg
    assert "(unreliable: not log-normal)" in svg
    assert svg.count("×") == 0


def test_paths_whose_verdict_changes_are_marked(page):
    rows = charts.specification(page.p_paths(PATH))["layer"][0]["data"]["values"]
    assert {row["dataset"]: row["verdict"] for row in rows} == {
        "a1": "verdict changes",
        "b1": "stays",
    }


def test_empty_tables_are_refused(page):
    with pytest.raises(FaultyInput):
        page.p_paths(pl.DataFrame())
