"""The charts of stopping criteria: what they carry, what their words say, what they refuse."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.errors import FaultyInput

CURVES = pl.DataFrame(
    {
        "network": ["a"] * 4 + ["b"] * 4,
        "epoch": [5, 10, 15, 20] * 2,
        "validation": [90.0, 4.0, 5.0, 6.0, 3.0, 2.5, 2.0, 2.2],
        "test": [80.0, 4.5, 4.2, 7.0, 3.5, 3.0, 2.9, 3.0],
    }
)
BETS = pl.DataFrame(
    [
        {
            "network": network,
            "alpha": alpha,
            "criterion": criterion,
            "rule": f"{criterion}_{alpha:g}",
            "stop": stop,
            "met": criterion != "P",
            "kept": 10,
            "test": 4.5,
            "extra": 7.14,
        }
        for network in ("a", "b")
        for alpha in (1.0, 1.5, 2.0)
        for criterion, stop in (("GL", 15), ("UP", 20), ("P", 20))
    ]
)
MEANS = pl.DataFrame(
    {
        "rule": ["GL_1", "GL_5", "rule"],
        "epochs": [50.0, 120.0, 200.0],
        "extra": [6.0, 5.5, 5.6],
        "extra_at_stop": [8.0, 11.0, 30.0],
    }
)
FAMILIES = pl.DataFrame(
    {
        "rule": ["GL_1", "GL_5", "rule"],
        "family": ["GL family", "GL family", "rule"],
        "parameter": ["1", "5", ""],
    }
)


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("proben1/early_stopping_charts")


def tables(part):
    """Every table in a specification."""
    if isinstance(part, dict):
        if isinstance(part.get("data"), dict) and "values" in part["data"]:
            yield part["data"]["values"]
        for value in part.values():
            yield from tables(value)
    elif isinstance(part, list):
        for value in part:
            yield from tables(value)


def test_slider_and_buttons_offer_what_the_table_has(page):
    spec = charts.specification(page.stopping_traces(CURVES, BETS, 1.5))
    bound = {param["name"]: param for param in spec["params"] if "bind" in param}
    assert bound["network"]["bind"]["options"] == ["a", "b"]
    assert (
        bound["alpha"]["value"],
        bound["alpha"]["bind"]["min"],
        bound["alpha"]["bind"]["max"],
    ) == (1.5, 1.0, 2.0)
    assert bound["alpha"]["bind"]["step"] == 0.5


def test_a_wild_start_is_cut_off_but_no_other_point(page):
    spec = charts.specification(page.stopping_traces(CURVES, BETS, 1.0))
    lines = pl.DataFrame(next(table for table in tables(spec) if "cases" in table[0]))
    kept = lines.filter(pl.col("error").is_not_null())
    assert kept.filter(network="a", cases="validation")["epoch"].min() == 10
    assert kept.filter(network="b").height == 8


def test_both_states_of_every_rule_are_drawn_and_told(page):
    chart = page.stopping_tradeoff(MEANS, FAMILIES)
    drawn = pl.DataFrame(next(tables(charts.specification(chart))))
    assert drawn.height == 6
    stopped = drawn.filter(rule="GL_5", state="state at the stop")
    assert stopped["above"].to_list() == [11.0]
    assert "GL_5 120 epochs, 5.5 % with the best state kept, 11 % at the stop" in chart.description
    assert chart.description.count("rule 200 epochs") == 1


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match=r"one of 1, 1\.5, 2"):
        page.stopping_traces(CURVES, BETS, 3.0)
    with pytest.raises(FaultyInput, match="'extra' is needed"):
        page.stopping_traces(CURVES, BETS.drop("extra"))
    many = pl.DataFrame({"rule": list("abcdefg"), "family": list("abcdefg"), "parameter": [""] * 7})
    with pytest.raises(FaultyInput, match="6 can be distinguished"):
        page.stopping_tradeoff(MEANS, many)
