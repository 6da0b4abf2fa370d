"""Charts of generators beside originals: what they count is what the tables hold."""

import numpy as np
import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.explained import explained
from benchbook.charts.output import picture
from benchbook.charts.quantiles import quantile_pairs
from benchbook.charts.search_path import search_path
from benchbook.charts.whole_numbers import nearly_whole, whole_numbers
from benchbook.errors import FaultyInput


def draws(chart):
    return picture(charts.specification(chart))


def cloud(rng, panel, noise, cases=3000):
    clean = 5 + 2 * rng.uniform(-1.5, 1.5, cases)
    return pl.DataFrame({"panel": panel, "clean": clean, "recorded": clean + noise * rng.normal(size=cases)})


def test_every_case_is_in_some_cell(rng, toy):
    both = pl.concat([cloud(rng, "a, one", 0.1), cloud(rng, "b, two", 0.5)])
    chart = explained(both)
    cells = toy.table(chart)
    assert [cells.filter(panel=name)["cases"].sum() for name in ("a, one", "b, two")] == [3000, 3000]
    off = (cells["clean"] - cells["recorded"]).abs()
    assert off.filter(cells["panel"] == "a, one").max() < off.filter(cells["panel"] == "b, two").max()
    assert chart.to_dict()["facet"]["sort"] == ["a, one", "b, two"]
    r = np.corrcoef(both.filter(panel="a, one")["clean"], both.filter(panel="a, one")["recorded"])[0, 1]
    assert f"a, one: 3000 cases, correlation {r:.3g}." in chart.to_dict()["description"]
    assert ">our clean function</text>" in draws(chart)


def test_clouds_do_not_depend_on_units(rng, toy):
    one = cloud(rng, "a", 0.3)
    other = one.with_columns(pl.col("clean") * 40 - 7, pl.col("recorded") * 40 - 7)
    first, second = toy.table(explained(one)), toy.table(explained(other))
    assert (first["cases"] - second["cases"]).abs().sum() <= 4


def test_quantiles_are_those_given(toy):
    level = np.linspace(0.01, 1.0, 40)
    pairs = pl.DataFrame({"panel": "bank-8fm", "level": level, "across": level**2, "up": level**2 * 0.9})
    chart = quantile_pairs(pairs, "ours", "theirs")
    np.testing.assert_allclose(toy.table(chart)["up"], pairs["up"], rtol=1e-7)
    assert "largest 0.9 against 1." in chart.to_dict()["description"]
    svg = draws(chart)
    assert ">theirs</text>" in svg
    assert ">bank-8fm</text>" in svg


def test_a_search_is_drawn_to_its_end(toy):
    steps = pl.DataFrame({"panel": "a, half-width", "step": [1, 2, 3], "constant": [0.5, 0.25, 0.375],
                          "found": [0.09, 0.02, 0.031], "wanted": 0.03})
    chart = search_path(steps)
    shown = toy.table(chart)
    assert shown["end"].to_list() == [False, False, True]
    np.testing.assert_allclose(shown["relative"], [3.0, 2 / 3, 31 / 30], rtol=1e-7)
    assert "after 3 steps 0.375, which gives 3.10 % where 3.00 % is wanted" in chart.to_dict()["description"]
    draws(chart)


def test_whole_numbers_are_told_from_others(rng, toy):
    whole = pl.DataFrame({"panel": "whole", "count": rng.integers(1, 9, 3000) + 0.05 * rng.normal(size=3000)})
    other = pl.DataFrame({"panel": "other", "count": rng.uniform(0, 9, 3000)})
    assert nearly_whole(whole["count"].to_numpy()) > 0.98
    assert nearly_whole(other["count"].to_numpy()) == pytest.approx(0.30, abs=0.06)
    chart = whole_numbers(pl.concat([whole, other]))
    shown = toy.table(chart)
    inside = pl.concat([whole, other]).filter(pl.col("count").is_between(0.5, 6.5))
    assert shown["cases"].sum() == inside.height
    assert ">cases</text>" in draws(chart)


@pytest.mark.parametrize("chart", [
    explained, lambda table: quantile_pairs(table, "a", "b"), search_path, whole_numbers])
def test_tables_without_what_is_needed_are_refused(chart):
    with pytest.raises(FaultyInput, match="is needed"):
        chart(pl.DataFrame({"panel": ["a"]}))
