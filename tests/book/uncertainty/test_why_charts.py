"""The chart of decision costs: its slider, its words, the legend that says the values at the slider."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

CURVES = pl.DataFrame(
    [
        {"forecaster": name, "threshold": c, "regret": factor * c * (1 - c)}
        for name, factor in (("sure", 1.0), ("rounded", 1.5), ("bold", 0.5))
        for c in (0.25, 0.5, 0.75)
    ]
)


def draw(page, cost=0.25, shaded=("sure", "rounded")):
    return page.decision_curves(CURVES, shaded=shaded, cost=cost)


def test_the_legend_says_what_each_costs_where_the_slider_stands_and_how_much_more_that_is(page):
    svg = picture(charts.specification(draw(page)))
    assert "sure: 0.188" in svg
    assert "rounded: 0.281 (+50 %)" in svg
    assert "bold: 0.094 (−50 %)" in svg
    assert "rounded: 0.375 (+50 %)" in picture(charts.specification(draw(page, 0.5)))


def test_the_slider_reaches_every_threshold(page):
    bound = next(param for param in charts.specification(draw(page))["params"] if "bind" in param)
    assert (bound["value"], bound["bind"]["min"], bound["bind"]["max"], bound["bind"]["step"]) == (
        0.25,
        0.25,
        0.75,
        0.25,
    )


def test_what_is_refused(page):
    with pytest.raises(
        FaultyInput,
        match=r"(?s)one of sure, rounded and bold.*one of the thresholds 0\.25 to 0\.75",
    ):
        draw(page, 0.3, ("sure", "nobody"))
    with pytest.raises(FaultyInput, match="'regret' is needed"):
        page.decision_curves(CURVES.drop("regret"), shaded=("sure", "bold"), cost=0.5)
