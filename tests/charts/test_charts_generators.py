"""Charts of generators beside originals: what they count is what the tables hold."""

import numpy as np
import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.explained import explained
from benchbook.errors import FaultyInput


def cloud(rng, panel, noise, cases=3000):
    clean = 5 + 2 * rng.uniform(-1.5, 1.5, cases)
    return pl.DataFrame(
        {"panel": panel, "clean": clean, "recorded": clean + noise * rng.normal(size=cases)}
    )


def test_every_case_is_in_some_cell(rng, toy):
    both = pl.concat([cloud(rng, "a, one", 0.1), cloud(rng, "b, two", 0.5)])
    chart = explained(both)
    cells = toy.table(chart)
    assert [cells.filter(panel=name)["cases"].sum() for name in ("a, one", "b, two")] == [
        3000,
        3000,
    ]
    off = (cells["clean"] - cells["recorded"]).abs()
    assert (
        off.filter(cells["panel"] == "a, one").max() < off.filter(cells["panel"] == "b, two").max()
    )
    assert chart.to_dict()["facet"]["sort"] == ["a, one", "b, two"]
    drawn = [line for line in charts.specification(chart)["data"]["values"] if "cases" in line]
    for name in ("a, one", "b, two"):
        lines = [(line["cases"], line["_strength"]) for line in drawn if line["panel"] == name]
        counts, strength = np.array(lines).T
        expected = 0.12 + 0.88 * np.sqrt(counts / counts.max())
        np.testing.assert_allclose(strength, expected, atol=6e-4)


def test_both_axes_are_in_deviations_of_the_clean_function_from_its_mean(toy):
    clean = pl.Series([4.0, 6.0] * 5)  # of mean 5 and deviation 1
    shown = toy.table(
        explained(pl.DataFrame({"panel": "a", "clean": clean, "recorded": 2 * clean - 4.5}))
    )
    places = {(row["clean"], row["recorded"]): row["cases"] for row in shown.to_dicts()}
    assert places == {(-1.0, -1.5): 5, (1.0, 2.5): 5}


def test_clouds_do_not_depend_on_units(rng, toy):
    item = cloud(rng, "a", 0.3)
    other = item.with_columns(pl.col("clean") * 40 - 7, pl.col("recorded") * 40 - 7)
    first, second = toy.table(explained(item)), toy.table(explained(other))
    assert (first["cases"] - second["cases"]).abs().sum() <= 4


def test_a_table_without_what_is_needed_is_refused():
    with pytest.raises(FaultyInput, match="is needed"):
        explained(pl.DataFrame({"panel": ["a"]}))
