"""The chart of an architecture search."""

import json

import polars as pl
import pytest

from benchbook import charts
from benchbook.errors import FaultyInput

RUNS = pl.DataFrame(
    {
        "dataset": ["a1"] * 3 + ["b1"],
        "topology": ["4l", "16+8s", "2l", "2l"],
        "connections": [50, 400, 20, 30],
        "ratio": [1.0, 1.04, 2.5, 1.0],
        "test_error": [3.0, 3.5, 9.0, 1.0],
    }
)


def test_a_search_is_chosen_by_a_menu_and_far_runs_stand_at_the_edge(page):
    chart = page.searched(RUNS)
    spec = charts.specification(chart)
    assert [item["bind"]["options"] for item in spec["params"] if "bind" in item] == [["a1", "b1"]]
    rows = pl.read_csv(charts.data_csv(chart).encode())
    assert rows["ratio"].to_list() == RUNS["ratio"].to_list()
    assert f'"_at": {page.MOST}' in json.dumps(spec)
    assert (
        "The best is 4l; 1 others are within 5% of it and 1 within 10%. Within 5% there are 4l and 16+8s."
        in chart.description
    )
    assert '"outputs": "sigmoid"' in json.dumps(spec)


def test_what_cannot_be_drawn_is_refused(page):
    with pytest.raises(FaultyInput, match="no lines"):
        page.searched(RUNS.clear())
    with pytest.raises(FaultyInput, match="is needed"):
        page.searched(RUNS.drop("dataset"))
