"""The chart of what methods make of their inputs: what it draws is the traces, what it names is the truth."""

import polars as pl
import pytest
from refusals import refused

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

INPUTS = ["angle", "speed", "torque", "mass"]
TRUTH = pl.DataFrame({"input": INPUTS, "share": [0.02, 0.0, 0.98, 0.001]})
MARKS = pl.DataFrame({"panel": ["one"], "passes": [30.0], "says": ["chosen"]})


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("delve/methods_charts")


def drawn(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def traces():
    lines = [
        (panel, float(passes), name, value * factor)
        for panel, factor in (("one", 1.0), ("two", 0.1))
        for passes in (1, 10, 100)
        for name, value in zip(INPUTS, (0.5, 0.0, 2.0, 0.01), strict=True)
    ]
    return pl.DataFrame(lines, schema=["panel", "passes", "input", "value"], orient="row")


def test_every_value_is_in_the_chart(page):
    table = drawn(page.relevance_traces(traces(), TRUTH, named=2))
    assert (
        table.select("panel", "passes", "input", "value")
        .sort(pl.all())
        .equals(traces().with_columns(pl.col("passes").cast(pl.Int64)).sort(pl.all()))
    )


def test_only_the_inputs_that_matter_have_colours(page):
    spec = charts.specification(page.relevance_traces(traces(), TRUTH, named=2))
    labelled = {line["_label"] for line in spec["data"]["values"]}
    assert labelled == {"torque: 98 %", "angle: 2 %", "all others"}


def test_values_below_the_least_are_drawn_at_it(page):
    spec = charts.specification(page.relevance_traces(traces(), TRUTH, named=2, least=0.02))
    lines = spec["data"]["values"]
    drawn = {(line["input"], line["value"]): line["_drawn"] for line in lines}
    assert drawn["speed", 0.0] == 0.02
    assert drawn["mass", 0.01] == 0.02
    assert drawn["torque", 2.0] == 2.0


def test_rules_are_drawn_in_their_panel(page):
    plain, marked = (
        picture(charts.specification(page.relevance_traces(traces(), TRUTH, marks, named=2)))
        for marks in (None, MARKS)
    )
    assert "chosen" not in plain
    assert marked.count(">chosen<") == 1


def test_what_is_refused(page):
    refused(FaultyInput, "no input 'mass'", page.relevance_traces, traces(), TRUTH.head(3))
    refused(FaultyInput, "5 inputs at most", page.relevance_traces, traces(), TRUTH, named=6)
    refused(FaultyInput, "'value' is needed", page.relevance_traces, traces().drop("value"), TRUTH)
