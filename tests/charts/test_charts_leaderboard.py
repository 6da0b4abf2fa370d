"""Leaderboard entries by two losses: what is drawn, what is said of it, and no remark from the renderer."""

import polars as pl
import pytest
import vl_convert

from benchbook.charts.kit import output
from benchbook.charts.leaderboard import losses_against
from benchbook.errors import FaultyInput

ENTRIES = pl.DataFrame(
    {
        "entry": ["good", "early", "game", "baseline", "wild", "lost"],
        "kind": ["entry", "before", "exploit", "baseline", "entry", "entry"],
        "x": [0.1, 0.2, 0.3, 1.0, 0.09, 3.0],
        "y": [2.0, 2.5, -4.0, 4.0, 200.0, float("inf")],
    }
)


def test_it_is_drawn_without_remarks_and_far_entries_stand_at_the_edge(capfd):
    spec = output.specification(losses_against(ENTRIES, "nMSE", "NLPD"))
    vl_convert.vegalite_to_vega(spec, vl_version="6.4", show_warnings=True)
    assert "WARN" not in "".join(capfd.readouterr())
    drawn = {row["entry"]: row for row in spec["data"]["values"]}
    assert set(drawn) == set(ENTRIES["entry"]) - {"lost"}
    assert drawn["wild"]["_y"] == pytest.approx(4.0 + 2 * 8.0)
    assert drawn["wild"]["y"] == 200
    text = spec["description"]
    assert "the smallest NLPD is that of game, -4" in text
    assert "the smallest nMSE is that of wild, with NLPD 200" in text
    assert "1 mark at the upper edge stand" in text
    assert "1 entry with infinite losses left out" in text


def test_a_scale_is_logarithmic_where_the_losses_ask_for_it():
    wide, less = (
        pl.DataFrame({"entry": ["a", "b"], "kind": "entry", "x": [1.0, top], "y": 1.0})
        for top in (20.5, 20.0)
    )
    types = [
        output.specification(losses_against(table, "nMSE", "NLPD"))["encoding"]["x"]["scale"].get(
            "type"
        )
        for table in (ENTRIES, less, wide)
    ]
    assert types == [None, None, "log"]


def test_too_few_entries_give_no_chart_and_missing_columns_are_told():
    assert losses_against(ENTRIES.head(1), "nMSE", "NLPD") is None
    with pytest.raises(FaultyInput, match="'x' is needed"):
        losses_against(ENTRIES.drop("x"), "nMSE", "NLPD")
