"""The chart of stated probabilities: where Vega finds the least expected loss, and what the words say."""

import numpy as np
import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

P = np.arange(0, 21) / 20
COSTS = pl.concat(
    [
        pl.DataFrame({"loss": "square", "stated": P, "plus": (1 - P) ** 2, "minus": P**2}),
        pl.DataFrame(
            {"loss": "side", "stated": P, "plus": (P < 0.5) * 1.0, "minus": (P >= 0.5) * 1.0}
        ),
    ]
)


@pytest.mark.parametrize(
    ("chance", "square", "side"),
    [(0.7, "at p = 0.70", "from p = 0.50 to 1.00"), (0.2, "at p = 0.20", "from p = 0.00 to 0.45")],
)
def test_the_legend_says_where_each_loss_is_least(page, chance, square, side):
    svg = picture(charts.specification(page.stated_probabilities(COSTS, chance, "unit")))
    assert f"square: least {square}" in svg
    assert f"side: least {side}" in svg


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match="between 0 and 1"):
        page.stated_probabilities(COSTS, 1.2, "unit")
    with pytest.raises(FaultyInput, match="'minus' is needed"):
        page.stated_probabilities(COSTS.drop("minus"), 0.5, "unit")
