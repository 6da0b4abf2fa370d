"""What the pages of the problems share: the table of attributes needs no data, and the chart says what it draws."""

import polars as pl
import pytest

from benchbook import datasets
from benchbook.datasets import proben1
from benchbook.errors import FaultyInput

MEANS = pl.DataFrame(
    {
        "permutation": ["a1"] * 4 + ["a2"] * 4,
        "portion": ["training", "training", "test", "test"] * 2,
        "output": ["x", "y"] * 4,
        "cases": [10, 10, 5, 5] * 2,
        "mean": [0.5, 0.5, 0.4, 0.6, 0.9, 0.1, 0.2, 0.7],
    }
)


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


def test_words_of_the_portions_name_what_differs_most(page):
    assert (
        "in a2 x differs most among the portions, from 20.0% to 90.0%"
        in page.portion_shares(MEANS).description
    )
    assert "from 0.2 to 0.9" in page.portion_shares(MEANS, title="mean of the output").description


def test_tables_without_lines_or_columns_are_refused(page):
    with pytest.raises(FaultyInput, match="no lines"):
        page.portion_shares(MEANS.head(0))
    with pytest.raises(FaultyInput, match=MEANS.columns[1]):
        page.portion_shares(MEANS.drop(MEANS.columns[1]))
