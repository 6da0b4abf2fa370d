"""How often tests find a difference, in several worlds, with few runs and with many."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, SHAPES


def alarm_rates(rates: pl.DataFrame, level: float, what: str = "share of false alarms") -> Any:
    """A panel for each world, a line for each test: how often it finds a difference, with few runs and with many.

    Args:
        rates: world, test, runs, rate, standard_error.
        level: the nominal rate, a rule; 0 for none.
        what: the title of the horizontal axis.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(rates, ("world", "test", "runs", "rate", "standard_error"), "rates")
    worlds, tests = (list(dict.fromkeys(rates[name])) for name in ("world", "test"))
    sizes = [f"{size} runs" for size in sorted(set(rates["runs"]))]
    table = rates.with_columns(size=pl.format("{} runs", "runs"), low=pl.col("rate") - 2 * pl.col("standard_error"),
                               high=pl.col("rate") + 2 * pl.col("standard_error"),
                               _first=pl.int_range(pl.len()).over("world") == 0)
    top = max(0.25, 1.05 * float(str(table["high"].max())))
    x = alt.X("rate:Q", title=what, scale=alt.Scale(domain=[0, top], nice=False),
              axis=alt.Axis(format="%", tickCount=5))
    y = alt.Y("test:N", title=None, sort=tests, axis=alt.Axis(grid=False, domain=False, ticks=False, labelLimit=170))
    looks = [alt.Scale(domain=sizes, range=list(look[:len(sizes)])) for look in (COLOURS, SHAPES)]
    shift = alt.YOffset("size:N", sort=sizes)
    colour = alt.Color("size:N", title=None, scale=looks[0], legend=alt.Legend(symbolType="circle"))
    bars = alt.Chart().mark_rule(strokeWidth=2, opacity=0.5, clip=True).encode(
        x=alt.X("low:Q"), x2="high:Q", y=y, yOffset=shift, color=colour)
    dots = alt.Chart().mark_point(filled=True, size=60, opacity=1).encode(
        x=x, y=y, yOffset=shift, color=colour, shape=alt.Shape("size:N", title=None, scale=looks[1]),
        tooltip=[alt.Tooltip("world:N"), alt.Tooltip("test:N"), alt.Tooltip("size:N"),
                 alt.Tooltip("rate:Q", format=".1%")])
    rule = alt.Chart().transform_filter("datum._first").mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(level))
    layers = alt.layer(*([rule] if level else []), bars, dots, data=parts.data(parts.rows(table))).properties(
        width=230, height=30 * len(tests))
    chart = layers.facet(alt.Facet("world:N", title=None, sort=worlds, header=alt.Header(labelAnchor="start",
                                                                                       labelLimit=260)),
                         columns=2, spacing={"column": 24, "row": 18})
    layout = {"count": len(worlds), "least": 150, "most": 260, "gap": 24, "margin": 190}
    return parts.finish(chart, _rate_words(table, worlds, what), what, layout=layout)


def _rate_words(table: pl.DataFrame, worlds: list[str], what: str) -> str:
    said = []
    for world in worlds:
        each = [f"{line['test']} {line['rate']:.0%} with {line['size']}"
                for line in table.filter(world=world).iter_rows(named=True)]
        said.append(f"{world}: {', '.join(each)}")
    return f"{what.capitalize()}. {'; '.join(said)}."
