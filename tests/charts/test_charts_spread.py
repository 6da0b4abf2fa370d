"""The chart of stated spreads: what its legend and words say for many targets and for one."""

import numpy as np
import pytest

from benchbook import charts
from benchbook.charts.output import picture
from benchbook.charts.spread import stated_spreads
from benchbook.errors import FaultyInput
from benchbook.pages.uncertainty_numbers import ALL, ONE, spread_costs

COSTS = spread_costs({"NLPD": "NLPD", "flat": "S"}, 2.0 ** np.linspace(-4, 4, 17), [0.0, 1.0, 2.0])


def draw(distance=1.0):
    return stated_spreads(COSTS, targets=(ALL, ONE), distance=distance, unit="doubling = 1")


def test_the_legend_says_what_a_quarter_and_four_times_cost():
    unit = 0.5 * (np.log(4) + 0.25 - 1)
    small, large = (0.5 * (np.log(s**2) + 1 / s**2 - 1) / unit for s in (0.25, 4.0))
    spec = charts.specification(draw())
    assert f"NLPD: {small:.1f} at 1/4, {large:.1f} at 4" in picture(spec)
    assert "flat: 0.0 at 1/4" in picture(spec)


def test_buttons_and_slider_choose_one_target():
    spec = charts.specification(draw(2.0))
    bound = {param["name"]: param for param in spec["params"] if "bind" in param}
    assert bound["target"]["bind"]["options"] == [ALL, ONE]
    bound["target"]["value"] = ONE
    unit = 0.5 * (np.log(4) + 0.25 - 1)
    large = 0.5 * (np.log(16) + 4 / 16 - 4) / unit
    assert f"{large:.1f} at 4".replace("-", "−") in picture(spec)


def test_words_and_refusals():
    assert "many, with standard deviation 1: NLPD 19" in draw().description
    assert "one, at the distance below (2)" in draw(2.0).description
    with pytest.raises(FaultyInput, match="one of"):
        draw(1.5)
