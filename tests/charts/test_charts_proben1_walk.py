"""The charts of linear networks, the architecture search and today's learners carry what they were given."""

import json

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.output import picture
from benchbook.charts.promised import promised_and_kept
from benchbook.charts.searched import MOST, searched
from benchbook.charts.then_and_now import then_and_now
from benchbook.errors import FaultyInput

GAINS = pl.DataFrame({"dataset": ["a1", "b1", "c1"], "kind": ["classification"] * 2 + ["approximation"],
                      "promised": [0.2, 0.0, -0.1], "kept": [0.05, 0.01, -0.02]})
RUNS = pl.DataFrame({"dataset": ["a1"] * 3 + ["b1"], "topology": ["4l", "16+8s", "2l", "2l"],
                     "outputs": ["linear", "sigmoid", "linear", "linear"], "connections": [50, 400, 20, 30],
                     "ratio": [1.0, 1.04, 2.5, 1.0], "test_error": [3.0, 3.5, 9.0, 1.0]})
LATER = pl.DataFrame({"dataset": ["a1", "a1", "b1", "b1"], "method": ["forest", "line"] * 2,
                      "ratio": [0.5, 1.1, 0.9, 2.0], "error": [1.0, 2.2, 3.0, 7.0]})


def test_promised_and_kept_names_what_is_far_and_counts_the_shortfall():
    chart = promised_and_kept(GAINS)
    table = pl.read_csv(charts.data_csv(chart).encode())
    assert table["promised"].to_list() == GAINS["promised"].to_list()
    assert "1 dataset promised more than 5%: a1 promised +20% and kept +5%" in chart.description
    assert "1 are below the diagonal" in chart.description
    assert "stopped more than 5% short of least squares on the validation cases: c1" in chart.description
    svg = picture(charts.specification(chart))
    assert ">a1<" in svg
    assert ">b1<" not in svg


def test_a_search_is_chosen_by_a_menu_and_far_runs_stand_at_the_edge():
    chart = searched(RUNS)
    spec = charts.specification(chart)
    assert [one["bind"]["options"] for one in spec["params"] if "bind" in one] == [["a1", "b1"]]
    rows = pl.read_csv(charts.data_csv(chart).encode())
    assert rows["ratio"].to_list() == RUNS["ratio"].to_list()
    assert f'"_at": {MOST}' in json.dumps(spec)
    assert "The best is 4l; 1 others are within 5% of it and 1 within 10%. Within 5% there are 4l and 16+8s." \
        in chart.description
    assert ">4l<" in picture(spec)


def test_then_and_now_sorts_by_what_was_gained_most():
    chart = then_and_now(LATER, "the pivot networks", methods=["line", "forest"])
    assert "line is better on 0 of 2, median ratio 1.55 and forest is better on 2 of 2, median ratio 0.70" \
        in chart.description
    assert '"sort": ["a1", "b1"]' in json.dumps(charts.specification(chart))
    with pytest.raises(FaultyInput, match="no method 'tree'"):
        then_and_now(LATER, "the pivot networks", methods=["tree"])


@pytest.mark.parametrize(("draw", "table"), [
    (promised_and_kept, GAINS), (searched, RUNS), (lambda table: then_and_now(table, "x"), LATER)])
def test_what_cannot_be_drawn_is_refused(draw, table):
    with pytest.raises(FaultyInput, match="no lines"):
        draw(table.clear())
    with pytest.raises(FaultyInput, match="is needed"):
        draw(table.drop("dataset"))
    assert draw(table).description
