"""The charts of where networks were stopped: shares add up, bins are what they say, curves are those given."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

LAST = 20_000
CHOSEN = pl.DataFrame(
    {
        "method": ["a"] * 8 + ["b"] * 4,
        "dataset": ["kin"] * 6 + ["bank"] * 2 + ["kin"] * 4,
        "size": [64, 64, 64, 64, 128, 128, 64, 64, 64, 64, 64, 64],
        "iteration": [1, 10, 11, LAST, LAST, LAST - 500, 0, 100, 5, 5, 5, 1000],
    }
)
CURVES = pl.DataFrame(
    {
        "network": [1, 1, 1, 2, 2, 2],
        "iteration": [1, 5, 10] * 2,
        "validation": [1.0, 0.4, 0.6, 1.1, 0.9, 0.7],
        "test": [1.0, 0.5, 0.55, 1.0, 0.8, 0.75],
    }
)
BEST = CURVES.filter(
    ((pl.col("network") == 1) & (pl.col("iteration") == 5))
    | ((pl.col("network") == 2) & (pl.col("iteration") == 10))
)


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("delve/early_stopping")


def drawn(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def lines(chart):
    return charts.specification(chart)["data"]["values"]


def test_shares_of_a_method_on_a_dataset_add_up_to_one(page):
    table = pl.DataFrame(lines(page.selected_iterations(CHOSEN, LAST)))
    sums = table.group_by("dataset", "method", "training_cases").agg(
        pl.col("share").sum(), pl.col("networks").sum()
    )
    assert sums["share"].to_list() == pytest.approx([1.0] * sums.height)
    assert sums.filter(training_cases=page.ALL)["networks"].sum() == CHOSEN.height
    assert sums.filter(pl.col("training_cases") != page.ALL)["networks"].sum() == CHOSEN.height


def test_a_bin_holds_what_is_above_the_one_before_and_up_to_its_edge(page):
    table = pl.DataFrame(lines(page.selected_iterations(CHOSEN, LAST)))
    here = dict(
        table.filter(dataset="kin", method="a", training_cases=page.ALL)
        .select("_bin", "networks")
        .iter_rows()
    )
    assert here == {"1": 1, "10": 1, "30": 1, "later": 1, "last": 2}
    bank = dict(
        table.filter(dataset="bank", training_cases=page.ALL).select("_bin", "networks").iter_rows()
    )
    assert bank == {"1": 1, "100": 1}


def test_panels_keep_the_order_of_the_data_and_buttons_offer_the_sizes(page):
    spec = charts.specification(page.selected_iterations(CHOSEN, LAST, methods=["b", "a"]))
    assert spec["facet"]["sort"] == ["kin", "bank"]
    cases = next(param for param in spec["params"] if param["name"] == "cases")
    assert cases["bind"]["options"] == [page.ALL, "64", "128"]
    svg = picture(spec)
    assert svg.index(">b<") < svg.index(">a<")


def test_curves_and_choices_are_those_given(page):
    table = drawn(page.validation_curves(CURVES, BEST, 0.5))
    assert table.height == 2 * (CURVES.height + BEST.height)
    first = table.filter(network="network 1", cases="validation")["error"].to_list()
    assert first == [1.0, 0.4, 0.6, 0.4]


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match="no method 'c'"):
        page.selected_iterations(CHOSEN, LAST, methods=["c"])
    with pytest.raises(FaultyInput, match="no lines"):
        page.validation_curves(CURVES.clear(), BEST, 0.5)
