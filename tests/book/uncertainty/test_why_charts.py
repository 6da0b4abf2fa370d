"""The chart of decision costs: its slider, its words, the legend that says the values at the slider."""

import polars as pl
import pytest

from benchbook.errors import FaultyInput

CURVES = pl.DataFrame(
    [
        {"forecaster": name, "threshold": c, "regret": factor * c * (1 - c)}
        for name, factor in (("sure", 1.0), ("rounded", 1.5), ("bold", 0.5))
        for c in (0.25, 0.5, 0.75)
    ]
)


def test_drawn(page):
    page.decision_curves(CURVES, shaded=("sure", "rounded"), cost=0.25)


def test_an_unknown_forecaster_is_refused(page):
    with pytest.raises(FaultyInput, match="one of sure, rounded, bold"):
        page.decision_curves(CURVES, shaded=("sure", "nobody"), cost=0.25)
