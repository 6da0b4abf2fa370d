"""Printed means beside ours: verdicts, rounding, the share expected by chance, and what is said about misses."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess.proben1 import standard_errors_apart
from benchbook.datasets import printed
from benchbook.errors import BenchbookError
from benchbook_book.pages.proben1.reproduction import (
    CORRELATION,
    HEADINGS,
    METHODS,
    beside,
    expected,
    shares,
    verdict,
)

QUANTITIES = [name for name in HEADINGS if name != CORRELATION]


def report(rng, number, datasets=None, method=None, moved=0.0):
    """Runs drawn from normal laws with the printed standard deviations, and with means of which the printed ones may
    be those of the report's runs; test errors moved by so many sd."""
    lines = []
    for row in printed.table(number).iter_rows(named=True):
        if row["dataset"] == "mushroom1" or (datasets and row["dataset"] not in datasets):
            continue
        count = row["runs"]
        values = {
            name: row[f"{name}_mean"]
            + (row[f"{name}_sd"] + 0.003)
            * (rng.standard_normal(count) + rng.standard_normal() / np.sqrt(count))
            for name in QUANTITIES
            if f"{name}_mean" in row
        }
        if CORRELATION in row:
            own, shared = rng.standard_normal((2, count))
            rho = row[CORRELATION]
            values["validation_error"] = (
                values["validation_error"].mean() + row["validation_error_sd"] * shared
            )
            values["test_error"] = values["test_error"].mean() + row["test_error_sd"] * (
                rho * shared + np.sqrt(1 - rho**2) * own
            )
        values["test_error"] = values["test_error"] + moved * row["test_error_sd"]
        lines.append(
            pl.DataFrame(
                {
                    "dataset": row["dataset"],
                    "method": method or METHODS[number],
                    **{name: values.get(name, np.full(count, np.nan)) for name in QUANTITIES},
                }
            )
        )
    return pl.concat(lines)


def test_runs_with_the_printed_laws_agree_as_often_as_chance_says(rng):
    runs = pl.concat([report(rng, number) for number in METHODS])
    table = beside(runs)
    assert table.filter(quantity="test_error").height == 126
    means = table.filter(pl.col("quantity") != CORRELATION)
    assert (means["apart"].abs() <= 2.0).mean() == pytest.approx(0.95, abs=0.035)
    assert (means["apart"].abs() <= 3.0).mean() > 0.98
    correlations = table.filter(quantity=CORRELATION)
    assert correlations.height == 84
    assert (correlations["apart"].abs() <= 3.0).mean() > 0.9


def test_moved_runs_are_told(rng):
    table = beside(report(rng, 8, moved=1.0), [8])
    assert (table.filter(quantity="test_error")["verdict"] == "agrees").mean() < 0.1
    assert (table.filter(quantity="training_error")["verdict"] == "agrees").mean() > 0.8


def test_a_line_is_the_standard_errors_of_its_cells(rng):
    runs = report(rng, 3, ["glass1"])
    line = beside(runs, [3]).filter(quantity="test_wrong").row(0, named=True)
    values = runs["test_wrong"].to_numpy()
    assert line["printed"] == 46.04
    assert line["apart"] == pytest.approx(
        standard_errors_apart(values.mean(), values.std(ddof=1), 10, 46.04, 2.21, 10, 0.01)
    )
    assert line["difference"] / line["standard_error"] == pytest.approx(line["apart"])
    assert line["spread"] == pytest.approx(2.21 / values.std(ddof=1))
    assert (line["digits"], line["runs"], line["printed_runs"]) == (2, 10, 10)


def test_the_single_run_of_mushroom_is_compared_by_its_digits():
    run = pl.DataFrame(
        {
            "dataset": "mushroom1",
            "method": "proben1-linear",
            "training_error": [0.0141],
            "validation_error": [0.0143],
            "test_error": [0.0118],
            "test_wrong": [0.0],
            "overfit": [0.0],
            "total_epochs": [3000],
            "relevant_epochs": [3000],
        }
    )
    table = beside(run, [3])
    result = dict(table.select("quantity", "verdict").iter_rows())
    assert result["training_error"] == result["total_epochs"] == "same digits"
    assert result["test_error"] == "one run"
    assert table.filter(quantity="test_error")["difference"].item() == pytest.approx(0.001)


def test_a_method_without_runs_gives_no_lines_and_a_table_without_means_is_refused(rng):
    assert beside(report(rng, 3, ["glass1"]), [8]).height == 0
    assert shares(beside(report(rng, 3, ["glass1"]), [8])).height == 0
    with pytest.raises(BenchbookError, match="Table 5"):
        beside(pl.DataFrame(), [5])


@pytest.mark.parametrize(
    ("apart", "word"), [(0.0, "agrees"), (-2.0, "agrees"), (2.4, "near"), (-3.5, "differs")]
)
def test_verdicts(apart, word):
    assert verdict(apart, 0.1, 0.1) == word


def test_shares_count_what_is_close_too():
    table = pl.DataFrame(
        {
            "table": 3,
            "quantity": "test_error",
            "apart": [0.5, 2.5, -6.0, 4.0],
            "difference": [0.1, 0.4, -0.05, 0.3],
            "verdict": ["agrees", "near", "differs", "differs"],
        }
    )
    line = shares(table).row(0, named=True)
    assert (line["compared"], line["within_2"], line["within_3"], line["close"]) == (
        4,
        0.25,
        0.5,
        0.5,
    )


def test_by_chance_about_a_twentieth_is_beyond_two(rng):
    runs = report(rng, 8)
    result = expected(runs, beside(runs, [8]), draws=100)
    assert result["within_2"] == pytest.approx(0.95, abs=0.02)
    assert result["within_2_low"] < result["within_2"] < result["within_3"] <= 1.0


def test_what_is_said_about_a_miss(rng, chapter):
    page = chapter("proben1/reproduction")
    names = ["card1", "glass1", "heart1"]
    far = report(rng, 8, names, moved=1.5)
    text = report(rng, 8, ["glass1"], page.TEXT)
    wide = far.with_columns(
        test_error=pl.when(pl.col("dataset") == "heart1")
        .then(
            pl.col("test_error")
            + 3 * (pl.col("test_error") - pl.col("test_error").mean().over("dataset"))
        )
        .otherwise("test_error")
    )
    runs = pl.concat([wide, text])
    results = {
        line["dataset"]: line for line in page.misses(runs, beside(runs, [8])).iter_rows(named=True)
    }
    assert set(results) >= {"card1", "glass1"}
    assert abs(results["glass1"]["text"]) <= 2.0
    assert results["glass1"]["reason"] == "the constants of the text agree here"
    assert results["card1"]["text"] is None
    assert results["card1"]["chance"] < 0.01
    assert "unexplained" in results["card1"]["reason"] or "as well" in results["card1"]["reason"]
    if "heart1" in results:
        assert "ours over" in results["heart1"]["reason"]


def test_lines_without_a_standard_error_are_within_where_the_digits_are_the_same():
    table = pl.DataFrame(
        {
            "table": 3,
            "quantity": "test_error",
            "apart": [None, None, 1.0, 2.5, 4.0],
            "difference": [0.0, 5.0, 1.0, 1.0, 0.05],
            "verdict": ["same digits", "other", "other", "other", "other"],
        }
    )
    (row,) = shares(table).to_dicts()
    assert (row["within_2"], row["within_3"], row["close"]) == pytest.approx((0.4, 0.6, 0.6))
    assert (row["compared"], row["mean_apart"]) == (5, 2.5)
