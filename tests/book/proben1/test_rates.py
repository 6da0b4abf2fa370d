"""The chart of the rates at which tests raise alarms."""

import polars as pl

RATES = pl.DataFrame(
    {
        "world": ["w"] * 4,
        "test": ["t", "t", "u", "u"],
        "runs": [10, 60, 10, 60],
        "rate": [0.1, 0.2, 0.09, 0.11],
        "standard_error": [0.01] * 4,
    }
)


def test_drawn(page):
    for level in (0.1, 0):
        page.alarm_rates(RATES, level)
