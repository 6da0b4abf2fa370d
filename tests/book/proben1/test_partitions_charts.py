"""The charts of partitions: blocks, runs with their bars, and the two curves of a choice."""

import polars as pl

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


def test_drawn(page):
    page.orders(BLOCKS)
    page.partition_errors(RUNS, QUARTERS)
    page.chosen_by_test(FEES)
