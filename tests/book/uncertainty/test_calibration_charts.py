"""Charts of calibration: bars told from their band, the numbers above them, coverage and reliability in words."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

BARS = pl.DataFrame(
    [
        {
            "forecaster": name,
            "factor": factor,
            "low": low,
            "high": low + 0.5,
            "cases": cases,
            "density": cases / 50,
            "simultaneous_low": 40,
            "simultaneous_high": 60,
        }
        for name, tilt in (("fair", 0), ("bent", 30))
        for factor in (0.5, 1.0)
        for low, cases in ((0.0, 50 + tilt), (0.5, 50 - tilt))
    ]
)
FACTS = pl.DataFrame(
    [
        {
            "forecaster": name,
            "factor": factor,
            "coverage": 0.6 + 0.3 * factor,
            "width": factor,
            "NLPD": 1.5,
            "CRPS": 0.25,
        }
        for name in ("fair", "bent")
        for factor in (0.5, 1.0)
    ]
)
CURVES = pl.DataFrame(
    [
        {
            "method": name,
            "level": level,
            "share": level + off,
            "difference": off,
            "simultaneous_low": level - 0.05,
            "simultaneous_high": level + 0.05,
        }
        for name, off in (("a", 0.01), ("b", -0.08))
        for level in (0.5, 0.9)
    ]
)
DIAGRAMS = pl.DataFrame(
    [
        {
            "forecaster": name,
            "probability": p,
            "calibrated": c,
            "band_low": p - 0.1,
            "band_high": p + 0.1,
            "cases": 5,
        }
        for name, p, c in (
            ("many", 0.2, 0.1),
            ("many", 0.5, 0.6),
            ("many", 0.9, 0.95),
            ("one", 0.4, 0.4),
        )
    ]
)


def test_numbers_stand_above_each_histogram_and_follow_the_slider(page):
    assert "90 % intervals: cover 90 %, width 1.00" in picture(
        charts.specification(page.pit_panels(BARS, FACTS))
    )
    half = picture(charts.specification(page.pit_panels(BARS, FACTS, 0.5)))
    assert "cover 75 %, width 0.50" in half
    assert "NLPD 1.50, CRPS 0.250" in half


def test_coverage_in_words_and_in_the_legend(page):
    chart = page.coverage_curves(CURVES)
    assert (
        "a: 51.0% in 50% intervals and 91.0% in 90% intervals, outside of the band at 0 of 2"
        in chart.description
    )
    assert "outside of the band at 2 of 2" in chart.description
    assert "b: 90 % intervals cover 82.00 %" in picture(charts.specification(chart))


def test_reliability_in_words(page):
    chart = page.reliability_panels(DIAGRAMS)
    assert "many: 0.2 was 0.1, 0.5 was 0.6, 0.9 was 0.95; one: 0.4 was 0.4" in chart.description


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match="one of"):
        page.pit_panels(BARS, FACTS, 0.7)
    with pytest.raises(FaultyInput, match="'width' is needed"):
        page.pit_panels(BARS, FACTS.drop("width"))


def test_words_take_the_level_nearest_to_nine_tenths_and_one_line_once(page):
    more = pl.concat([CURVES, CURVES.filter(level=0.9).with_columns(level=pl.lit(0.99))])
    words = page._coverage_words(more.with_columns(_low=pl.lit(-1.0), _high=pl.lit(1.0)), ["a"])
    assert "in 90% intervals" in words
    single = DIAGRAMS.group_by("forecaster", maintain_order=True).head(1)
    (name, *_) = single["forecaster"]
    assert page._reliability_words(single, [name]).count(" was ") == 1
