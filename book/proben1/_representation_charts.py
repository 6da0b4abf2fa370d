"""A case beside what a network sees of it, and what another way of coding costs."""

from __future__ import annotations

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import counted, listed, number

_COSTS = ("data", "coding", "network", "permutation", "cost")
_INPUTS = ("case", "attribute", "raw", "column", "value", "kind")
_GAP = 0.1
_ROW = 24
_TINTS = {"binary": COLOURS[0], "continuous": COLOURS[2], "missing": COLOURS[1]}


def encoded_line(cells: pl.DataFrame) -> alt.LayerChart:
    """An attribute a line: its value as recorded, then a box for each input, filled as far as the input goes.

    A negative input fills its box from the right. Buttons choose the case.

    Args:
        cells: a line for each input of each case: case (its label), attribute, raw (the recorded value), column (from
            0 within the attribute), value, and kind (binary, continuous or missing).

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(cells, _INPUTS, "cells")
    cases = list(dict.fromkeys(cells["case"]))
    order = list(dict.fromkeys(cells["attribute"]))
    widest = int(str(cells["column"].max())) + 1
    left = max(1.2, 0.16 * widest)
    drawn = _boxes(cells)
    choice = alt.param(
        name="shown", value=cases[0], bind=alt.binding_radio(options=cases, name="case ")
    )
    base = alt.Chart(parts.data(parts.rows(drawn))).transform_filter("datum._shown == shown")
    scale = alt.Scale(domain=[-left, widest], nice=False)
    y = alt.Y(
        "attribute:N",
        sort=order,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelLimit=170),
    )
    kinds = [kind for kind in _TINTS if kind in set(cells["kind"])]
    colour = alt.Color(
        "kind:N",
        title=None,
        legend=alt.Legend(symbolType="square", symbolSize=120),
        scale=alt.Scale(domain=kinds, range=[_TINTS[kind] for kind in kinds]),
    )
    tips = [alt.Tooltip(f"{name}:N") for name in ("attribute", "raw", "kind")] + [
        alt.Tooltip("value:Q", format=".4~g")
    ]
    x = alt.X("_left:Q", scale=scale, axis=None)
    frames = base.mark_bar(filled=False, stroke=INK, strokeOpacity=0.35, height=_ROW - 8).encode(
        x=x, x2="_right:Q", y=y, tooltip=tips
    )
    fills = base.mark_bar(opacity=0.9, height=_ROW - 8).encode(
        x=alt.X("_from:Q", scale=scale, axis=None), x2="_to:Q", y=y, color=colour, tooltip=tips
    )
    words = (
        base.transform_filter("datum.column == 0")
        .mark_text(align="right", fontWeight=600, dx=-6)
        .encode(x=alt.X("_zero:Q", scale=scale, axis=None), y=y, text="raw:N")
    )
    chart = (
        alt.layer(frames, fills, words)
        .add_params(choice)
        .properties(width="container", height=_ROW * len(order), autosize=parts.FIT)
    )
    return parts.finish(chart, _line_words(cells, cases), "raw and encoded")


def _boxes(cells: pl.DataFrame) -> pl.DataFrame:
    """Where each box stands and how far it is filled."""
    size = 1 - 2 * _GAP
    filled = pl.col("value").abs().clip(0, 1) * size
    left = pl.col("column") + _GAP
    return cells.with_columns(
        _shown=pl.col("case"),
        _left=left,
        _right=left + size,
        _zero=pl.lit(0.0),
        _from=pl.when(pl.col("value") >= 0).then(left).otherwise(left + size - filled),
        _to=pl.when(pl.col("value") >= 0).then(left + filled).otherwise(left + size),
    )


def _line_words(cells: pl.DataFrame, cases: list[str]) -> str:
    first = cells.filter(case=cases[0])
    said = []
    for name, lines in first.group_by("attribute", maintain_order=True):
        codes = " ".join(number(value) for value in lines["value"])
        said.append(f"{name[0]} {lines['raw'][0]} becomes {codes}")
    total = counted(first.height, "input")
    return (
        f"{listed(cases)}, as recorded and as encoded, an attribute a line and a box for each of {total}. "
        f"{cases[0]}: {'; '.join(said)}."
    )


def coding_costs(costs: pl.DataFrame) -> alt.FacetChart:
    """A panel for each data set, a line for each way of coding: a mark for each permutation and kind of network.

    Args:
        costs: data, coding, network, permutation, cost: the mean test error over that of the first coding, less 1;
            panels and lines stand in the order found.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(costs, _COSTS, "costs")
    panels, codings, networks = (
        list(dict.fromkeys(costs[name])) for name in ("data", "coding", "network")
    )
    title = "test error, against PROBEN1's coding"
    x = alt.X("cost:Q", title=title, axis=alt.Axis(tickCount=4, format="+.0%"))
    y = alt.Y(
        "coding:N",
        title=None,
        sort=codings,
        axis=alt.Axis(grid=True, domain=False, ticks=False, labelLimit=170),
    )
    nudge = alt.YOffset("network:N", sort=networks)
    scales = [
        alt.Scale(domain=networks, range=list(looks[: len(networks)]))
        for looks in (COLOURS, SHAPES)
    ]
    tips = [alt.Tooltip(f"{name}:N") for name in ("data", "coding", "network")]
    shown = [*tips, alt.Tooltip("permutation:N"), alt.Tooltip("cost:Q", format="+.1%")]
    base = alt.Chart().encode(y=y, yOffset=nudge)
    even = (
        alt.Chart().mark_rule(opacity=0.6, strokeDash=[4, 3]).encode(x=alt.datum(0.0, title=title))
    )
    means = base.mark_tick(thickness=3, size=16, color=INK).encode(
        x=alt.X("mean(cost):Q", title=title),
        tooltip=[*tips, alt.Tooltip("mean(cost):Q", title="mean", format="+.1%")],
    )
    marks = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        x=x,
        tooltip=shown,
        color=alt.Color("network:N", title=None, scale=scales[0]),
        shape=alt.Shape("network:N", title=None, scale=scales[1]),
    )
    layers = alt.layer(
        even, means, marks, data=parts.data(parts.rows(costs.select(_COSTS)))
    ).properties(width=300, height=46 * len(codings))
    chart = parts.panels(layers, "data", panels, 2, 20)
    layout = {"count": len(panels), "least": 250, "most": 420, "gap": 20, "margin": 130}
    return parts.finish(chart, _cost_words(costs, panels), "costs of codings", layout=layout)


def _cost_words(costs: pl.DataFrame, panels: list[str]) -> str:
    said = []
    for panel in panels:
        means = (
            costs.filter(data=panel)
            .group_by("coding", "network", maintain_order=True)
            .agg(low=pl.col("cost").min(), mean=pl.col("cost").mean(), high=pl.col("cost").max())
        )
        said.append(
            f"{panel}: "
            + listed(
                [
                    f"{line['coding']}, {line['network']} {line['mean']:+.0%}"
                    f" ({line['low']:+.0%} to {line['high']:+.0%})"
                    for line in means.iter_rows(named=True)
                ]
            )
        )
    return (
        "Mean test errors of networks on the same cases coded in other ways, against PROBEN1's coding; in brackets "
        f"the range over the permutations. {'. '.join(said)}."
    )
