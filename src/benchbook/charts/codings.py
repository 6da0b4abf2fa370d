"""What another way of coding costs: test errors of the same networks on the same cases, against a first coding."""

from __future__ import annotations

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.charts.kit.words import listed

_COLUMNS = ("data", "coding", "network", "permutation", "cost")


def coding_costs(costs: pl.DataFrame) -> alt.FacetChart:
    """A panel for each data set, a line for each way of coding: a mark for each permutation and kind of network.

    Args:
        costs: data, coding, network, permutation, cost: the mean test error over that of the first coding, less 1;
            panels and lines stand in the order found.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(costs, _COLUMNS, "costs")
    panels, codings, networks = (list(dict.fromkeys(costs[name])) for name in ("data", "coding", "network"))
    title = "test error, against PROBEN1's coding"
    x = alt.X("cost:Q", title=title, axis=alt.Axis(tickCount=4, format="+.0%", labelFlush=False))
    y = alt.Y("coding:N", title=None, sort=codings, axis=alt.Axis(grid=True, domain=False, ticks=False, labelLimit=170))
    nudge = alt.YOffset("network:N", sort=networks)
    scales = [alt.Scale(domain=networks, range=list(looks[:len(networks)])) for looks in (COLOURS, SHAPES)]
    tips = [alt.Tooltip(f"{name}:N") for name in ("data", "coding", "network")]
    shown = [*tips, alt.Tooltip("permutation:N"), alt.Tooltip("cost:Q", format="+.1%")]
    base = alt.Chart().encode(y=y, yOffset=nudge)
    even = alt.Chart().mark_rule(opacity=0.6, strokeDash=[4, 3]).encode(x=alt.datum(0.0, title=title))
    means = base.mark_tick(thickness=3, size=16, color=INK).encode(x=alt.X("mean(cost):Q", title=title), tooltip=[
        *tips, alt.Tooltip("mean(cost):Q", title="mean", format="+.1%")])
    marks = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        x=x, tooltip=shown, color=alt.Color("network:N", title=None, scale=scales[0]),
        shape=alt.Shape("network:N", title=None, scale=scales[1]))
    layers = alt.layer(even, means, marks, data=parts.data(parts.rows(costs.select(_COLUMNS)))).properties(
        width=300, height=46 * len(codings))
    chart = parts.panels(layers, "data", panels, 2, 20)
    layout = {"count": len(panels), "least": 250, "most": 420, "gap": 20, "margin": 130}
    return parts.finish(chart, _words(costs, panels), "costs of codings", layout=layout)


def _words(costs: pl.DataFrame, panels: list[str]) -> str:
    said = []
    for panel in panels:
        means = costs.filter(data=panel).group_by("coding", "network", maintain_order=True).agg(
            low=pl.col("cost").min(), mean=pl.col("cost").mean(), high=pl.col("cost").max())
        said.append(f"{panel}: " + listed([
            f"{line['coding']}, {line['network']} {line['mean']:+.0%} ({line['low']:+.0%} to {line['high']:+.0%})"
            for line in means.iter_rows(named=True)]))
    return ("Mean test errors of networks on the same cases coded in other ways, against PROBEN1's coding; in brackets "
            f"the range over the permutations. {'. '.join(said)}.")
