"""How often tests find a difference, in several worlds, with few runs and with many."""

from __future__ import annotations

from typing import Any

import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.worlds import world_panels


def alarm_rates(rates: pl.DataFrame, level: float, what: str = "share of false alarms") -> Any:
    """A panel for each world, a line for each test: how often it finds a difference, with few runs and with many.

    Args:
        rates: world, test, runs, rate, standard_error.
        level: the nominal rate, a rule; 0 for none.
        what: the title of the horizontal axis.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(rates, ("world", "test", "runs", "rate", "standard_error"), "rates")
    sizes = [f"{size} runs" for size in sorted(set(rates["runs"]))]
    highest = (rates["rate"] + 2 * rates["standard_error"]).max()
    return world_panels(
        rates.with_columns(size=pl.format("{} runs", "runs")),
        ("rate", "test", "size"),
        sizes,
        what,
        max(0.25, 1.05 * float(str(highest))),
        level,
        30,
        what,
        what.capitalize(),
        "{test} {rate:.0%} with {size}",
    )
