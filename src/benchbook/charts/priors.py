"""What a hierarchical prior believes: the spreads of weights in networks drawn from it."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK
from benchbook.charts.words import counted, number

_STEP = 19


def prior_draws(draws: pl.DataFrame) -> Any:
    """A panel for each prior, a line for each network drawn from it: a tick for the group, a dot for each input.

    Args:
        draws: prior, draw (from 1), level ("group" or "input"), sd: standard deviations of weights, above 0.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(draws, ("prior", "draw", "level", "sd"), "draws of priors")
    priors = list(dict.fromkeys(draws["prior"]))
    count = draws["draw"].n_unique()
    x = alt.X("sd:Q", title="standard deviation of the weights (log scale)",
              scale=alt.Scale(type="log", nice=False, padding=10),
              axis=alt.Axis(grid=True, values=[10.0**k for k in range(-6, 7)], format="~g", labelOverlap="greedy"))
    y = alt.Y("draw:O", title="network", axis=alt.Axis(grid=False, domain=False, ticks=False))
    tips = [alt.Tooltip("level:N"), alt.Tooltip("draw:O", title="network"), alt.Tooltip("sd:Q", format=".3g")]
    base = alt.Chart().encode(x=x, y=y, tooltip=tips)
    dots = base.transform_filter(alt.datum.level == "input").mark_point(
        size=38, filled=False, strokeWidth=1.4, opacity=0.75, color=COLOURS[0])
    ticks = base.transform_filter(alt.datum.level == "group").mark_tick(
        thickness=3, bandSize=15, color=INK, opacity=0.9)
    layers = alt.layer(dots, ticks, data=parts.data(parts.rows(draws))).properties(width=300, height=_STEP * count)
    header = alt.Header(labelAnchor="start", labelLimit=400)
    chart = layers.facet(alt.Facet("prior:N", title=None, sort=priors, header=header), columns=len(priors), spacing=24)
    layout = {"count": len(priors), "least": 240, "most": 420, "gap": 24, "margin": 52}
    return parts.finish(chart, _words(draws, priors, count), "draws from priors", layout=layout)


def _words(draws: pl.DataFrame, priors: list[str], count: int) -> str:
    said = []
    for prior in priors:
        here = draws.filter(prior=prior)
        group, each = (here.filter(level=level)["sd"] for level in ("group", "input"))
        text = f"{prior}: the group's from {number(_least(group))} to {number(_most(group))}"
        if each.len():
            within = here.filter(level="input").group_by("draw").agg(
                (pl.col("sd").max() / pl.col("sd").min()).alias("ratio"))["ratio"].median()
            text += (f", those of single inputs from {number(_least(each))} to {number(_most(each))}; in the middling "
                     f"network the largest is {number(float(str(within)))} times the smallest")
        said.append(text)
    return (f"Standard deviations of weights in {counted(count, 'network')} drawn from each prior, a tick for the "
            f"group and a dot for each input that has its own. {'. '.join(said)}.")


def _least(values: pl.Series) -> float:
    return float(str(values.min()))


def _most(values: pl.Series) -> float:
    return float(str(values.max()))
