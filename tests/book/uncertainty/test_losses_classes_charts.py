"""The chart of stated probabilities: where Vega finds the least expected loss, and what the words say."""

import numpy as np
import polars as pl
from refusals import refused

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


def test_drawn(page):
    page.stated_probabilities(COSTS, 0.7, "unit")


def test_a_chance_beyond_one_is_refused(page):
    refused(FaultyInput, "between 0 and 1", page.stated_probabilities, COSTS, 1.2, "unit")
