"""The charts of partitions: blocks, runs with their bars, and the two curves of a choice."""

import polars as pl
from refusals import refused

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

BLOCKS = pl.DataFrame(
    {
        "order": ["a"] * 3 + ["b"] * 3,
        "first": [0, 4, 6, 0, 4, 6],
        "last": [4, 6, 8, 4, 6, 8],
        "part": ["training", "validation", "test", "training", "test", "validation"],
    }
)
QUARTERS = ("first quarter", "second quarter", "third quarter", "last quarter")
ORDERS = (("a", "last quarter"), ("b", "third quarter"))
RUNS = pl.DataFrame(
    [
        {
            "problem": problem,
            "permutation": k,
            "order": order,
            "tested": tested,
            "run": run,
            "test_error": 10.0 * k + run,
            "standard_error": 1.5,
        }
        for problem in ("glass", "heartc")
        for k in (1, 2)
        for order, tested in ORDERS
        for run in (0, 1)
    ]
)
FEES = pl.DataFrame(
    {
        "problem": ["glass"] * 2 + ["heartc"] * 2,
        "runs": [1, 30] * 2,
        "reported": [10.0, 9.0, 17.0, 15.0],
        "fresh": [10.5, 10.25, 18.0, 17.5],
    }
)


def table_of(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def test_every_part_of_every_order_is_a_block(page):
    chart = page.orders(BLOCKS)
    assert table_of(chart)["cases"].to_list() == [4, 2, 2] * 2
    assert (
        "a: 4 training, 2 validation, 2 test; b: 4 training, 2 test, 2 validation"
        in chart.description
    )
    assert picture(charts.specification(chart)).count(">training<") == 2


def test_runs_and_their_mean_with_two_standard_errors(page):
    chart = page.partition_errors(RUNS, QUARTERS)
    table = table_of(chart)
    assert table.height == RUNS.height + 8
    mean = table.filter(problem="glass", order="a", panel="permutation 2").filter(
        pl.col("low").is_not_null()
    )
    assert mean.select("test_error", "low", "high").row(0) == (20.5, 17.5, 23.5)
    bound = next(
        param for param in charts.specification(chart)["params"] if param["name"] == "problem"
    )
    assert bound["bind"]["options"] == ["glass", "heartc"]


def test_both_errors_of_a_choice_are_drawn_and_told(page):
    chart = page.chosen_by_test(FEES)
    table = table_of(chart)
    assert table.filter(problem="glass", cases="on fresh cases")["error"].to_list() == [10.5, 10.25]
    assert "glass: with 1 run 10 and 10.5, with 30 runs 9 and 10.2" in chart.description
    svg = picture(charts.specification(chart))
    assert svg.index(">glass<") < svg.index(">heartc<")


def test_what_is_refused(page):
    refused(FaultyInput, "'tested' is needed", page.partition_errors, RUNS.drop("tested"), QUARTERS)
    refused(FaultyInput, "no lines", page.chosen_by_test, FEES.clear())
    refused(FaultyInput, "'part' is needed", page.orders, BLOCKS.drop("part"))
