"""Do shares, multiplied by the number of customers that is thought to be behind them, give whole numbers?"""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS
from benchbook.charts.words import counted

_FIRST, _LAST, _WIDTH = 0.5, 6.5, 0.05


def whole_numbers(counts: pl.DataFrame) -> alt.FacetChart:
    """Histograms of small counts that need not be whole, a panel for each source; rules stand at whole numbers.

    Args:
        counts: panel and count, a line a case; only counts between 0.5 and 6.5 are drawn.

    Raises:
        FaultyInput: a table without lines or without what is needed.
    """
    parts.need(counts, ("panel", "count"), "counts")
    panels = list(dict.fromkeys(counts["panel"]))
    edges = np.arange(_FIRST, _LAST + _WIDTH / 2, _WIDTH).round(4)
    lines = []
    for name in panels:
        found = np.histogram(counts.filter(panel=name)["count"].to_numpy(), edges)[0]
        lines += [{"panel": name, "from": float(left), "to": float(left + _WIDTH), "cases": int(cases)}
                  for left, cases in zip(edges, found, strict=False) if cases]
    whole = list(range(1, int(_LAST) + 1))
    x = alt.X("from:Q", title="share × supposed number of customers",
              scale=alt.Scale(domain=[_FIRST, _LAST], nice=False),
              axis=alt.Axis(values=whole, format="d", gridDash=[4, 3], gridOpacity=0.5))
    bars = alt.Chart(parts.data(lines)).mark_rect(color=COLOURS[0]).encode(
        x=x, x2="to:Q", y=alt.Y("cases:Q", title="cases", axis=alt.Axis(tickCount=4)), y2=alt.datum(0),
        tooltip=[alt.Tooltip("from:Q", format=".2f"), alt.Tooltip("cases:Q")])
    chart = bars.properties(width=320, height=130).facet(
        alt.Facet("panel:N", title=None, sort=panels, header=alt.Header(labelAnchor="start", labelFontSize=11)),
        columns=2, spacing=14)
    layout = {"count": len(panels), "least": 260, "most": 360, "gap": 14, "margin": 50}
    return parts.finish(chart, _words(counts, panels), "whole numbers of customers", layout=layout)


def nearly_whole(counts: np.ndarray, within: float = 0.15) -> float:
    """Share of the counts between 0.5 and 3.5 that are so near to a whole number; 2 x ``within`` if they are not."""
    small = counts[(counts > _FIRST) & (counts < 3.5)]
    return float(np.mean(np.abs(small - small.round()) < within))


def _words(counts: pl.DataFrame, panels: list[str]) -> str:
    said = [f"Histograms of supposed customer counts from {_FIRST} to {_LAST}, {counted(len(panels), 'panel')}."]
    for name in panels:
        share = nearly_whole(counts.filter(panel=name)["count"].to_numpy())
        said.append(f"{name}: of the counts below 3.5, {100 * share:.0f} % are within 0.15 of a whole number, where "
                    "30 % would be by chance.")
    return " ".join(said)
