"""The room that a page keeps for a chart before it is drawn."""

import altair as alt
import polars as pl
import pytest

from benchbook.charts.kit import output, parts, room


def spec(chart):
    return output.specification(chart)


@pytest.fixture
def marks():
    names = [f"a rather long name {k}" for k in range(8)]
    table = pl.DataFrame({"name": names, "value": [float(k) for k in range(8)]})
    legend = alt.Legend(columns=3)
    colour = alt.Color("name:N", scale=alt.Scale(domain=names), legend=legend)
    return alt.Chart(table).mark_point().encode(x="value:Q", color=colour)


def test_a_legend_has_more_lines_on_a_telephone(marks):
    found = room.heights(spec(parts.finish(marks, "eight marks", "marks", height=200)))
    assert 230 < found["wide"] < found["narrow"] < 500


def test_sliders_have_room(marks):
    plain = room.heights(spec(marks))
    slider = parts.slider("k", 1.0, [1.0, 2.0], "k")
    assert room.heights(spec(marks.add_params(slider)))["wide"] == plain["wide"] + 34


def test_panels_stand_below_each_other_where_there_is_no_room(marks):
    faceted = marks.properties(width=200, height=100).facet("name:N", columns=4)
    layout = {"count": 8, "least": 150, "most": 200, "gap": 20, "margin": 60}
    found = room.heights(spec(parts.finish(faceted, "panels", "panels", layout=layout)))
    assert found["narrow"] > 1.6 * found["wide"]
