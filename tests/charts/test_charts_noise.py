"""The charts of one noise level for all: the data drawn is that given, the words say it, what is missing is refused."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.noise import noise_among_spreads, stated_and_seen
from benchbook.charts.output import picture
from benchbook.errors import FaultyInput

TRACE = pl.DataFrame({"passes": [10.0, 20.0, 30.0, 40.0], "value": [1.5, 0.4, 0.2, 0.1]})
SPREADS = pl.DataFrame({"part": ["lowest third", "highest third"], "value": [0.1, 1.2]})
LEVELS = pl.DataFrame({
    "panel": ["one"] * 4 + ["other"] * 4, "group": [1, 2] * 4, "kind": ["stated", "stated", "seen", "seen"] * 2,
    "value": [0.2, 0.3, 0.1, 0.9, 0.1, 0.8, 0.15, 0.7]})


def test_trace_and_spreads_are_drawn_as_given():
    svg = picture(charts.specification(noise_among_spreads(TRACE, SPREADS, 15.0)))
    assert "kept from here" in svg
    assert "lowest third" in svg


def test_words_tell_where_the_chain_went_and_what_stands_beside_it():
    words = noise_among_spreads(TRACE, SPREADS, 15.0).description
    assert "begins at 1.5 and ends at 0.1; its median after 15 passes is 0.2" in words
    assert "lowest third 0.1 and highest third 1.2" in words
    assert "its median" not in noise_among_spreads(TRACE, SPREADS, 99.0).description


def test_levels_are_drawn_in_a_panel_each():
    chart = stated_and_seen(LEVELS)
    spec = charts.specification(chart)
    drawn = pl.DataFrame(max(spec["datasets"].values(), key=len) if "data" not in spec else spec["data"]["values"])
    assert drawn["value"].to_list() == LEVELS["value"].to_list()
    svg = picture(spec)
    assert svg.index(">one<") < svg.index(">other<")
    words = chart.description
    assert "one: stated from 0.2 in the first to 0.3 in the last; seen from 0.1" in words


@pytest.mark.parametrize("column", ["panel", "group", "kind", "value"])
def test_a_table_that_lacks_a_column_is_refused(column):
    with pytest.raises(FaultyInput, match=column):
        stated_and_seen(LEVELS.drop(column))


def test_a_table_without_lines_is_refused():
    with pytest.raises(FaultyInput, match="no lines"):
        noise_among_spreads(TRACE.head(0), SPREADS, 15.0)
