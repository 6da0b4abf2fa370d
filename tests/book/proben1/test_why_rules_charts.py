"""The charts of what is left unstated: one method on several permutations, and choices that flatter."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

RUNS = pl.DataFrame(
    {
        "dataset": ["a1"] * 3 + ["a2"] * 3,
        "run": [0, 1, 2] * 2,
        "method": "m",
        "validation_error": [1.0, 2.0, 3.0, 4.0, 4.0, 4.0],
        "test_error": [2.0, 2.0, 5.0, 1.0, 2.0, 3.0],
    }
)
GAINS = pl.DataFrame(
    {
        "choice": ["best run", "best state"],
        "by_test": [True, True],
        "printed": [0.5, 0.75],
        "true": [1.25, 1.0],
    }
)


def table_of(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("proben1/why_rules_charts")


def test_every_run_has_two_ticks_and_every_column_a_mean(page):
    table = table_of(page.stories(RUNS))
    assert table.filter(pl.col("error").is_not_null()).height == 2 * RUNS.height
    means = table.filter(pl.col("mean").is_not_null())
    assert dict(means.filter(cases="test cases").select("dataset", "mean").iter_rows()) == {
        "a1": 3.0,
        "a2": 2.0,
    }
    assert set(means["runs"]) == {3}


def test_permutations_keep_their_order(page):
    turned = pl.concat([RUNS.filter(dataset="a2"), RUNS.filter(dataset="a1")])
    svg = picture(charts.specification(page.stories(turned)))
    assert svg.index(">a2<") < svg.index(">a1<")


def test_every_choice_is_named_with_both_its_errors(page):
    chart = page.unstated(GAINS)
    assert (
        "best run: 50% printed, 125% true; best state: 75% printed, 100% true" in chart.description
    )
    svg = picture(charts.specification(chart))
    assert svg.index(">best run<") < svg.index(">best state<")
    turned = picture(charts.specification(page.unstated(GAINS.reverse())))
    assert turned.index(">best state<") < turned.index(">best run<")


def test_the_scale_reaches_the_largest_share(page):
    spec = charts.specification(page.unstated(GAINS.with_columns(true=pl.Series([4.0, 1.0]))))
    scales = [
        layer["encoding"]["x"]["scale"]["domain"]
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("x", {})
    ]
    assert scales
    assert all(low == 0 and high > 4.0 for low, high in scales)


def test_nothing_to_draw_is_refused(page):
    for chart, lines in ((page.stories, RUNS), (page.unstated, GAINS)):
        with pytest.raises(FaultyInput, match="no lines"):
            chart(lines.clear())
    with pytest.raises(FaultyInput, match="a column 'test_error' is needed"):
        page.stories(RUNS.drop("test_error"))
    with pytest.raises(FaultyInput, match="a column 'true' is needed"):
        page.unstated(GAINS.drop("true"))
