"""What all charts share: the scale, the loss, the family and the methods that are drawn."""

import numpy as np
import polars as pl
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


def test_a_table_has_lines_and_the_columns_that_are_needed():
    parts.need(EXPECTED, ("method", "mean"), "losses")
    assert parts.names(EXPECTED, "loss") == ["S"]
    refused(FaultyInput, "no lines", parts.names, EXPECTED.clear(), "method")
    parts.need(EXPECTED.clear(), ("method",), "losses", empty=True)
    refused(
        FaultyInput, "'x' is needed", parts.need, EXPECTED.clear(), ("x",), "losses", empty=True
    )


def test_sliders_and_buttons_stand_at_one_of_their_places():
    slider = parts.slider("a", 0.30000000004, [0.1, 0.2, 0.3], "of a").param.to_dict()
    bind = {"input": "range", "min": 0.1, "max": 0.3, "step": 0.1, "name": "of a "}
    assert (slider["value"], slider["bind"]) == (0.30000000004, bind)
    assert parts.slider("a", 4, [4], "a").param.to_dict()["bind"]["step"] == 1.0
    assert parts.buttons("b", ["x", "y"], "b").param.to_dict()["value"] == "x"
    refused(FaultyInput, "a: found 0.4; one of 0.1, 0.3", parts.slider, "a", 0.4, [0.1, 0.3], "a")
    refused(FaultyInput, "b: found z; one of x, y", parts.buttons, "b", ["x", "y"], "b", "z")


def test_numbers_that_json_lacks_are_none():
    (row,) = parts.rows(pl.DataFrame({"a": [np.inf], "b": [1.0], "c": ["x"]}))
    assert (row["a"], row["b"], row["c"]) == (None, 1.0, "x")
