"""What a choice that is not stated does to a printed error, and how much of it is there on other cases."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK

_KINDS = {"printed": "printed: on the cases that chose", "true": "true: on cases that did not"}


def unstated(gains: pl.DataFrame) -> Any:
    """A line for each choice: the error printed, and the error on cases that had no say, both relative to the rules.

    Args:
        gains: choice, printed, true; errors as shares of the one by the rules, 1 being no difference.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(gains, ("choice", *_KINDS), "gains")
    order, kinds = list(gains["choice"]), list(_KINDS.values())
    lines = parts.data(parts.rows(gains.select("choice", *_KINDS)))
    both = gains.unpivot(list(_KINDS), index="choice", variable_name="_kind", value_name="share").with_columns(
        kind=pl.col("_kind").replace_strict(_KINDS))
    top = max(1.2, 1.08 * float(str(both["share"].max())))
    scale = alt.Scale(domain=[0, top], nice=False)
    x = alt.X("share:Q", title="error, as a share of what the rules give", scale=scale,
              axis=alt.Axis(format="%", tickCount=5))
    y = alt.Y("choice:N", title=None, sort=order, axis=None)
    spans = alt.Chart(lines).mark_rule(opacity=0.5, strokeWidth=2).encode(
        x=alt.X("printed:Q", scale=scale), x2="true:Q", y=y)
    colour = alt.Color("kind:N", title=None, scale=alt.Scale(domain=kinds, range=list(COLOURS[:2])),
                       legend=alt.Legend(columns=1, labelLimit=300, symbolType="circle"))
    shape = alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds, range=["circle", "square"]),
                      legend=alt.Legend(columns=1, labelLimit=300))
    size = alt.condition(f"datum.kind == '{kinds[0]}'", alt.value(190), alt.value(80))
    dots = alt.Chart(parts.data(parts.rows(both.drop("_kind")))).mark_point(filled=True, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, size=size, tooltip=[
            alt.Tooltip("choice:N"), alt.Tooltip("kind:N", title="error"), alt.Tooltip("share:Q", format=".0%")])
    names = alt.Chart(lines).mark_text(align="left", baseline="bottom", dy=-9, fontSize=12).encode(
        x=alt.value(2), y=y, text="choice:N")
    honest = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(x=alt.datum(1.0, scale=scale))
    chart = alt.layer(honest, spans, dots, names).properties(
        width="container", height=46 * len(order), autosize=parts.FIT)
    return parts.finish(chart, _words(gains), "unstated choices")


def _words(gains: pl.DataFrame) -> str:
    said = [f"{line['choice']}: {line['printed']:.0%} printed, {line['true']:.0%} true"
            for line in gains.iter_rows(named=True)]
    return ("Test errors after different choices, as shares of the error that the rules give, on the cases that made "
            f"the choice and on cases that did not. {'; '.join(said)}.")
