"""How often intervals held the truth, world by world and procedure by procedure."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK, SHAPES


def coverage_chart(summary: pl.DataFrame, level: float) -> Any:
    """A panel for each world, a line for each procedure, a mark for each kind of interval; the nominal level a rule.

    Args:
        summary: ``world``, ``procedure``, ``interval``, ``coverage``, ``standard_error``, of one model and utility, as
            ``assess.densities.coverage.summarise`` gives them.
        level: what the intervals promise.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(summary, ("world", "procedure", "interval", "coverage", "standard_error"), "coverage")
    worlds, procedures, kinds = (list(dict.fromkeys(summary[name])) for name in ("world", "procedure", "interval"))
    table = summary.select(
        "world", "procedure", "interval", "coverage", low=pl.col("coverage") - 2 * pl.col("standard_error"),
        high=pl.col("coverage") + 2 * pl.col("standard_error"), first=pl.int_range(pl.len()).over("world") == 0)
    x = alt.X("coverage:Q", title="share of intervals that hold the truth", axis=alt.Axis(format="%", tickCount=5),
              scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("procedure:N", title=None, sort=procedures, axis=alt.Axis(grid=False, domain=False, ticks=False))
    shift = alt.YOffset("interval:N", sort=kinds)
    looks = [alt.Scale(domain=kinds, range=list(look[:len(kinds)])) for look in (COLOURS, SHAPES)]
    colour = alt.Color("interval:N", title=None, scale=looks[0])
    bars = alt.Chart().mark_rule(strokeWidth=2, opacity=0.5, clip=True).encode(
        x=alt.X("low:Q"), x2="high:Q", y=y, yOffset=shift, color=colour)
    dots = alt.Chart().mark_point(filled=True, size=45, opacity=1).encode(
        x=x, y=y, yOffset=shift, color=colour, shape=alt.Shape("interval:N", title=None, scale=looks[1]),
        tooltip=[alt.Tooltip("world:N"), alt.Tooltip("procedure:N"), alt.Tooltip("interval:N"),
                 alt.Tooltip("coverage:Q", format=".1%")])
    rule = alt.Chart().transform_filter("datum.first").mark_rule(strokeDash=[4, 3], color=INK).encode(
        x=alt.datum(level))
    layers = alt.layer(rule, bars, dots, data=parts.data(parts.rows(table))).properties(
        width=230, height=22 * len(procedures))
    chart = layers.facet(alt.Facet("world:N", title=None, sort=worlds, header=alt.Header(labelAnchor="start")),
                         columns=2, spacing={"column": 24, "row": 18})
    layout = {"count": len(worlds), "least": 150, "most": 260, "gap": 24, "margin": 150}
    return parts.finish(chart, _words(table, worlds, level), "coverage of intervals", layout=layout)


def _words(table: pl.DataFrame, worlds: list[str], level: float) -> str:
    said = []
    for world in worlds:
        each = [f"{line['procedure']} ({line['interval']}) {line['coverage']:.0%}"
                for line in table.filter(world=world).iter_rows(named=True)]
        said.append(f"{world}: {', '.join(each)}")
    return f"Share of {level:.0%} intervals that hold the true expected utility. {'; '.join(said)}."
