"""The chart of stated spreads, for many targets and for one."""

import numpy as np


def test_drawn(page):
    sds = 2.0 ** np.linspace(-4, 4, 17)
    costs = page.spread_costs({"NLPD": "NLPD", "flat": "S"}, sds, [0.0, 1.0, 2.0])
    page.stated_spreads(costs, targets=(page.ALL, page.ONE), distance=2.0, unit="doubling = 1")
