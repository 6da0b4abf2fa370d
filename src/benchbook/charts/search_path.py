"""The steps of a search by bisection for the constant that gives a wanted value."""

from __future__ import annotations

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS
from benchbook.charts.words import counted, number


def search_path(steps: pl.DataFrame) -> alt.FacetChart:
    """What each step of a bisection tried and found, a panel for each search; numbers count the steps.

    Args:
        steps: panel, step (from 1), constant (what was tried), found and wanted (what it gives, and what it shall
            give), a line a step; the last line of a panel is where the search ends.

    Raises:
        FaultyInput: a table without lines or without what is needed.
    """
    parts.need(steps, ("panel", "step", "constant", "found", "wanted"), "steps of a search")
    panels = list(dict.fromkeys(steps["panel"]))
    last = pl.col("step") == pl.col("step").max().over("panel")
    table = steps.with_columns(
        relative=pl.col("found") / pl.col("wanted"), end=last,
        _number=pl.when(pl.col("step") <= 4).then(pl.col("step").cast(pl.String)).otherwise(pl.lit("")))
    x = alt.X("constant:Q", title="constant that is sought", scale=alt.Scale(nice=True), axis=alt.Axis(
        tickCount=4, grid=False))
    y = alt.Y("relative:Q", title="share found / share wanted", scale=alt.Scale(domainMin=0),
              axis=alt.Axis(tickCount=5))
    tips = [alt.Tooltip("step:Q"), alt.Tooltip("constant:Q", format=".4g"), alt.Tooltip("found:Q", format=".2%"),
            alt.Tooltip("wanted:Q", format=".2%")]
    base = alt.Chart()
    wanted = base.mark_rule(strokeDash=[4, 3], opacity=0.6).encode(y=alt.datum(1.0))
    curve = base.mark_line(strokeWidth=1, opacity=0.5, color=COLOURS[0]).encode(x=x, y=y)
    tried = base.mark_point(size=36, filled=True, color=COLOURS[0]).encode(x=x, y=y, tooltip=tips)
    end = base.transform_filter("datum.end").mark_point(
        size=110, filled=True, shape="diamond", color=COLOURS[1]).encode(x=x, y=y, tooltip=tips)
    numbers = base.mark_text(align="left", dx=6, dy=6, fontSize=10).encode(x=x, y=y, text="_number:N")
    chart = alt.layer(wanted, curve, tried, end, numbers, data=parts.data(parts.rows(table))).properties(
        width=150, height=150).facet(
        alt.Facet("panel:N", title=None, sort=panels, header=alt.Header(
            labelExpr="split(datum.label, ', ')", labelAnchor="start", labelFontSize=11)),
        columns=4, spacing=14).resolve_scale(x="independent")
    layout = {"count": len(panels), "least": 128, "most": 190, "gap": 14, "margin": 50}
    return parts.finish(chart, _words(steps, panels), "search for constants", layout=layout)


def _words(steps: pl.DataFrame, panels: list[str]) -> str:
    said = [f"Bisection for {counted(len(panels), 'constant')}: the value tried at each step, and the share it gives "
            "over the share wanted."]
    for name in panels:
        last = steps.filter(panel=name).sort("step").row(-1, named=True)
        said.append(f"{name}: after {counted(last['step'], 'step')} {number(last['constant'])}, which gives "
                    f"{100 * last['found']:.2f} % where {100 * last['wanted']:.2f} % is wanted.")
    return " ".join(said)
