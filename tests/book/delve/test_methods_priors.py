"""The chart of draws from priors."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

DRAWS = pl.DataFrame(
    {
        "prior": ["narrow"] * 2 + ["wide"] * 6,
        "draw": [1, 2, 1, 1, 1, 2, 2, 2],
        "level": ["group", "group", "group", "input", "input", "group", "input", "input"],
        "sd": [0.1, 0.2, 1.0, 0.5, 5.0, 2.0, 1.0, 30.0],
    }
)


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("delve/methods_charts")


def drawn(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def test_the_chart_holds_the_draws(page):
    assert drawn(page.prior_draws(DRAWS)).sort(pl.all()).equals(DRAWS.sort(pl.all()))


def test_panels_stand_in_order_and_are_drawn(page):
    svg = picture(charts.specification(page.prior_draws(DRAWS)))
    assert svg.index(">narrow<") < svg.index(">wide<")


def test_a_table_without_levels_is_refused(page):
    with pytest.raises(FaultyInput, match="'level' is needed"):
        page.prior_draws(DRAWS.drop("level"))
