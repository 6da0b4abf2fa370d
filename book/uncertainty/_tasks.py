"""Entries of a challenge on a scale of what can be known: 0 for the baseline, 1 for the law of the cases."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.words import listed, number

_LIMITS = (-0.3, 1.3)


def known_shares(entries: pl.DataFrame) -> Any:
    """A line for each task, a mark for each entry: how much of what can be known it found.

    Entries beyond the scale stand at its edge with an arrow; point at a mark for the entry behind it.

    Args:
        entries: task, method, author, ranked (its loss), share (0 at the baseline, 1 at the law's own loss) and kind,
            of which there are at most six.
    """
    tasks, kinds = (parts.names(entries, name) for name in ("task", "kind"))
    low, high = _LIMITS
    table = entries.with_columns(
        at=pl.col("share").clip(low, high),
        _jitter=(pl.int_range(pl.len()).over("task") * 0.618) % 1.0,
        beyond=pl.when(pl.col("share") > high)
        .then(pl.format("{} →", pl.col("share").round(1)))
        .when(pl.col("share") < low)
        .then(pl.format("← {}", pl.col("share").round(0).cast(pl.Int64)))
        .otherwise(pl.lit("")),
    )
    x = alt.X(
        "at:Q",
        title="share of what can be known",
        scale=alt.Scale(domain=[low - 0.08, high + 0.08], nice=False),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".0%", grid=True),
    )
    y = alt.Y(
        "task:N", title=None, sort=tasks, axis=alt.Axis(grid=False, domain=False, ticks=False)
    )
    base = alt.Chart(parts.data(parts.rows(table)))
    shift = alt.YOffset("_jitter:Q", scale=alt.Scale(domain=[-0.4, 1.4]))
    marks = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        x=x,
        y=y,
        yOffset=shift,
        tooltip=[
            alt.Tooltip("task:N"),
            alt.Tooltip("method:N"),
            alt.Tooltip("author:N"),
            alt.Tooltip("ranked:Q", title="loss", format=".4~g"),
            alt.Tooltip("share:Q", format=".2f"),
        ],
        **parts.looks(
            "kind",
            kinds,
            legend=alt.Legend(title=None, symbolType="circle", symbolSize=80, columns=4),
        ),
    )
    far = [
        base.transform_filter(f"datum.share > {high}").mark_text(align="right", dx=-8, fontSize=11),
        base.transform_filter(f"datum.share < {low}").mark_text(align="left", dx=8, fontSize=11),
    ]
    far = [text.encode(x=x, y=y, yOffset=shift, text="beyond:N") for text in far]
    ends = alt.Chart(
        parts.data([{"at": 0, "says": "baseline"}, {"at": 1, "says": "the true distribution"}])
    )
    rules = ends.mark_rule(color=INK, strokeWidth=1.4).encode(x="at:Q")
    first = ends.transform_filter("datum.at === 0").mark_text(align="left", dx=4, baseline="top")
    last = ends.transform_filter("datum.at === 1").mark_text(align="right", dx=-4, baseline="top")
    says = alt.layer(
        *(end.encode(x="at:Q", y=alt.value(2), text="says:N") for end in (first, last))
    )
    return parts.finish(
        alt.layer(rules, says, marks, *far),
        _words(entries, tasks),
        "share of what can be known",
        height=64 * len(tasks),
    )


def _words(entries: pl.DataFrame, tasks: list[str]) -> str:
    said = []
    for task in tasks:
        here = entries.filter(task=task)
        inside = here.filter(pl.col("share") <= 1)["share"]
        best = number(float(str(inside.max()))) if len(inside) else "none"
        above = here.filter(pl.col("share") > 1).height
        more = f", and {above} above 1" if above else ""
        said.append(f"of {here.height} for {task} the best below 1 is at {best}{more}")
    return f"Share of what can be known that each entry found, 0 at the baseline and 1 at the law: {listed(said)}."
