"""The chart of stated spreads, for many targets and for one."""

import numpy as np
import polars as pl


def test_drawn(page):
    sd = 2.0 ** np.linspace(-4, 4, 17)
    targets = [(page.ALL, 0.0, 1.0), *((page.ONE, away, away**2) for away in (0.0, 1.0, 2.0))]
    doubling = np.log(2) - 3 / 8
    costs = pl.concat(
        pl.DataFrame({"loss": loss, "sd": sd, "target": target, "distance": away, "extra": extra})
        for loss, size in (("NLPD", 1 / doubling), ("flat", 0.0))
        for target, away, square in targets
        for extra in [size * (np.log(sd) + (sd**-2.0 - 1) * square / 2) + 0.0]
    )
    page.stated_spreads(costs, targets=(page.ALL, page.ONE), distance=2.0, unit="doubling = 1")
