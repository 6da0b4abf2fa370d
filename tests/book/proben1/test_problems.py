"""The tables of the chapter on the problems and of each problem, with their data and without."""

import polars as pl
import pytest

from benchbook import datasets
from benchbook_book.pages import proben1 as originals

LEFT = pl.DataFrame(
    {
        "problem": ["easy"] * 3 + ["hard"] * 3,
        "permutation": [1, 2, 3] * 2,
        "unexplained": [0.1, 0.2, 0.3, 0.9, 1.0, 1.7],
    }
)


@pytest.fixture
def nothing_at_hand(monkeypatch):
    """Only what scikit-learn brings along can be read."""
    monkeypatch.setattr(datasets, "at_hand", lambda name: name.startswith("sklearn-"))


def test_the_tables_are_counted_again(page):
    assert "9/6/0, counted 15/6/0" in page.recount(1).text
    agrees = dict(page.recounted(1).select("problem", "agrees").iter_rows())
    assert agrees["cancer"]
    assert not agrees["thyroid"]


def test_without_data_the_stand_ins_are_shown(page, nothing_at_hand):
    assert page.shown_problems()["wine (stand-in)"] == "sklearn-wine"
    assert page.recounted(1)["entropy computed"].null_count() == 11


def test_drawn(page):
    page.linear_unexplained(LEFT)


@pytest.mark.parametrize("problem", originals.PROBLEMS)
def test_every_attribute_and_its_code_are_told_without_any_data(page, problem, monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    rules = originals.original(problem).representation
    text = page.attributes(problem).text
    assert rules.inputs[0].attribute in text
    assert rules.outputs[-1].attribute in text
    assert "object" not in text


def test_no_column_is_empty_and_no_interval_is_broken(page):
    building, hearta = page.attributes("building"), page.attributes("hearta")
    assert building.text.splitlines()[0].endswith("; no value is missing")
    assert ">missing<" not in building.html
    assert ">missing<" in hearta.html
    assert "no value is missing" not in hearta.text
    assert "onto [0,\N{NO-BREAK SPACE}1]" in hearta.html
    assert "onto [0, 1]" in hearta.text


def test_without_data_only_what_needs_none_is_shown(page, monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    text = page.problem_tables("cancer").text
    assert "Attributes and inputs" in text
    assert "Wolberg" in text
    assert "Outputs by portion" not in text
    assert "follow their README" in page.problem_tables("gene").text


def test_with_data_every_fold_has_its_table(page, real_data):
    for number in (1, 2, 3):
        real_data(f"proben1-heartac{number}")
    text = page.problem_tables("heartac").text
    assert "Outputs by portion" in text
    assert "test, printed" in text
    assert "wrong" not in text
    assert "class entropy" not in text
