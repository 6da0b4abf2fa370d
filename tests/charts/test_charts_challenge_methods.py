"""Charts of the challenge's methods and results: what they say, and that the browser has no remarks."""

import numpy as np
import polars as pl
import pytest
import vl_convert

from benchbook.charts.challenge_methods import band_panels, growing_committee
from benchbook.errors import FaultyInput

X = np.linspace(0, 1, 5)
BANDS = pl.concat([pl.DataFrame({
    "x": X, "middle": X, "low_50": X - 0.5, "high_50": X + 0.5, "low_90": X - wide, "high_90": X + wide,
    "true_low": X - 1.0, "true_high": X + 1.0}).with_columns(method=pl.lit(name))
    for name, wide in (("lin-1", 2.0), ("mdn-1", 1.0))])
CASES = pl.DataFrame({"x": [0.1, 0.9], "y": [0.0, 1.0]})
LOSSES = pl.DataFrame({"task": ["gaze"] * 5, "size": [1, 1, 1, 2, 3], "first": [0, 1, 2, 0, 0],
                       "value": [5.0, 5.2, 5.4, 4.95, 4.9]})
DRAWN = {"bands": (band_panels(BANDS, CASES), "lin-1 2 at the left and 2 at the right, mdn-1 1 at the left"),
         "committee": (growing_committee(LOSSES), "gaze: members alone from 5 to 5.4, all together 4.9")}


@pytest.mark.parametrize("name", DRAWN)
def test_charts_say_what_they_show_and_are_drawn_without_remarks(name, capfd):
    chart, words = DRAWN[name]
    assert words in chart.description
    vl_convert.vegalite_to_vega(chart.to_json(), vl_version="6.4", show_warnings=True)
    assert not capfd.readouterr().err


def test_incomplete_tables_are_refused():
    with pytest.raises(FaultyInput, match="true_low"):
        band_panels(BANDS.drop("true_low"), CASES)
    with pytest.raises(FaultyInput, match="size"):
        growing_committee(LOSSES.drop("size"))
