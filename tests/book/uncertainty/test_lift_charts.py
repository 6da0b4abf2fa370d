"""The chart of lift curves: the legend at the slider, the words, what is refused."""

import numpy as np
import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput
from benchbook.losses.lift_area import lift_loss

Y = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
SCORES = {"good": -np.arange(10.0), "poor": np.arange(10.0)}
LOSSES = pl.DataFrame(
    [{"ranking": name, "loss": lift_loss(score, Y)} for name, score in SCORES.items()]
)


def test_the_legend_says_what_each_finds_where_the_slider_stands(page):
    svg = picture(
        charts.specification(page.lift_curves(page.curves(SCORES, Y, 1), LOSSES, 0.2, 0.1))
    )
    assert f"good: LIFT {LOSSES['loss'][0]:.3f}, finds 50.0 %" in svg
    assert "finds 0.0 %" in svg
    assert "poor" in picture(
        charts.specification(page.lift_curves(page.curves(SCORES, Y, 1), LOSSES, 0.2, 0.9))
    )


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match=r"one of the shares 0\.1 to 1"):
        page.lift_curves(page.curves(SCORES, Y, 1), LOSSES, 0.2, 0.15)
    with pytest.raises(FaultyInput, match="'found' is needed"):
        page.lift_curves(page.curves(SCORES, Y, 1).drop("found"), LOSSES, 0.2, 0.1)
