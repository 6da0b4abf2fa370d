"""The charts of the problems and their representation: they draw what they are given, and say it."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.errors import FaultyInput

CELLS = pl.DataFrame(
    {
        "case": ["one"] * 4 + ["two"] * 4,
        "attribute": ["size", "colour", "colour", "colour"] * 2,
        "raw": ["3", "red", "red", "red", "-2", "?", "?", "?"],
        "column": [0, 0, 1, 2] * 2,
        "value": [0.25, 1.0, 0.0, 0.0, -0.5, 0.0, 0.0, 1.0],
        "kind": ["continuous", "binary", "binary", "missing"] * 2,
    }
)
COSTS = pl.DataFrame(
    {
        "data": ["d"] * 4,
        "coding": ["c"] * 4,
        "network": ["linear", "linear", "deep", "deep"],
        "permutation": [1, 2, 1, 2],
        "cost": [0.1, 0.3, -0.2, 0.0],
    }
)
ALL = [("encoded_line", CELLS), ("coding_costs", COSTS)]


def drawn(chart):
    return pl.DataFrame(charts.specification(chart)["data"]["values"], infer_schema_length=None)


@pytest.mark.parametrize(("chart", "frame"), ALL)
def test_a_picture_is_drawn_and_carries_its_data(page, chart, frame):
    made = getattr(page, chart)(frame)
    assert drawn(made).height == frame.height


@pytest.mark.parametrize(("chart", "frame"), ALL)
def test_tables_without_lines_or_columns_are_refused(page, chart, frame):
    chart = getattr(page, chart)
    with pytest.raises(FaultyInput, match="no lines"):
        chart(frame.head(0))
    with pytest.raises(FaultyInput, match=frame.columns[1]):
        chart(frame.drop(frame.columns[1]))


def test_boxes_are_filled_as_far_as_the_inputs_go(page):
    boxes = drawn(page.encoded_line(CELLS))
    lengths = (boxes["_to"] - boxes["_from"]) / (boxes["_right"] - boxes["_left"])
    assert lengths.round(6).to_list() == CELLS["value"].abs().to_list()
    assert boxes.row(4, named=True)["_to"] == boxes.row(4, named=True)["_right"]
