"""Whether leaving one out by weights can be trusted: k-hat of every case."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import counted

MOST = 2000
_KINDS = ("trusted", "not trusted", "not fitted")


def k_hat_chart(frame: pl.DataFrame, threshold: float) -> Any:
    """k-hat of every case against its number, the threshold a rule; what cannot be trusted has another shape.

    Of more than 2,000 cases those of the largest k-hat are drawn.

    Args:
        frame: ``case``, ``k_hat``, ``effective_draws``, ``reliable``, as ``Loo.frame`` gives it.
        threshold: below it, weights are good.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(frame, ("case", "k_hat", "effective_draws", "reliable"), "leave-one-out")
    shown = (
        frame.with_columns(place=pl.int_range(pl.len()))
        .sort("k_hat", descending=True)
        .head(MOST)
        .sort("place")
    )
    finite = shown["k_hat"].is_finite()
    table = shown.select(
        "case",
        "effective_draws",
        "place",
        k=pl.when(finite).then("k_hat").otherwise(0.0),
        kind=pl.when(~finite)
        .then(pl.lit(_KINDS[2]))
        .when("reliable")
        .then(pl.lit(_KINDS[0]))
        .otherwise(pl.lit(_KINDS[1])),
    )
    low, high = (
        min(-0.2, float(str(table["k"].min()))),
        max(1.05, 1.06 * float(str(table["k"].max()))),
    )
    x = alt.X("place:Q", title="case", scale=alt.Scale(domain=[-1, len(frame)], nice=False))
    y = alt.Y("k:Q", title="k-hat", scale=alt.Scale(domain=[low, high], nice=False))
    kinds = alt.Scale(domain=list(_KINDS), range=[COLOURS[0], COLOURS[1], COLOURS[5]])
    shapes = alt.Scale(domain=list(_KINDS), range=[SHAPES[0], SHAPES[2], SHAPES[4]])
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=40, opacity=0.9)
        .encode(
            x=x,
            y=y,
            color=alt.Color("kind:N", title=None, scale=kinds),
            shape=alt.Shape("kind:N", title=None, scale=shapes),
            tooltip=[
                alt.Tooltip("case:N"),
                alt.Tooltip("k:Q", title="k-hat", format=".2f"),
                alt.Tooltip("effective_draws:Q", title="effective draws", format=".0f"),
            ],
        )
    )
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(threshold))
    chart = alt.layer(rule, dots, data=parts.data(parts.rows(table))).properties(
        width="container", height=240, autosize=parts.FIT
    )
    return parts.finish(chart, _words(frame, threshold), "k-hat of every case")


def _words(frame: pl.DataFrame, threshold: float) -> str:
    fitted = frame.filter(pl.col("k_hat").is_finite()).sort("k_hat", descending=True)
    worst = (
        "none could be fitted"
        if fitted.is_empty()
        else (f"the largest is {fitted['k_hat'][0]:.2f}, of case {fitted['case'][0]}")
    )
    bad = int((~frame["reliable"]).sum())
    return (
        f"k-hat of {counted(len(frame), 'case')}: {worst}. {len(frame) - bad} can be trusted (below "
        f"{threshold:.2f} or of equal weights), {bad} cannot."
    )
