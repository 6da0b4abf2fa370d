"""The charts of spikes: the legend keeps score at the slider, panels hold every player, faults are refused."""

import polars as pl

SWEEP = pl.DataFrame(
    [
        {
            "player": name,
            "exponent": k,
            "width": 2.0**-k,
            "NLPD": start - fall * k,
            "CRPS": crps,
            "cells": start,
        }
        for name, start, fall, crps in (("fair", 5.0, 0.0, 20.0), ("sly", 6.0, 0.693, 40.0))
        for k in (1, 2, 3)
    ]
)
PIECES = pl.DataFrame(
    [
        {
            "exponent": k,
            "left": 7.0 - 2.0**-k / 2,
            "right": 7.0 + 2.0**-k / 2,
            "density": 0.01 * 2.0**k,
            "spike": True,
        }
        for k in (1, 2, 3)
    ]
    + [{"exponent": 1, "left": 6.5, "right": 6.75, "density": 1e-6, "spike": False}]
)
SMOOTH = pl.DataFrame({"player": ["fair"] * 2, "x": [6.5, 7.5], "density": [0.01, 0.01]})


def test_drawn(page):
    page.narrowed_spikes(PIECES, SMOOTH, SWEEP, "sly", 7.0, 3)
    page.loss_panels(SWEEP, {"NLPD": "NLPD (nats)", "CRPS": "CRPS (pixels)"})
