"""The difference between two methods, as several works see it."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import number


def difference_chart(table: pl.DataFrame, first: str, second: str, unit: str) -> Any:
    """A line for each work: the difference of losses with its interval, and zero.

    Args:
        table: ``work``, ``training_cases``, ``difference``, ``low``, ``high``, ``sure``.
        first, second: the methods; the difference is the first's loss less the second's.
        unit: of the loss.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    columns = ("work", "training_cases", "difference", "low", "high", "sure")
    parts.need(table, columns, "verdicts")
    shown = table.select(columns).with_columns(
        row=pl.format("{}, {} training cases", "work", "training_cases")
    )
    rows, works = shown["row"].to_list(), shown["work"].to_list()
    ends = [*shown["low"], *shown["high"], 0.0]
    x = alt.X(
        "low:Q",
        title=f"difference of losses ({unit})",
        scale=alt.Scale(domain=[min(ends), max(ends)], nice=True),
    )
    y = alt.Y("row:N", title=None, sort=rows, axis=alt.Axis(labelLimit=200, grid=False))
    looks = {
        "color": alt.Color(
            "work:N", legend=None, scale=alt.Scale(domain=works, range=list(COLOURS[: len(works)]))
        ),
        "tooltip": [
            alt.Tooltip("work:N"),
            *(alt.Tooltip(f"{name}:Q", format=".3g") for name in ("difference", "low", "high")),
            alt.Tooltip("sure:N"),
        ],
    }
    base = alt.Chart(parts.data(parts.rows(shown)))
    shapes = alt.Scale(domain=works, range=list(SHAPES[: len(works)]))
    chart = alt.layer(
        alt.Chart(parts.data([{"zero": 0}]))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(x="zero:Q"),
        base.mark_rule(strokeWidth=3).encode(x=x, x2="high:Q", y=y, **looks),
        base.mark_point(filled=True, size=90, opacity=1).encode(
            x="difference:Q", y=y, shape=alt.Shape("work:N", legend=None, scale=shapes), **looks
        ),
    ).properties(width="container", height=34 * len(works), autosize=parts.FIT)
    said = "; ".join(
        f"{line['row']}: {number(line['difference'])} ({number(line['low'])} to {number(line['high'])}), "
        f"{line['sure']}"
        for line in shown.iter_rows(named=True)
    )
    words = f"Loss of {first} less that of {second} ({unit}), with 90 % intervals. {said}."
    return parts.finish(chart, words, "verdicts")
