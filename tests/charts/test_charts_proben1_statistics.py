"""The charts of PROBEN1's statistics: what they carry is what they were given, and their words come from it."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.reproduced import columns_apart, ours_against_theirs
from benchbook.errors import FaultyInput

BESIDE = pl.DataFrame(
    {
        "kind": ["linear", "linear", "pivot"] * 2,
        "choice": ["ours"] * 3 + ["text"] * 3,
        "column": ["test error"] * 6,
        "dataset": ["card1", "horse1", "card1"] * 2,
        "printed": [10.0, 13.0, 10.5] * 2,
        "ours": [10.1, 13.1, 10.0, 10.1, 13.1, 8.0],
        "standard_error": [0.1, 0.2, 0.2] * 2,
        "apart": [1.0, 0.5, -2.5, 1.0, 0.5, -12.5],
    }
)


def test_ours_against_theirs_names_what_is_far():
    chart = ours_against_theirs(BESIDE)
    table = pl.read_csv(charts.data_csv(chart).encode())
    assert table["above"].to_list() == pytest.approx(
        (BESIDE["ours"] / BESIDE["printed"] - 1).to_list()
    )
    assert table.filter("far")["dataset"].to_list() == ["card1", "card1"]
    assert (
        "pivot, constants text: 1 dot, 1 more than 2 standard errors off: card1 by -12.5"
        in chart.description
    )
    assert [
        item["bind"]["options"] for item in charts.specification(chart)["params"] if "bind" in item
    ] == [["ours", "text"]]
    assert not any(
        "bind" in item
        for item in charts.specification(ours_against_theirs(BESIDE.filter(choice="ours"))).get(
            "params", []
        )
    )


def test_what_is_beyond_the_edge_stands_at_it():
    chart = columns_apart(BESIDE)
    rows = charts.specification(chart)["data"]["values"]
    assert min(row["_at"] for row in rows) == -6.0
    layers = charts.specification(chart)["layer"]
    assert [layer["encoding"]["x2"]["datum"] for layer in layers[:2]] == [3.0, 2.0]
    assert [row["_beyond"] for row in rows] == [False] * 5 + [True]
    assert "linear: test error 100% of 4; for pivot: test error 0% of 2" in chart.description


@pytest.mark.parametrize(("kinds", "buttons"), [(["linear", "pivot"], True), (["linear"], False)])
def test_buttons_stand_where_there_is_something_to_choose(kinds, buttons):
    (networks,) = charts.specification(columns_apart(BESIDE.filter(pl.col("kind").is_in(kinds))))[
        "params"
    ]
    assert networks["value"] == "linear"
    assert ("bind" in networks) == buttons


@pytest.mark.parametrize("draw", [ours_against_theirs, columns_apart])
def test_empty_tables_are_refused(draw):
    with pytest.raises(FaultyInput):
        draw(pl.DataFrame())


def test_two_standard_errors_are_within_two():
    lines = BESIDE.head(3).with_columns(apart=pl.Series([2.0, -2.0, 2.1]), kind=pl.lit("linear"))
    assert "linear: test error 67% of 3." in columns_apart(lines).description
