"""The entries of several tasks between the true distribution and the baseline, those near the best filled."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK

MOST = 1.5
"""Entries further from the true distribution than this many times the baseline's distance stand at the edge."""


def boards(entries: pl.DataFrame) -> Any:
    """``task``, ``entry``, ``way`` (0 the true distribution's loss, 1 the baseline's), ``near`` (the best, or tied)."""
    table = entries.with_columns(shown=pl.col("way").clip(upper_bound=MOST))
    tasks = entries["task"].unique(maintain_order=True).to_list()
    x = alt.X(
        "shown:Q",
        title="loss: 0 of the true distribution, 1 of the baseline",
        scale=alt.Scale(domain=[0, MOST], nice=False, clamp=True),
        axis=alt.Axis(
            values=[0, 0.5, 1, MOST], labelExpr=f"datum.value == {MOST} ? '≥ {MOST}' : datum.label"
        ),
    )
    y = alt.Y("task:N", sort=tasks, title=None, axis=alt.Axis(grid=True))
    marks = (
        alt.Chart(parts.data(parts.rows(table)))
        .mark_point(size=60, opacity=0.9, stroke=COLOURS[0])
        .encode(
            x=x,
            y=y,
            fill=alt.condition("datum.near", alt.value(COLOURS[0]), alt.value("transparent")),
            tooltip=["task:N", "entry:N", alt.Tooltip("way:Q", format=".2f")],
        )
    )
    rule = alt.Chart(parts.data([{"way": 1.0}])).mark_rule(strokeDash=[4, 3], color=INK)
    chart = alt.layer(rule.encode(x="way:Q"), marks)
    words = "; ".join(
        f"{task}: best {float(str(part['way'].min())):.2f}, {part['near'].sum()} of {part.height} tied with it"
        for task in tasks
        for part in [table.filter(task=task)]
    )
    name = "entries between oracle and baseline"
    return parts.finish(chart, words + ".", name, height=34 * len(tasks))
