"""What all charts share: the scale, the loss, the family and the methods that are drawn."""

import numpy as np
import polars as pl
import pytest
from refusals import refused

from benchbook.charts.kit import parts
from benchbook.errors import FaultyInput

EXPECTED = pl.DataFrame(
    {
        "method": ["a", "b", "c"],
        "loss": ["S", "S", "S"],
        "mean": [2.0, 4.0, None],
        "standard_error": [0.5, 1.0, None],
        "standardised_mean": [0.25, 0.5, None],
        "standardised_standard_error": [0.1, 0.2, None],
    }
)


def drawn(table, standardised):
    table, taken = parts.on_scale(table, standardised)
    return taken, table["drawn_mean"].to_list(), table["drawn_error"].to_list()


def test_means_are_standardised_where_every_mean_there_is_can_be():
    assert drawn(EXPECTED, True) == (True, [0.25, 0.5, None], [0.1, 0.2, None])
    plain = (False, [2.0, 4.0, None], [0.5, 1.0, None])
    assert drawn(EXPECTED, False) == plain
    assert drawn(EXPECTED.drop("standardised_mean"), True) == plain
    unknown = EXPECTED.with_columns(
        standardised_mean=pl.Series([0.25, None, None], dtype=pl.Float64)
    )
    assert drawn(unknown, True) == plain


def test_one_loss_and_one_family_are_drawn():
    both = EXPECTED.with_columns(loss=pl.Series(["S", "A", "S"]))
    assert parts.only_loss(EXPECTED, None, "losses") == parts.only_loss(both, "S", "losses") == "S"
    refused(FaultyInput, r"2 losses; it has A, S: say which", parts.only_loss, both, None, "losses")
    refused(FaultyInput, "'Q'", parts.only_loss, EXPECTED, "Q", "losses")
    assert parts.only_family(["k/d/std.64", "k/d/std.128"], "t") == "k/d/std"
    refused(
        FaultyInput, "one figure shows one", parts.only_family, ["k/d/std.64", "k/e/std.64"], "t"
    )
    refused(FaultyInput, "task 'k/d/cv'; its name", parts.only_family, ["k/d/cv"], "t")


def test_methods_are_drawn_in_the_order_asked_for_or_found():
    assert parts.pick_methods(EXPECTED, None, "losses") == ["a", "b", "c"]
    assert parts.pick_methods(EXPECTED, ["c", "a"], "losses") == ["c", "a"]
    refused(
        FaultyInput, "no method 'd'; it has a, b, c", parts.pick_methods, EXPECTED, ["a", "d"], "x"
    )


@pytest.mark.parametrize("columns", [("method", "mean"), ("method",)])
def test_a_table_may_be_empty_only_where_that_is_said(columns):
    parts.need(EXPECTED, columns, "losses")
    parts.need(EXPECTED.clear(), columns, "losses", empty=True)
    refused(FaultyInput, "no lines", parts.need, EXPECTED.clear(), columns, "losses")
    refused(
        FaultyInput, "'x' is needed", parts.need, EXPECTED.clear(), ("x",), "losses", empty=True
    )


def test_numbers_that_json_lacks_are_none():
    (row,) = parts.rows(pl.DataFrame({"a": [np.inf], "b": [1.0], "c": ["x"]}))
    assert (row["a"], row["b"], row["c"]) == (None, 1.0, "x")
