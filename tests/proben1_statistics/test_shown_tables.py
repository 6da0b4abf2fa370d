"""The tables of the chapter that lays printed numbers beside ours: every one says what is missing."""

import polars as pl
import pytest

from benchbook.assess.proben1 import searches_beside_print
from benchbook.datasets import printed
from benchbook.pages.proben1_archived import SCHEMA, runs_or_stand_ins
from benchbook.pages.proben1_misses import again, misses
from benchbook.pages.proben1_reproduction import beside
from benchbook.pages.proben1_shown import absent, complete, missed, overview, searched, trained_again


@pytest.fixture
def linear(rng):
    """Linear runs on two datasets as printed, but for the test errors of card1, which are far off."""
    lines = []
    for row in printed.table(3).filter(pl.col("dataset").is_in(["card1", "glass1"])).iter_rows(named=True):
        for run in range(10):
            line = {name: row[f"{name}_mean"] + row[f"{name}_sd"] * rng.standard_normal()
                    for name in ("training_error", "validation_error", "test_error", "test_wrong", "overfit",
                                 "total_epochs", "relevant_epochs")}
            line["test_error"] += row["dataset"] == "card1"
            lines.append({"dataset": row["dataset"], "method": "proben1-linear", "run": run, **line})
    return pl.DataFrame(lines)


def test_what_is_absent_is_named_with_its_plan(linear):
    text = absent(linear).text
    assert "20 archived runs" in text
    assert "`proben1-linear` has runs on 2 of 42 datasets, `benchbook run proben1-linear`" in text
    assert "proben1-variants" in text


def test_misses_are_told_with_and_without_runs_of_the_text(linear):
    lines = beside(linear)
    far = misses(linear, lines)
    assert far["dataset"].to_list() == ["card1"]
    shown = missed(far, "test error").text
    assert "card1" in shown
    assert "z (text)" not in shown
    assert "z (text)" in missed(far.with_columns(text=pl.lit(-4.0)), "test error").text
    assert missed(far.clear(), "test error").text == "No test error is more than 2 standard errors off."


def test_all_lines_stand_in_folds_with_their_digits(linear):
    page = complete(beside(linear))
    assert "Table 3: linear networks, classification" in page.text
    assert "Table 8" not in page.text
    assert "No runs are archived for building1" not in page.text
    assert "cancer1" in page.text.split("training error")[0]
    assert "129 ± 13" in page.text
    assert page.html.count("<details") == 1 + 7


def test_shares_stand_beside_each_other(linear):
    text = overview({"linear": beside(linear), "pivot": beside(linear, (8,))}).text
    assert "50% (50%)" in text
    assert "pivot" not in text.splitlines()[1]


def test_a_search_that_is_not_there_is_said():
    assert "benchbook run proben1-search" in searched(searches_beside_print(pl.DataFrame(
        schema={**SCHEMA}))).text
    none = pl.DataFrame(schema={"table": pl.Int64, "dataset": pl.String})
    assert not trained_again(again(none, none))


def test_linear_misses_are_trained_again(real_data, linear):
    real_data("proben1-card1")
    far = misses(linear, beside(linear))
    found = again(linear, far, count=20)
    assert found["rprop"].to_list() == ["rprop-", "rprop+", "irprop-"]
    own = found.filter(rprop="rprop-").row(0, named=True)
    assert abs(own["apart"]) < 3.0
    assert own["printed"] == 10.61
    assert "rprop+" in trained_again(found).text
    assert again(linear.with_columns(cpu_seconds=pl.lit(60.0)), far).height == 0


def test_stand_ins_are_runs_of_the_same_columns(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path))
    table, note = runs_or_stand_ins(["proben1-linear", "proben1-noshort"], count=2)
    assert table.schema == pl.Schema(SCHEMA)
    assert set(table["method"]) == {"proben1-linear", "proben1-noshort"}
    assert table.height == 12 * 2 * 2
    assert "Stand-ins" in note.text


def test_misses_without_shortcuts_are_trained_again_without_shortcuts(real_data, rng):
    real_data("proben1-glass1")
    row = printed.table(10).filter(dataset="glass1").row(0, named=True)
    errors = row["test_error_mean"] + 0.5 + row["test_error_sd"] * rng.standard_normal(60)
    runs = pl.DataFrame({name: errors for name in ("test_error", "training_error", "validation_error", "test_wrong",
                                                   "overfit", "total_epochs", "relevant_epochs")})
    runs = runs.with_columns(dataset=pl.lit("glass1"), method=pl.lit("proben1-noshort"))
    found = again(runs, misses(runs, beside(runs, (10,))), count=60)
    assert found["networks"].to_list() == ["no shortcuts"]
    assert abs(found["apart"].item()) < 3.0
    assert "no shortcuts" in missed(misses(runs, beside(runs, (10,))), "test error").text
