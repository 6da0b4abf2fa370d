"""The two plots of importance weights: which cases have a curve, and the numbers that are drawn and said."""

import numpy as np
import polars as pl
import pytest
from refusals import refused

from benchbook.charts import specification
from benchbook.charts.weight_plots import effective_chart, mass_chart, mass_curves
from benchbook.errors import FaultyInput


def test_curves_are_of_cases_from_the_least_effective_number_to_the_greatest():
    effective = np.array([30.0, 10.0, 40.0, 20.0])
    curves = np.array([[0.3, 1.0], [0.9, 1.0], [0.2, 1.0], [0.6, 1.0]])
    table = mass_curves(effective, curves, [1, 50], "m")
    assert table.filter(rank=1)["mass"].to_list() == [0.9, 0.6, 0.3, 0.2]
    assert table["line"].to_list() == [0, 0, 1, 1, 2, 2, 3, 3]
    many = mass_curves(np.arange(100.0), np.full((100, 1), 1.0), [1], "m")
    assert many["line"].to_list() == list(range(24))


def test_the_words_name_the_largest_weight_of_the_worst_case():
    table = pl.concat(
        [
            mass_curves([2.0, 1.0], [[0.25, 1.0], [0.75, 1.0]], [1, 8], "first"),
            mass_curves([1.0, 2.0], [[0.5, 1.0], [0.1, 1.0]], [1, 8], "other"),
        ]
    )
    spec = specification(mass_chart(table))
    words = "first: the largest weight of the worst case has 75%; other: the largest weight"
    assert f"{words} of the worst case has 50%." in spec["description"]
    assert spec["spec"]["encoding"]["x"]["scale"]["domain"] == [1, 8]


def test_effective_numbers_rise_over_the_share_of_the_cases():
    spec = specification(effective_chart({"m": [40.0, 10.0, 20.0, 30.0]}, 100))
    drawn = [(line["share"], line["effective"]) for line in spec["data"]["values"]]
    assert drawn == [(0.25, 10.0), (0.5, 20.0), (0.75, 30.0), (1.0, 40.0)]
    assert "m: least 10.0, a tenth below 13.0, half below 25.0" in spec["description"]
    many = specification(effective_chart({"m": np.arange(1.0, 1001.0)}, 1000))["data"]["values"]
    assert (len(many), many[0]["effective"], many[-1]["share"]) == (150, 1.0, pytest.approx(1.0))


@pytest.mark.parametrize("column", ["model", "line", "rank", "mass"])
def test_a_table_without_a_column_is_refused(column):
    table = mass_curves([1.0], [[1.0]], [1], "m")
    refused(FaultyInput, f"'{column}' is needed", mass_chart, table.drop(column))
