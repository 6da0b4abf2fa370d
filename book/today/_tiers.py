"""The chart of the chapter on few cases and many."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES

_LINE = 14


def paths(found: pl.DataFrame, most: int = 5) -> Any:
    """Mean loss against the seconds of a run: a path for each method, from few training
    cases to many.

    Args:
        found: method, training_cases, seconds, mean, standard_error; a line for each
            method and size.
        most: methods in colour, the best ones at the most training cases; the others
            are grey, with letters, and their names stand in the lower left.
    """
    largest = found["training_cases"].max()
    order = found.filter(training_cases=largest).sort("mean")["method"].to_list()
    names = order[:most]
    ends = found.select(low=pl.col("seconds").min(), high=pl.col("seconds").max())
    least, longest = (float(value) for value in ends.row(0))
    error = 2 * pl.col("standard_error")
    table = found.with_columns(low=pl.col("mean") - error, high=pl.col("mean") + error)
    bright, grey = (
        table.filter(pl.col("method").is_in(names) == chosen) for chosen in (True, False)
    )
    x = alt.X(
        "seconds:Q",
        title="seconds of a run (log scale)",
        scale=alt.Scale(type="log", nice=False, domain=[least / 3, 1.5 * longest]),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    y = alt.Y("mean:Q", title="mean standardised loss", scale=alt.Scale(zero=False))
    tips = [
        alt.Tooltip("method:N"),
        alt.Tooltip("training_cases:Q", title="training cases"),
        alt.Tooltip("seconds:Q", format=".2g"),
        alt.Tooltip("mean:Q", format=".3f"),
        alt.Tooltip("standard_error:Q", title="standard error", format=".3f"),
    ]
    legend = alt.Legend(title=None, columns=2, symbolType="stroke", labelLimit=200)
    colour, shape = (
        kind("method:N", scale=alt.Scale(domain=names, range=list(looks[:most])), legend=legend)
        for kind, looks in ((alt.Color, COLOURS), (alt.Shape, SHAPES))
    )
    step = alt.Order("training_cases:Q")
    others = alt.Chart(parts.data(parts.rows(grey))).encode(
        x=x, y=y, detail="method:N", order=step, tooltip=tips
    )
    first = grey.filter(training_cases=found["training_cases"].min()).sort("seconds")
    first = first.with_columns(letter=pl.Series(list(ascii_lowercase[: first.height])))
    named = alt.Chart(parts.data(parts.rows(first))).encode(x=x, y=y, text="letter:N")
    meant = [f"{row['letter']}  {row['method']}" for row in first.iter_rows(named=True)]
    base = alt.Chart(parts.data(parts.rows(bright)))
    said = "; ".join(
        f"{name} "
        + ", ".join(
            f"{row['mean']:.3f} in {row['seconds']:.2g} s at {row['training_cases']}"
            for row in found.filter(method=name).sort("training_cases").iter_rows(named=True)
        )
        for name in order
    )
    return parts.finish(
        alt.layer(
            others.mark_line(color=INK, opacity=0.35),
            others.mark_point(color=INK, opacity=0.5, filled=True),
            named.mark_text(align="right", dx=-6, color=INK),
            *_corner(meant),
            base.mark_line().encode(x=x, y=y, color=colour, order=step),
            base.mark_rule(strokeWidth=1.5).encode(
                x=x, y=alt.Y("low:Q", title="mean standardised loss"), y2="high:Q", color=colour
            ),
            base.mark_point(size=60, filled=True, opacity=1).encode(
                x=x, y=y, color=colour, shape=shape, tooltip=tips
            ),
        ),
        f"Mean standardised loss against seconds. {said}.",
        "paths",
        height=340,
    )


def _corner(lines: Sequence[str]) -> list[alt.Chart]:
    """Lines of text in the lower left of the plot, which cheap methods leave empty."""
    if not lines:
        return []
    text = alt.Chart(parts.data([{"_text": "\n".join(lines)}])).mark_text(
        align="left", baseline="top", lineBreak="\n", lineHeight=_LINE, color=INK
    )
    return [
        text.encode(
            x=alt.value(8),
            y=alt.value(alt.expr(f"height - {_LINE * len(lines) + 4}")),
            text="_text:N",
        )
    ]
