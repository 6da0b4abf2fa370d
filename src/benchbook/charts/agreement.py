"""Losses on re-created data against losses on the data they imitate: a panel a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK, SHAPES
from benchbook.charts.words import counted, listed, number

_SIDE = 200


def agreement(points: pl.DataFrame, groups: Mapping[str, Sequence[str]], unit: str) -> Any:
    """A mark for each method and number of training cases; on the diagonal both datasets say the same.

    Args:
        points: dataset, training_cases, method, recreated, original (expected losses as multiples of ``unit``'s).
        groups: kinds of methods, six at most, each with a colour and a shape; methods in none are not drawn.
        unit: the method whose loss is one.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    columns = ("dataset", "training_cases", "method", "recreated", "original")
    parts.need(points, columns, "losses side by side")
    kind = {name: group for group, names in groups.items() for name in names}
    shown = points.filter(pl.col("method").is_in(list(kind))).with_columns(
        kind=pl.col("method").replace_strict(kind, return_dtype=pl.String),
        _first=pl.int_range(pl.len()).over("dataset") == 0)
    parts.need(shown, columns, "losses of the methods chosen")
    names, datasets = [name for name in groups if name in set(shown["kind"])], list(dict.fromkeys(shown["dataset"]))
    values = [*shown["recreated"].to_list(), *shown["original"].to_list()]
    ends = [0.9 * min(values), max(values) / 0.9]
    scale = alt.Scale(type="log", domain=ends, nice=False)
    axis = alt.Axis(tickCount=4, format="~g", grid=False)
    legend = alt.Legend(title=None, columns=3, labelLimit=220)
    hue = alt.Color("kind:N", legend=legend, scale=alt.Scale(domain=names, range=list(COLOURS[:len(names)])))
    form = alt.Shape("kind:N", legend=legend, scale=alt.Scale(domain=names, range=list(SHAPES[:len(names)])))
    dots = alt.Chart().mark_point(size=46, filled=True, opacity=0.85).encode(
        x=alt.X("original:Q", title="DELVE's own data", scale=scale, axis=axis),
        y=alt.Y("recreated:Q", title="re-created", scale=scale, axis=axis), color=hue, shape=form,
        tooltip=[alt.Tooltip("method:N"), alt.Tooltip("dataset:N"),
                 alt.Tooltip("training_cases:O", title="training cases"),
                 alt.Tooltip("original:Q", format=".3f"), alt.Tooltip("recreated:Q", format=".3f")])
    line = alt.Chart().transform_filter("datum._first").transform_calculate(
        _a=str(ends[0]), _b=str(ends[1])).mark_rule(color=INK, opacity=0.45).encode(
        x="_a:Q", y="_a:Q", x2="_b:Q", y2="_b:Q")
    chart = alt.layer(line, dots).properties(width=_SIDE, height=_SIDE).facet(
        facet=alt.Facet("dataset:N", sort=datasets, header=alt.Header(title=None)), columns=len(datasets),
        spacing={"column": 14, "row": 18}, data=parts.data(parts.rows(shown)))
    title = alt.TitleParams(f"expected loss, that of {unit} being 1", anchor="start")
    layout = {"count": len(datasets), "least": 150, "most": 260, "gap": 14, "margin": 60}
    return parts.finish(chart.properties(title=title), _words(shown, unit), "re-created and original", layout=layout)


def _words(shown: pl.DataFrame, unit: str) -> str:
    said = []
    for (dataset,), part in shown.group_by("dataset", maintain_order=True):
        apart = part.select((pl.col("recreated") / pl.col("original")).log().abs().exp())["recreated"]
        middle, most = (number(float(str(value))) for value in (apart.median(), apart.max()))
        said.append(f"{dataset}: {counted(part.height, 'mark')}, the median a factor of {middle} off the diagonal, the "
                    f"furthest {most}")
    named = listed(list(dict.fromkeys(shown["dataset"])))
    return (f"Expected losses, that of {unit} being 1, on re-created data against those on DELVE's own, for every "
            f"method and number of training cases of {named}. {'. '.join(said)}.")
