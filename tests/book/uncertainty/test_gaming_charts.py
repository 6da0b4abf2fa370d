"""The charts of spikes: the legend keeps score at the slider, panels hold every player, faults are refused."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

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


def draw(page, halvings=1, gambler="sly"):
    return page.narrowed_spikes(PIECES, SMOOTH, SWEEP, gambler, 7.0, halvings)


def test_the_legend_keeps_score_where_the_slider_stands(page):
    assert "sly: NLPD 5.31, CRPS 40.0" in picture(charts.specification(draw(page)))
    assert "sly: NLPD 3.92, CRPS 40.0" in picture(charts.specification(draw(page, 3)))
    assert "fair: NLPD 5.00, CRPS 20.0" in picture(charts.specification(draw(page, 3)))


def test_a_panel_for_each_loss(page):
    svg = picture(
        charts.specification(
            page.loss_panels(SWEEP, {"NLPD": "NLPD (nats)", "CRPS": "CRPS (pixels)"})
        )
    )
    assert ">NLPD (nats)<" in svg
    assert ">CRPS (pixels)<" in svg


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match=r"(?s)one of \[1, 2, 3\].*one of fair and sly"):
        draw(page, 4, "nobody")
    with pytest.raises(FaultyInput, match="'cells' is needed"):
        page.loss_panels(SWEEP.drop("cells"), {"cells": "of cells"})
