"""Quantiles of one distribution against those of another."""

from __future__ import annotations

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS
from benchbook.charts.words import counted, number

_SIDE = 150


def quantile_pairs(pairs: pl.DataFrame, across: str, up: str) -> alt.FacetChart:
    """Quantiles against quantiles, a panel for each dataset; equal distributions lie on the dashed line.

    The axes are on a square-root scale, on which small shares stay apart.

    Args:
        pairs: panel, level (between 0 and 1), across and up (the two quantiles, not negative).
        across, up: what the two are.

    Raises:
        FaultyInput: a table without lines or without what is needed.
    """
    parts.need(pairs, ("panel", "level", "across", "up"), "quantiles")
    panels = list(dict.fromkeys(pairs["panel"]))
    most = float(max(pairs["across"].to_list() + pairs["up"].to_list()))
    scale = alt.Scale(type="sqrt", domain=[0, most], nice=False)
    axis = alt.Axis(values=[tick for tick in (0, 0.05, 0.2, 0.5, 0.8) if tick <= most], grid=False, format="~g")
    level = alt.Tooltip("level:Q", title="share of cases below", format=".1%")
    tips = [level, alt.Tooltip("across:Q", title=across, format=".3g"), alt.Tooltip("up:Q", title=up, format=".3g")]
    dots = alt.Chart().mark_point(filled=True, size=24, color=COLOURS[0]).encode(
        x=alt.X("across:Q", title=across, scale=scale, axis=axis), y=alt.Y("up:Q", title=up, scale=scale, axis=axis),
        tooltip=tips)
    line = alt.Chart().mark_rule(opacity=0.7, strokeDash=[4, 3]).encode(
        x=alt.datum(0), y=alt.datum(0), x2=alt.value("width"), y2=alt.value(0))
    chart = alt.layer(line, dots, data=parts.data(parts.rows(pairs))).properties(width=_SIDE, height=_SIDE).facet(
        alt.Facet("panel:N", title=None, sort=panels, header=alt.Header(labelAnchor="start", labelFontSize=11)),
        columns=4, spacing=12)
    layout = {"count": len(panels), "least": 128, "most": 190, "gap": 12, "margin": 50}
    return parts.finish(chart, _words(pairs, panels, across, up), "quantiles", layout=layout)


def _words(pairs: pl.DataFrame, panels: list[str], across: str, up: str) -> str:
    said = [f"Quantiles of {up} against {across}, {counted(len(panels), 'dataset')}; the dashed line is where both "
            "distributions agree."]
    for name in panels:
        here = pairs.filter(panel=name).sort("level")
        middle = here.row((here["level"] - 0.5).abs().arg_min() or 0, named=True)
        last = here.row(-1, named=True)
        said.append(f"{name}: median {number(middle['up'])} against {number(middle['across'])}, "
                    f"largest {number(last['up'])} against {number(last['across'])}.")
    return " ".join(said)
