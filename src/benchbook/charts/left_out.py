"""What left-out cases of a posterior say: calibration by PIT values, and where one model is better than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from benchbook.charts.expected_utilities import MOST
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES

if TYPE_CHECKING:
    from altair.typing import ChartType

_KINDS = ("trusted", "not trusted")


def pit_chart(frame: pl.DataFrame) -> ChartType:
    """The ECDF of PIT values minus the uniform one, over its simultaneous 95 % band.

    Args:
        frame: ``value``, ``share``, ``simultaneous_low``, ``simultaneous_high``, as ``calibration.pit_ecdf`` gives it.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    needed = ("value", "share", "simultaneous_low", "simultaneous_high")
    parts.need(frame, needed, "PIT values")
    table = frame.select("value", *(pl.col(name) - pl.col("value") for name in needed[1:]))
    x = alt.X("value:Q", title="PIT value", scale=alt.Scale(domain=[0, 1], nice=False))
    band = (
        alt.Chart()
        .mark_area(opacity=0.25, interpolate="step-after", color=COLOURS[0])
        .encode(
            x=x,
            y=alt.Y("simultaneous_low:Q", title="share up to it, minus the value"),
            y2="simultaneous_high:Q",
        )
    )
    line = (
        alt.Chart()
        .mark_line(interpolate="step-after", color=COLOURS[1])
        .encode(
            x=x,
            y="share:Q",
            tooltip=[
                alt.Tooltip("value:Q", title="PIT value", format=".2f"),
                alt.Tooltip("share:Q", title="share minus value", format=".3f"),
            ],
        )
    )
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(0))
    outside = table.filter(
        (pl.col("share") > pl.col("simultaneous_high"))
        | (pl.col("share") < pl.col("simultaneous_low"))
    )
    most = float(str(table["share"].abs().max()))
    return parts.finish(
        alt.layer(band, rule, line, data=parts.data(parts.rows(table))),
        f"PIT values: at most {most:.3f} from uniform, {len(outside)} of {len(table)} points outside of the band.",
        "PIT values",
        height=240,
    )


def pointwise_chart(frame: pl.DataFrame, title: str) -> ChartType:
    """The difference of two models at every case, in the order of the cases; of more than 2,000 the largest.

    Args:
        frame: ``case``, ``difference``, ``trusted``, as ``PosteriorComparison.pointwise`` gives it.
        title: of the differences.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(frame, ("case", "difference", "trusted"), "pointwise differences")
    table = (
        frame.with_columns(
            place=pl.int_range(pl.len()),
            kind=pl.when("trusted").then(pl.lit(_KINDS[0])).otherwise(pl.lit(_KINDS[1])),
        )
        .sort(pl.col("difference").abs(), descending=True)
        .head(MOST)
        .sort("place")
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=40, opacity=0.9)
        .encode(
            x=alt.X("place:Q", title="case", scale=alt.Scale(domain=[-1, len(frame)], nice=False)),
            y=alt.Y("difference:Q", title=title),
            tooltip=[alt.Tooltip("case:N"), alt.Tooltip("difference:Q", format=".3g")],
            **parts.looks(
                "kind", _KINDS, colours=list(COLOURS[:2]), shapes=[SHAPES[0], SHAPES[2]], title=None
            ),
        )
    )
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(0))
    far = table.sort(pl.col("difference").abs(), descending=True).row(0, named=True)
    return parts.finish(
        alt.layer(rule, dots, data=parts.data(parts.rows(table.drop("trusted")))),
        f"{title[:1].upper()}{title[1:]}, case by case: {int((frame['difference'] > 0).sum())} of {len(frame)} are "
        f"above 0; the farthest is {far['difference']:.3g}, of case {far['case']}.",
        "pointwise differences",
        height=240,
    )
