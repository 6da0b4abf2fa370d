"""The chart of draws from priors."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.output import picture
from benchbook.charts.priors import prior_draws
from benchbook.errors import FaultyInput

DRAWS = pl.DataFrame({
    "prior": ["narrow"] * 2 + ["wide"] * 6, "draw": [1, 2, 1, 1, 1, 2, 2, 2],
    "level": ["group", "group", "group", "input", "input", "group", "input", "input"],
    "sd": [0.1, 0.2, 1.0, 0.5, 5.0, 2.0, 1.0, 30.0]})


def test_the_chart_holds_the_draws(toy):
    assert toy.table(prior_draws(DRAWS)).sort(pl.all()).equals(DRAWS.sort(pl.all()))


def test_panels_stand_in_order_and_are_drawn():
    svg = picture(charts.specification(prior_draws(DRAWS)))
    assert svg.index(">narrow<") < svg.index(">wide<")


def test_words_tell_the_ranges():
    words = prior_draws(DRAWS).description
    assert "in 2 networks" in words
    assert "narrow: the group's from 0.1 to 0.2." in words
    assert "wide: the group's from 1 to 2, those of single inputs from 0.5 to 30;" in words
    assert "in the middling network the largest is 20 times the smallest" in words


def test_a_table_without_levels_is_refused():
    with pytest.raises(FaultyInput, match="'level' is needed"):
        prior_draws(DRAWS.drop("level"))
