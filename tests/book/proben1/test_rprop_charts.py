"""The charts of Rprop: their lines are those given, and their words come from them."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

STEPS = pl.DataFrame(
    {
        "weight": [0, 0, 7, 7],
        "into": ["hidden layer 1"] * 2 + ["outputs"] * 2,
        "epoch": [1, 2] * 2,
        "step": [0.1, 0.05, 0.2, 0.24],
    }
)
MOVES = pl.DataFrame(
    {
        "variant": ["rprop-"] * 3 + ["rprop+"] * 3,
        "epoch": [0, 1, 2] * 2,
        "weight": [0.0, 1.5, 0.75, 0.0, 1.5, 0.0],
        "event": ["start", "goes on", "turns round", "start", "goes on", "goes back"],
    }
)
CURVES = pl.DataFrame(
    {
        "method": ["rprop-"] * 3 + ["descent"] * 3 + ["wild"] * 2,
        "epoch": [1, 10, 100] * 2 + [1, 2],
        "error": [50.0, 5.0, 1.0, 50.0, 20.0, 6.0, 50.0, 9000.0],
    }
)


def table_of(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def test_every_weight_has_its_line(page):
    chart = page.step_sizes(STEPS)
    assert table_of(chart).height == 4
    assert chart.description.startswith(
        "The steps of 2 weights of one network under Rprop: after epoch 1 they are "
        "between 0.1 and 0.2, median 0.15; after epoch 2"
    )
    assert (
        "The largest of all is 0.24 in epoch 2, the smallest 0.05 in epoch 2." in chart.description
    )


def test_turns_are_told_panel_by_panel(page):
    chart = page.slope_turns(MOVES, 1.0)
    assert "rprop-: turns round in epoch 2; at the end 0.25 from the goal" in chart.description
    assert "rprop+: goes back in epoch 2; at the end 1 from the goal" in chart.description
    svg = picture(charts.specification(chart))
    assert svg.index(">rprop-<") < svg.index(">rprop+<")


def test_faint_methods_are_drawn_but_not_named(page):
    chart = page.training_errors(CURVES, {"easy": 10.0}, faint=["wild"])
    picture(charts.specification(chart))
    assert "rprop-: easy by epoch 10" in chart.description
    assert "descent: easy by epoch 100" in chart.description
    assert "wild" not in chart.description


def test_a_goal_that_is_missed_is_said_to_be(page):
    words = page.training_errors(CURVES, {"hard": 2.0}, faint=["wild"]).description
    assert "descent: hard not by epoch 100" in words
    assert "Median training errors of 2 methods over the epochs; hard is 2." in words


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match="jumps"):
        page.slope_turns(MOVES.with_columns(event=pl.lit("jumps")), 1.0)
    with pytest.raises(FaultyInput, match="6 can be distinguished"):
        page.training_errors(
            pl.DataFrame({"method": list("abcdefg"), "epoch": [1] * 7, "error": [1.0] * 7}),
            {"x": 0.5},
        )
    with pytest.raises(FaultyInput, match="'into' is needed"):
        page.step_sizes(STEPS.drop("into"))
