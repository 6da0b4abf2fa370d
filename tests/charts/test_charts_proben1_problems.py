"""The charts of the problems and their representation: they draw what they are given, and say it."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.codings import coding_costs
from benchbook.charts.encoded_line import encoded_line
from benchbook.charts.output import picture
from benchbook.charts.portions import portion_shares
from benchbook.charts.unexplained import linear_unexplained
from benchbook.errors import FaultyInput

CELLS = pl.DataFrame({
    "case": ["one"] * 4 + ["two"] * 4, "attribute": ["size", "colour", "colour", "colour"] * 2,
    "raw": ["3", "red", "red", "red", "-2", "?", "?", "?"], "column": [0, 0, 1, 2] * 2,
    "value": [0.25, 1.0, 0.0, 0.0, -0.5, 0.0, 0.0, 1.0], "kind": ["continuous", "binary", "binary", "missing"] * 2})
MEANS = pl.DataFrame({
    "permutation": ["a1"] * 4 + ["a2"] * 4, "portion": ["training", "training", "test", "test"] * 2,
    "output": ["x", "y"] * 4, "cases": [10, 10, 5, 5] * 2, "mean": [0.5, 0.5, 0.4, 0.6, 0.9, 0.1, 0.2, 0.7]})
LEFT = pl.DataFrame({"problem": ["easy"] * 3 + ["hard"] * 3, "permutation": [1, 2, 3] * 2,
                     "unexplained": [0.1, 0.2, 0.3, 0.9, 1.0, 1.7]})
COSTS = pl.DataFrame({"data": ["d"] * 4, "coding": ["c"] * 4, "network": ["linear", "linear", "deep", "deep"],
                      "permutation": [1, 2, 1, 2], "cost": [0.1, 0.3, -0.2, 0.0]})
ALL = [(encoded_line, CELLS), (portion_shares, MEANS), (linear_unexplained, LEFT), (coding_costs, COSTS)]


def drawn(chart):
    spec = charts.specification(chart)
    tables = [*spec.get("datasets", {}).values(), spec.get("data", {}).get("values", [])]
    return pl.DataFrame(max(tables, key=len), infer_schema_length=None)


@pytest.mark.parametrize(("chart", "frame"), ALL)
def test_a_picture_is_drawn_and_carries_its_data(chart, frame):
    made = chart(frame)
    assert "<svg" in picture(charts.specification(made))
    assert drawn(made).height == frame.height


@pytest.mark.parametrize(("chart", "frame"), ALL)
def test_tables_without_lines_or_columns_are_refused(chart, frame):
    with pytest.raises(FaultyInput, match="no lines"):
        chart(frame.head(0))
    with pytest.raises(FaultyInput, match=frame.columns[1]):
        chart(frame.drop(frame.columns[1]))


def test_boxes_are_filled_as_far_as_the_inputs_go():
    boxes = drawn(encoded_line(CELLS))
    lengths = (boxes["_to"] - boxes["_from"]) / (boxes["_right"] - boxes["_left"])
    assert lengths.round(6).to_list() == CELLS["value"].abs().to_list()
    assert boxes.row(4, named=True)["_to"] == boxes.row(4, named=True)["_right"]


def test_words_of_the_encoded_line():
    words = encoded_line(CELLS).description
    assert "one and two" in words
    assert "size 3 becomes 0.25; colour red becomes 1 0 0" in words


def test_words_of_the_portions_name_what_differs_most():
    assert "in a2 x differs most among the portions, from 20.0% to 90.0%" in portion_shares(MEANS).description
    assert "from 0.2 to 0.9" in portion_shares(MEANS, title="mean of the output").description


def test_words_and_marks_of_what_is_unexplained():
    chart = linear_unexplained(LEFT)
    assert "hard 1.2 (0.9 to 1.7) and easy 0.2 (0.1 to 0.3)" in chart.description
    assert drawn(chart)["_at"].max() == 1.2
    assert drawn(chart)["_beyond"].sum() == 1


def test_words_of_the_costs():
    assert "d: c, linear +20% (+10% to +30%) and c, deep -10% (-20% to +0%)" in coding_costs(COSTS).description
