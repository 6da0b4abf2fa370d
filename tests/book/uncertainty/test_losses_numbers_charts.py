"""The chart of stated spreads: what its legend and words say for many targets and for one."""

import numpy as np
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

CODES, SDS = {"NLPD": "NLPD", "flat": "S"}, 2.0 ** np.linspace(-4, 4, 17)


def draw(page, distance=1.0):
    costs = page.spread_costs(CODES, SDS, [0.0, 1.0, 2.0])
    return page.stated_spreads(
        costs, targets=(page.ALL, page.ONE), distance=distance, unit="doubling = 1"
    )


def test_the_legend_says_what_a_quarter_and_four_times_cost(page):
    unit = 0.5 * (np.log(4) + 0.25 - 1)
    small, large = (0.5 * (np.log(s**2) + 1 / s**2 - 1) / unit for s in (0.25, 4.0))
    spec = charts.specification(draw(page))
    assert f"NLPD: {small:.1f} at 1/4, {large:.1f} at 4" in picture(spec)
    assert "flat: 0.0 at 1/4" in picture(spec)


def test_buttons_and_slider_choose_one_target(page):
    spec = charts.specification(draw(page, 2.0))
    bound = {param["name"]: param for param in spec["params"] if "bind" in param}
    assert bound["target"]["bind"]["options"] == [page.ALL, page.ONE]
    bound["target"]["value"] = page.ONE
    unit = 0.5 * (np.log(4) + 0.25 - 1)
    large = 0.5 * (np.log(16) + 4 / 16 - 4) / unit
    assert f"{large:.1f} at 4".replace("-", "−") in picture(spec)


def test_words_and_refusals(page):
    assert "many, with standard deviation 1: NLPD 19" in draw(page).description
    assert "one, at the distance below (2)" in draw(page, 2.0).description
    with pytest.raises(FaultyInput, match="one of"):
        draw(page, 1.5)
