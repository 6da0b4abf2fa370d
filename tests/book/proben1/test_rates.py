"""The chart of the rates at which tests raise alarms."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.errors import FaultyInput

RATES = pl.DataFrame(
    {
        "world": ["w"] * 4,
        "test": ["t", "t", "u", "u"],
        "runs": [10, 60, 10, 60],
        "rate": [0.1, 0.2, 0.09, 0.11],
        "standard_error": [0.01] * 4,
    }
)


def test_rates_have_a_rule_only_for_a_level(page):
    with_rule, without = (
        charts.specification(page.alarm_rates(RATES, level))["spec"]["layer"] for level in (0.1, 0)
    )
    assert len(with_rule) == len(without) + 1
    assert "t 10% with 10 runs, t 20% with 60 runs" in page.alarm_rates(RATES, 0.1).description


def test_empty_tables_are_refused(page):
    with pytest.raises(FaultyInput):
        page.alarm_rates(pl.DataFrame(), 0.1)
