"""What the challenge's methods answer where the noise grows, and what joining a committee's members does."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK
from benchbook.charts.words import number

_LAYOUT = {"least": 150, "most": 300, "gap": 18, "margin": 60}


def band_panels(bands: pl.DataFrame, cases: pl.DataFrame) -> Any:
    """A panel for each method: the cases, the median, the bands of 50 and 90 %, and the law's own 90 % interval dashed.

    Args:
        bands: method, x, middle, low_50, high_50, low_90, high_90, true_low, true_high.
        cases: x and y.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(bands, ("method", "x", "middle", "low_50", "high_50", "low_90", "high_90", "true_low", "true_high"),
               "bands")
    parts.need(cases, ("x", "y"), "cases")
    names = list(dict.fromkeys(bands["method"]))
    reach = [float(str(cases["y"].min())) - 0.6, float(str(cases["y"].max())) + 0.6]
    every = pl.concat([cases.select("x", "y").with_columns(method=pl.lit(name)) for name in names])
    both = pl.concat([bands.with_columns(_row=pl.lit("band")), every.with_columns(_row=pl.lit("case"))],
                     how="diagonal")
    x = alt.X("x:Q", title="input", scale=alt.Scale(domain=[0, 1], nice=False),
              axis=alt.Axis(grid=False, values=[0, 0.5, 1]))
    scale = alt.Scale(domain=reach, nice=False)
    band = alt.Chart().transform_filter("datum._row === 'band'")
    areas = [band.mark_area(color=COLOURS[0], opacity=shade, clip=True).encode(
        x=x, y=alt.Y(f"low_{part}:Q", title="target", scale=scale, axis=alt.Axis(grid=False, tickCount=4)),
        y2=f"high_{part}") for part, shade in ((90, 0.3), (50, 0.4))]
    edges = [band.mark_line(color=COLOURS[1], strokeDash=[5, 3], strokeWidth=1.4, clip=True).encode(
        x=x, y=alt.Y(f"{name}:Q", scale=scale)) for name in ("true_low", "true_high")]
    middle = band.mark_line(color=INK, strokeWidth=1.6, clip=True).encode(x=x, y=alt.Y("middle:Q", scale=scale))
    dots = alt.Chart().transform_filter("datum._row === 'case'").mark_point(
        filled=True, size=9, color=INK, opacity=0.45, clip=True).encode(x=x, y=alt.Y("y:Q", scale=scale))
    layers = alt.layer(*areas, dots, *edges, middle, data=parts.data(parts.rows(both))).properties(
        width=200, height=150)
    chart = parts.panels(layers, "method", names, 3, {"row": 18, "column": 16})
    return parts.finish(chart, _band_words(bands, names), "bands of six methods",
                        layout={"count": len(names)} | _LAYOUT)


def _band_words(bands: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        one = bands.filter(method=name).sort("x")
        ratio = (one["high_90"] - one["low_90"]) / (one["true_high"] - one["true_low"])
        said.append(f"{name} {number(ratio[0])} at the left and {number(ratio[-1])} at the right")
    return ("Predictive bands of methods on cases whose noise grows with the input. Widths of the 90 % bands, as "
            f"multiples of the law's own: {', '.join(said)}.")


def growing_committee(losses: pl.DataFrame) -> Any:
    """A panel for each task: what the first k members together gain over the mean member, and a dot for each alone.

    Args:
        losses: task, size, first, value.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(losses, ("task", "size", "first", "value"), "losses")
    names = list(dict.fromkeys(losses["task"]))
    mean = losses.filter(size=1).group_by("task").agg(mean=pl.col("value").mean())
    table = losses.join(mean, on="task", maintain_order="left").with_columns(
        gain=pl.col("mean") - pl.col("value")).select(
        "task", "size", "first", "value", "gain", once=pl.int_range(pl.len()).over("task") == 0)
    low, high = float(str(table["gain"].min())), float(str(table["gain"].max()))
    margin = 0.08 * (high - low) or 0.5
    y = alt.Y("gain:Q", title="gain over the mean member, nats", axis=alt.Axis(tickCount=5),
              scale=alt.Scale(domain=[low - margin, high + margin], nice=False))
    x = alt.X("size:Q", title="members together", axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
              scale=alt.Scale(domain=[0.5, float(str(table["size"].max())) + 0.5], nice=False))
    tips = [alt.Tooltip("size:Q"), alt.Tooltip("value:Q", title="NLPD", format=".4g"),
            alt.Tooltip("gain:Q", format=".3f")]
    zero = alt.Chart().transform_filter("datum.once").mark_rule(color=INK, opacity=0.4).encode(y=alt.datum(0.0))
    line = alt.Chart().transform_filter("datum.first === 0").mark_line(
        color=COLOURS[0], point=alt.OverlayMarkDef(size=30, color=COLOURS[0])).encode(x=x, y=y, tooltip=tips)
    alone = alt.Chart().transform_filter("datum.size === 1").mark_point(
        filled=True, size=42, color=COLOURS[1], opacity=0.7, shape="square").encode(x=x, y=y, tooltip=tips)
    layers = alt.layer(zero, line, alone, data=parts.data(parts.rows(table))).properties(width=240, height=200)
    chart = parts.panels(layers, "task", names, 2, 20)
    return parts.finish(chart, _committee_words(losses, names), "a growing committee",
                        layout={"count": len(names), "least": 200, "most": 330, "gap": 20, "margin": 70})


def _committee_words(losses: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        one = losses.filter(task=name)
        alone = one.filter(size=1)["value"]
        last = one.filter(pl.col("size") == pl.col("size").max())["value"][0]
        said.append(f"{name}: members alone from {number(float(str(alone.min())))} to "
                    f"{number(float(str(alone.max())))}, all together {number(last)}")
    return f"Mean NLPD of a committee against the number of its members. {'; '.join(said)}."
