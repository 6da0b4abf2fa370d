"""How often intervals held the truth, world by world and procedure by procedure."""

from __future__ import annotations

from typing import Any

import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.worlds import world_panels


def coverage_chart(summary: pl.DataFrame, level: float) -> Any:
    """A panel for each world, a line for each procedure, a mark for each kind of interval; the nominal level a rule.

    Args:
        summary: ``world``, ``procedure``, ``interval``, ``coverage``, ``standard_error``, of one model and utility, as
            ``assess.densities.coverage.summarise`` gives them.
        level: what the intervals promise.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(
        summary, ("world", "procedure", "interval", "coverage", "standard_error"), "coverage"
    )
    return world_panels(
        summary,
        ("coverage", "procedure", "interval"),
        list(dict.fromkeys(summary["interval"])),
        "share of intervals that hold the truth",
        1,
        level,
        22,
        "coverage of intervals",
        f"Share of {level:.0%} intervals that hold the true expected utility",
        "{procedure} ({interval}) {coverage:.0%}",
    )
