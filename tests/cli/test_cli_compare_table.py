"""``benchbook compare TABLE``: the same answer as the call, on a file or a dataset, and a page."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import benchbook
from benchbook.cli import app
from benchbook.cli.compare_data import SLOWER, _notes_of_large, is_large, standard_methods
from benchbook.comparison.files import FrameForComparison


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHBOOK_HOME", str(tmp_path / "home"))
    rng = np.random.default_rng(1)
    area = rng.uniform(20, 120, 120)
    frame = pl.DataFrame(
        {
            "area": area,
            "state": rng.choice(["poor", "good"], 120),
            "rent": (200 + 8 * area + rng.normal(0, 60, 120)).round(1),
        }
    )
    frame.write_csv(tmp_path / "rent.csv")
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 4, 29), eager=True)
    frame.with_columns(day=days).write_csv(tmp_path / "days.csv")
    frame.with_columns(tenant_id=pl.Series(np.repeat(np.arange(30), 4))).write_csv(
        tmp_path / "persons.csv"
    )
    return tmp_path


def run(*words, code=0):
    result = CliRunner().invoke(app, ["compare", *words])
    assert result.exit_code == code, result.output
    return result.output


QUICK = ("--effort", "quick", "--workers", "1", "--no-curve", "-m", "lin-1")


def test_the_answer_is_that_of_the_call(folder):
    found = json.loads(run("rent.csv", "--target", "rent", *QUICK, "--json"))
    made = benchbook.compare(
        {"lin-1": "lin-1"}, pl.read_csv("rent.csv"), target="rent", effort="quick", n_jobs=1
    )
    mine = {row["method"]: row["mean"] for row in made.rows()}
    theirs = {row["method"]: row["mean"] for row in found["table"] if row["loss"] == "absolute"}
    assert theirs == pytest.approx(mine)
    assert found["sentence"] == made.sentence
    assert (folder / "rent.html").is_file()


def test_times_and_groups_of_a_whole_column_are_the_default_and_random_is_asked_for(folder):
    days = run("days.csv", "--target", "rent", *QUICK)
    assert "day says when each case was measured" in days
    assert "five blocks of time" in days
    persons = run("persons.csv", "--target", "rent", *QUICK)
    assert "tenant_id says which cases belong together" in persons
    assert "whole groups" in persons
    random = run("persons.csv", "--target", "rent", *QUICK, "--random")
    assert "whole groups" not in random
    assert "BB02" in random


def test_several_targets_are_not_inputs_of_one_another(folder):
    found = run("rent.csv", "--target", "rent", "--target", "area", *QUICK)
    assert (folder / "rent-rent.html").is_file()
    assert (folder / "rent-area.html").is_file()
    assert found.count("page: ") == 2
    assert "BB03" not in found


def test_the_learning_curve_follows_the_full_size(folder):
    found = run("rent.csv", "--target", "rent", *QUICK[:4], "-m", "lin-1")
    assert found.index("lin-1 has an absolute error") < found.index("by number of training cases")


def test_faults_are_said_in_words_and_nothing_is_written(folder):
    assert "say which column is predicted" in run("rent.csv", code=2)
    assert "a column: area, state, rent" in run("rent.csv", "--target", "price", code=2)
    assert "neither a file nor a dataset" in run("nothing.csv", "--target", "rent", code=2)
    assert "not both" in run("rent.csv", "--tasks", "kin*", code=2)
    assert "say on what" in run(code=2)
    (folder / "rent.html").write_text("mine")
    assert "no page of benchbook" in run("rent.csv", "--target", "rent", *QUICK, code=2)
    assert (folder / "rent.html").read_text() == "mine"


def test_a_method_that_fails_ends_with_one(folder):
    (folder / "bad.py").write_text(
        "def fails(train, targets, test):\n    raise ValueError('singular')\n"
    )
    found = run("rent.csv", "--target", "rent", *QUICK, "-m", "bad.py:fails", code=1)
    assert "bad.py:fails is not compared: it failed on 10 of 10 splits" in found


@pytest.mark.parametrize("subject", ["kin-8nm-sim/dist", "rent.csv"])
def test_a_dataset_or_file_is_referred_from_assess_to_compare(folder, subject):
    result = CliRunner().invoke(app, ["assess", subject, "-m", "lin-1"])
    assert result.exit_code == 2
    assert f"`benchbook compare {subject}`" in result.stderr


@pytest.mark.parametrize(
    ("cases", "columns", "all_of_them"), [(500, 10, True), (501, 10, False), (200, 2001, False)]
)
def test_methods_that_take_minutes_on_a_long_or_wide_table_must_be_named(
    cases, columns, all_of_them
):
    chosen = standard_methods("number", cases, columns)
    assert (set(SLOWER["number"]) <= set(chosen)) == all_of_them
    assert "lin-1" in chosen


def test_on_a_large_table_folds_are_used_once_and_it_says_so(folder):
    """4,000 cases and eleven columns, and no method is named."""
    assert is_large(4000, 11)
    assert not is_large(4000, 10)
    assert "knn-cv-1" not in standard_methods("class", 10_001, 4)
    columns = (pl.lit(0.5).alias(f"x{number}") for number in range(11))
    wide = pl.DataFrame({"y": np.arange(4000.0)}).with_columns(columns)
    source = FrameForComparison(wide, "y", "number", "", "", ())
    notes = _notes_of_large(source, {"effort": None})
    assert "--effort default" in notes[0]
    assert _notes_of_large(source, {"effort": "quick"}) == []


def test_boosted_trees_are_left_out_of_a_table_of_very_many_columns_and_it_says_so():
    assert "boosting-1" in standard_methods("number", 200, 1000)
    assert standard_methods("number", 200, 1001) == ("lin-1", "knn-cv-1", "forest-1")
    wide = pl.DataFrame({f"x{number}": [0.5] for number in range(1001)})
    source = FrameForComparison(wide, "x0", "number", "", "", ())
    assert "boosting-1" in _notes_of_large(source, {"effort": "quick"})[0]
