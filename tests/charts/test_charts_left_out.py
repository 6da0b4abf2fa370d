"""Charts of left-out cases: PIT values over their band, and differences case by case."""

import numpy as np
import polars as pl

from benchbook.assess.densities import pit_verdict
from benchbook.charts import pit_chart, pointwise_chart


def test_drawn():
    pit_chart(pit_verdict(np.linspace(0.0, 1.0, 40) ** 2)[0])
    frame = pl.DataFrame(
        {"case": ["a", "b", "c"], "difference": [0.5, -2.0, 0.25], "trusted": [True, False, True]}
    )
    pointwise_chart(frame, "utility of one minus that of other")
