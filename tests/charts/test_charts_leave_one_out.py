"""The chart of k-hat: the kinds of cases, and of many the largest, in their order."""

import numpy as np
import polars as pl

from benchbook.charts import expected_utilities, k_hat_chart


def test_drawn(monkeypatch):
    frame = pl.DataFrame(
        {
            "case": ["a", "b", "c", "d"],
            "k_hat": [0.1, 0.9, -0.3, np.inf],
            "effective_draws": [900.0, 20.0, 1000.0, 1.0],
            "reliable": [True, False, True, False],
        }
    )
    k_hat_chart(frame, 0.7)
    monkeypatch.setattr(expected_utilities, "MOST", 2)
    k_hat_chart(frame.head(3), 0.7)
