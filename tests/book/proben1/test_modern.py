"""The chart of the learners of today beside the networks of 1994."""

import json

import polars as pl
import pytest

from benchbook import charts
from benchbook.errors import FaultyInput

LATER = pl.DataFrame(
    {
        "dataset": ["a1", "a1", "b1", "b1"],
        "method": ["forest", "line"] * 2,
        "ratio": [0.5, 1.1, 0.9, 2.0],
        "error": [1.0, 2.2, 3.0, 7.0],
    }
)


def test_then_and_now_sorts_by_what_was_gained_most(page):
    chart = page.then_and_now(LATER, "the pivot networks", methods=["line", "forest"])
    assert (
        "line is better on 0 of 2, median ratio 1.55 and forest is better on 2 of 2, median ratio 0.70"
        in chart.description
    )
    assert '"sort": ["a1", "b1"]' in json.dumps(charts.specification(chart))
    with pytest.raises(FaultyInput, match="no method 'tree'"):
        page.then_and_now(LATER, "the pivot networks", methods=["tree"])


def test_what_cannot_be_drawn_is_refused(page):
    with pytest.raises(FaultyInput, match="no lines"):
        page.then_and_now(LATER.clear(), "x")
    with pytest.raises(FaultyInput, match="is needed"):
        page.then_and_now(LATER.drop("dataset"), "x")
