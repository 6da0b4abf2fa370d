"""The tables of a problem: attributes need no data, the rest is shown where there is some."""

import pytest

from benchbook import datasets
from benchbook.datasets import proben1


@pytest.mark.parametrize("problem", proben1.PROBLEMS)
def test_every_attribute_and_its_code_are_told_without_any_data(page, problem, monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    rules = proben1.original(problem).representation
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
