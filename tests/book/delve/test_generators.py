"""The charts of the chapter on generators: what is drawn is what is given, and whole numbers are told from others."""

import numpy as np
import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput


def draws(chart):
    return picture(charts.specification(chart))


def drawn(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def test_quantiles_are_those_given(page):
    level = np.linspace(0.01, 1.0, 40)
    pairs = pl.DataFrame(
        {"panel": "bank-8fm", "level": level, "across": level**2, "up": level**2 * 0.9}
    )
    chart = page.quantile_pairs(pairs, "ours", "theirs")
    np.testing.assert_allclose(drawn(chart)["up"], pairs["up"], rtol=1e-7)
    assert "largest 0.9 against 1." in chart.to_dict()["description"]
    draws(chart)


def test_a_search_is_drawn_to_its_end(page):
    steps = pl.DataFrame(
        {
            "panel": "a, half-width",
            "step": [1, 2, 3],
            "constant": [0.5, 0.25, 0.375],
            "found": [0.09, 0.02, 0.031],
            "wanted": 0.03,
        }
    )
    chart = page.search_path(steps)
    shown = drawn(chart)
    assert shown["end"].to_list() == [False, False, True]
    np.testing.assert_allclose(shown["relative"], [3.0, 2 / 3, 31 / 30], rtol=1e-7)
    assert (
        "after 3 steps 0.375, which gives 3.10 % where 3.00 % is wanted"
        in chart.to_dict()["description"]
    )
    draws(chart)


def test_whole_numbers_are_told_from_others(page, rng):
    whole = pl.DataFrame(
        {"panel": "whole", "count": rng.integers(1, 9, 3000) + 0.05 * rng.normal(size=3000)}
    )
    other = pl.DataFrame({"panel": "other", "count": rng.uniform(0, 9, 3000)})
    assert page.nearly_whole(whole["count"].to_numpy()) > 0.98
    assert page.nearly_whole(other["count"].to_numpy()) == pytest.approx(0.30, abs=0.06)
    chart = page.whole_numbers(pl.concat([whole, other]))
    shown = drawn(chart)
    inside = pl.concat([whole, other]).filter(pl.col("count").is_between(0.5, 6.5))
    assert shown["cases"].sum() == inside.height


@pytest.mark.parametrize("name", ["quantile_pairs", "search_path", "whole_numbers"])
def test_tables_without_what_is_needed_are_refused(page, name):
    more = ("a", "b") if name == "quantile_pairs" else ()
    with pytest.raises(FaultyInput, match="is needed"):
        getattr(page, name)(pl.DataFrame({"panel": ["a"]}), *more)
