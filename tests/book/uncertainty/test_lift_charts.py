"""The chart of lift curves: the legend at the slider, the words, what is refused."""

import numpy as np
import polars as pl

from benchbook.losses.lift_area import lift_loss

Y = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
SCORES = {"good": -np.arange(10.0), "poor": np.arange(10.0)}
LOSSES = pl.DataFrame(
    [{"ranking": name, "loss": lift_loss(score, Y)} for name, score in SCORES.items()]
)


def test_drawn(page):
    page.lift_curves(page.curves(SCORES, Y, 1), LOSSES, 0.2, 0.1)
