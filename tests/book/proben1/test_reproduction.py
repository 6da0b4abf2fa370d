"""The misses of the chapter that lays printed numbers beside ours, and the tables of all lines."""

import polars as pl
import pytest

from benchbook.datasets import printed
from benchbook_book.pages.proben1.reproduction import beside


@pytest.fixture
def linear(rng):
    """Linear runs on two datasets as printed, but for the test errors of card1, which are far off."""
    lines = []
    for row in (
        printed.table(3).filter(pl.col("dataset").is_in(["card1", "glass1"])).iter_rows(named=True)
    ):
        for run in range(10):
            line = {
                name: row[f"{name}_mean"] + row[f"{name}_sd"] * rng.standard_normal()
                for name in (
                    "training_error",
                    "validation_error",
                    "test_error",
                    "test_wrong",
                    "overfit",
                    "total_epochs",
                    "relevant_epochs",
                )
            }
            line["test_error"] += row["dataset"] == "card1"
            lines.append(
                {"dataset": row["dataset"], "method": "proben1-linear", "run": run, **line}
            )
    return pl.DataFrame(lines)


def test_misses_are_told_with_and_without_runs_of_the_text(page, linear):
    lines = beside(linear)
    far = page.misses(linear, lines)
    assert far["dataset"].to_list() == ["card1"]
    shown = page.missed(far, "test error").text
    assert "card1" in shown
    assert "z (text)" not in shown
    assert "z (text)" in page.missed(far.with_columns(text=pl.lit(-4.0)), "test error").text


def test_chance_counts_what_the_printed_digits_may_hide(page):
    """Single runs of 10.0 and 10.1 differ by 0.1 half of the time, and a printed 0.14 may be as little as 0.09."""
    runs = pl.DataFrame({"method": "m", "dataset": "d", "test_error": [10.0, 10.1]})
    line = {
        "method": "m",
        "dataset": "d",
        "quantity": "test_error",
        "runs": 1,
        "printed_runs": 1,
        "digits": 1,
    }
    assert page._chance(runs, line | {"difference": -0.14}) == pytest.approx(0.5, abs=0.06)
    assert page._chance(runs, line | {"difference": 0.16}) == 0.0


def test_linear_misses_are_trained_again(page, real_data, linear):
    real_data("proben1-card1")
    far = page.misses(linear, beside(linear))
    result = page.again(linear, far, count=20)
    assert result["rprop"].to_list() == ["rprop-", "rprop+", "irprop-"]
    own = result.filter(rprop="rprop-").row(0, named=True)
    assert abs(own["apart"]) < 3.0
    assert own["printed"] == 10.61
    assert page.again(linear.with_columns(cpu_seconds=pl.lit(60.0)), far).height == 0


def test_misses_without_shortcuts_are_trained_again_without_shortcuts(page, real_data, rng):
    real_data("proben1-glass1")
    row = printed.table(10).filter(dataset="glass1").row(0, named=True)
    errors = row["test_error_mean"] + 0.5 + row["test_error_sd"] * rng.standard_normal(60)
    runs = pl.DataFrame(
        {
            name: errors
            for name in (
                "test_error",
                "training_error",
                "validation_error",
                "test_wrong",
                "overfit",
                "total_epochs",
                "relevant_epochs",
            )
        }
    )
    runs = runs.with_columns(dataset=pl.lit("glass1"), method=pl.lit("proben1-noshort"))
    result = page.again(runs, page.misses(runs, beside(runs, (10,))), count=60)
    assert result["networks"].to_list() == ["no shortcuts"]
    assert abs(result["apart"].item()) < 3.0
    assert "no shortcuts" in page.missed(page.misses(runs, beside(runs, (10,))), "test error").text


def test_recipes_to_choose_from_differ_from_the_pivot_runs_in_what_is_said(page, real_data):
    real_data("proben1-heartac1")
    recipe = page.recipe_with(5.0, (0.005, 0.02), 0.5)
    assert (recipe.rprop.first, recipe.rprop.start, recipe.rprop.up) == (
        (0.005, 0.02),
        0.5,
        page.PIVOT_RUNS.rprop.up,
    )
    assert page.recipe_with(2.0, page.PIVOT_RUNS.rprop.first, 0.1) == page.PIVOT_RUNS
    late, early = (
        page.train_pivots(["heartac1"], page.recipe_with(alpha, (0.05, 0.2), 0.1), 4)
        for alpha in (20.0, 1.0)
    )
    assert late["method"].to_list() == ["tried"] * 4
    assert late["total_epochs"].mean() > early["total_epochs"].mean()


def test_the_time_of_new_runs_is_that_of_all_variants(page, linear, monkeypatch):
    """Ten runs of a tenth of a second in three variants are three seconds."""
    monkeypatch.setattr(page, "_trained", lambda line, variant, count: dict.fromkeys(page._AGAIN))
    far = page.misses(linear, beside(linear))
    timed = linear.with_columns(cpu_seconds=pl.lit(0.1))
    assert page.again(timed, far, count=10, budget=3.01).height == 3
    assert page.again(timed, far, count=10, budget=2.99).height == 0


@pytest.mark.parametrize(("number", "asked"), [(3, False), (8, True), (9, True), (10, False)])
def test_the_constants_of_the_text_are_for_the_two_tables_of_pivot_networks(
    page, monkeypatch, number, asked
):
    monkeypatch.setattr(
        page,
        "beside",
        lambda *words: pl.DataFrame({"quantity": ["test_error"], "apart": [1.5]}),
    )
    line = {"table": number, "dataset": "d", "quantity": "test_error"}
    result = page._text(pl.DataFrame({"dataset": ["d"]}), line)
    assert result == (1.5 if asked else None)
