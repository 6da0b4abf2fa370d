"""The tables of the chapter on the problems, with their data and without."""

import polars as pl
import pytest

from benchbook import datasets

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
