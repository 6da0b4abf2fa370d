"""PROBEN1's runs on pages: stand-ins where there are none, gains over least squares, pivots by the rule, ratios."""

import polars as pl
import pytest

from benchbook import studies
from benchbook.pages import proben1, proben1_compared


@pytest.fixture
def nothing_archived(monkeypatch, tmp_path):
    monkeypatch.setattr(studies, "overlay", lambda: studies.Overlay(tmp_path / "none"))


@pytest.fixture(scope="module")
def made():
    methods = ["proben1-linear", "proben1-least-squares", "proben1-search"]
    return proben1.made(methods, ["sklearn-iris1", "sklearn-diabetes1c"], 2)


def test_stand_ins_are_shown_and_said(nothing_archived):
    table, line = proben1.shown(["proben1-linear"], count=2, stand_ins=["sklearn-iris2"])
    assert table["dataset"].to_list() == ["sklearn-iris2"] * 2
    assert "no counterpart in the report" in line.text
    assert proben1.runs().is_empty()


def test_archived_runs_are_preferred(monkeypatch, tmp_path):
    archive = studies.Archive(tmp_path)
    result = studies.run_one(studies.RunKey("proben1-linear", "sklearn-iris1/partition/a", 0), 1, "s")
    archive.write(studies.RunResult(result.record | {"task": "proben1-iris1/partition/a"}))
    monkeypatch.setattr(studies, "overlay", lambda: archive)
    table, line = proben1.shown(["proben1-linear"])
    assert table["dataset"].to_list() == ["iris1"]
    assert "1 archived runs on 1 dataset" in line.text


def test_runs_made_now_have_names_and_costs(made):
    assert made.columns == list(proben1.RUNS_SCHEMA)
    assert set(made["dataset"]) == {"sklearn-iris1", "sklearn-diabetes1c"}
    assert made.filter(method="proben1-linear")["shortcuts"].all()
    assert made["cpu"].n_unique() == 1


def test_gains_are_over_least_squares(made):
    found = proben1_compared.gains(made)
    assert found["dataset"].to_list() == ["sklearn-diabetes1c", "sklearn-iris1"]
    assert found["kind"].to_list() == ["approximation", "classification"]
    line = found.row(1, named=True)
    mean = made.filter(dataset="sklearn-iris1", method="proben1-linear")["test_error"].mean()
    exact = made.filter(dataset="sklearn-iris1", method="proben1-least-squares")["test_error"][0]
    assert line["kept"] == pytest.approx(exact / mean - 1.0)
    assert line["exact_test_error"] == exact
    assert (found["short"] >= -1e-9).all()


def test_a_search_knows_its_sizes(made):
    found = proben1_compared.search(made.filter(pl.col("method").str.contains("search")))
    assert found.group_by("dataset").agg(pl.col("ratio").min())["ratio"].to_list() == [1.0, 1.0]
    assert set(found.filter(dataset="sklearn-iris1")["connections"]) == {2 * 5 + 3 * 7, 4 * 5 + 3 * 9}
    assert set(found["units"]) == {2, 4}
    assert set(found["outputs"]) == {"linear"}


def searched(*lines):
    table = pl.DataFrame(lines, schema=["topology", "validation_error"], orient="row")
    return proben1_compared.search(table.with_columns(dataset=pl.lit("sklearn-iris1"), method=pl.lit("m"), run=0))


@pytest.mark.parametrize(("lines", "pivot"), [
    ([("4l", 1.0), ("16+8l", 1.04), ("32l", 1.06)], "16+8l"),
    ([("4l", 1.0), ("16s", 1.01), ("16l", 1.03)], "16s"),
    ([("4l", 1.0), ("16s", 1.01), ("16l", 1.03), ("16l", 1.04)], "16l"),
    ([("4l", 1.0)], "4l")])
def test_the_rule_takes_the_largest_near_the_best(lines, pivot):
    assert proben1_compared.pivots_by_rule(searched(*lines)) == {"sklearn-iris1": pivot}


def test_largest_can_mean_units():
    lines = [("24l", 1.0), ("16+8l", 1.01), ("16+8s", 1.005)]
    assert proben1_compared.pivots_by_rule(searched(*lines))["sklearn-iris1"] == "16+8s"
    assert proben1_compared.pivots_by_rule(searched(*lines), "units")["sklearn-iris1"] == "24l"


def test_ratios_leave_out_what_has_no_reference(made):
    lonely = made.filter(pl.col("dataset") == "sklearn-iris1", method="proben1-linear").with_columns(
        dataset=pl.lit("sklearn-wine1"))
    found = proben1_compared.relative(pl.concat([made, lonely]), "proben1-least-squares")
    assert set(found["dataset"]) == {"sklearn-iris1", "sklearn-diabetes1c"}
    assert "proben1-least-squares" not in set(found["method"])
    gains = proben1_compared.gains(made).sort("dataset")
    ratios = found.filter(method="proben1-linear").sort("dataset")
    assert ratios["ratio"].to_list() == pytest.approx((1.0 / (1.0 + gains["kept"])).to_list())
