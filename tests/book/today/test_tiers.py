"""Loss against seconds from few training cases to many: the bars, and who is in colour."""

import polars as pl
import pytest

from benchbook.charts import specification

FOUND = pl.DataFrame(
    {
        "method": ["a", "a", "b", "b", "c", "c"],
        "training_cases": [64, 1024] * 3,
        "seconds": [1.0, 10.0, 2.0, 20.0, 0.5, 5.0],
        "mean": [0.75, 0.25, 0.5, 0.125, 0.875, 0.5],
        "standard_error": [0.125, 0.0625, 0.25, 0.03125, 0.125, 0.0625],
    }
)


@pytest.fixture
def drawn(chapter):
    return specification(chapter("today/tiers").paths(FOUND, 2))


def rows_of(layer):
    return {(row["method"], row["training_cases"]): row for row in layer["data"]["values"]}


def test_bars_are_two_standard_errors_up_and_down(drawn):
    (bars,) = [one for one in drawn["layer"] if one["encoding"].get("y2")]
    rows = rows_of(bars)
    assert {key: (row["low"], row["high"]) for key, row in rows.items()} == {
        ("a", 64): (0.5, 1.0),
        ("a", 1024): (0.125, 0.375),
        ("b", 64): (0.0, 1.0),
        ("b", 1024): (0.0625, 0.1875),
    }


def test_the_best_at_the_most_cases_are_in_colour_and_the_others_have_letters(drawn):
    letters = [
        (row["method"], row["letter"])
        for layer in drawn["layer"]
        for row in layer.get("data", {}).get("values", [])
        if "letter" in row and row.get("method")
    ]
    assert letters == [("c", "a")]
    (axis,) = {
        tuple(one["encoding"]["x"]["scale"]["domain"])
        for one in drawn["layer"]
        if "scale" in one.get("encoding", {}).get("x", {}) and one["encoding"].get("y2")
    }
    assert axis == pytest.approx((0.5 / 3, 30.0))
