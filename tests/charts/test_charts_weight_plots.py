"""The two plots of importance weights: which cases have a curve, and the numbers that are drawn and said."""

import numpy as np
import polars as pl

from benchbook.charts.weight_plots import effective_chart, mass_chart, mass_curves


def test_curves_are_of_cases_from_the_least_effective_number_to_the_greatest():
    effective = np.array([30.0, 10.0, 40.0, 20.0])
    curves = np.array([[0.3, 1.0], [0.9, 1.0], [0.2, 1.0], [0.6, 1.0]])
    table = mass_curves(effective, curves, [1, 50], "m")
    assert table.filter(rank=1)["mass"].to_list() == [0.9, 0.6, 0.3, 0.2]
    assert table["line"].to_list() == [0, 0, 1, 1, 2, 2, 3, 3]
    many = mass_curves(np.arange(100.0), np.full((100, 1), 1.0), [1], "m")
    assert many["line"].to_list() == list(range(24))


def test_drawn():
    first = mass_curves([2.0, 1.0], [[0.25, 1.0], [0.75, 1.0]], [1, 8], "first")
    other = mass_curves([1.0, 2.0], [[0.5, 1.0], [0.1, 1.0]], [1, 8], "other")
    mass_chart(pl.concat([first, other]))
    effective_chart({"m": [40.0, 10.0, 20.0, 30.0]}, 100)
    effective_chart({"m": np.arange(1.0, 1001.0)}, 1000)
