"""The tables of the chapter on the problems, with their data and without."""

import polars as pl
import pytest

from benchbook import charts, datasets
from benchbook.errors import FaultyInput

LEFT = pl.DataFrame(
    {
        "problem": ["easy"] * 3 + ["hard"] * 3,
        "permutation": [1, 2, 3] * 2,
        "unexplained": [0.1, 0.2, 0.3, 0.9, 1.0, 1.7],
    }
)


def drawn(chart):
    return pl.DataFrame(charts.specification(chart)["data"]["values"], infer_schema_length=None)


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


def test_words_and_marks_of_what_is_unexplained(page):
    chart = page.linear_unexplained(LEFT)
    assert "hard 1.2 (0.9 to 1.7) and easy 0.2 (0.1 to 0.3)" in chart.description
    assert drawn(chart)["_at"].max() == 1.2
    assert drawn(chart)["_beyond"].sum() == 1


def test_tables_without_lines_or_columns_are_refused(page):
    with pytest.raises(FaultyInput, match="no lines"):
        page.linear_unexplained(LEFT.head(0))
    with pytest.raises(FaultyInput, match=LEFT.columns[1]):
        page.linear_unexplained(LEFT.drop(LEFT.columns[1]))
