"""What stopping early promises on the validation cases, and what of it is kept on the test cases."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import counted, listed

_NAMED = 0.05


def promised_and_kept(table: pl.DataFrame) -> Any:
    """A dot for each dataset: the gain over least squares on the validation cases across, on the test cases upwards.

    A gain is the error of least squares over that of the network that was stopped, less 1. Dots below the diagonal
    kept less than was promised; dots further than 5 % from no gain on either axis are named, those of the first
    kind to their left.

    Args:
        table: dataset, kind (a colour and a shape each), promised, kept (fractions, above -1).

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(table, ("dataset", "kind", "promised", "kept"), "gains over least squares")
    kinds = sorted(set(table["kind"]))
    drawn = table.with_columns(
        _named=pl.max_horizontal(pl.col("promised").abs(), pl.col("kept").abs()) > _NAMED
    )
    ends = [
        min(float(str(table[name].min())) for name in ("promised", "kept")) - 0.04,
        max(float(str(table[name].max())) for name in ("promised", "kept")) + 0.06,
    ]
    axis = alt.Axis(format="+.0%", tickCount=6, labelExpr="datum.value == 0 ? '0' : datum.label")
    x = alt.X(
        "promised:Q",
        title="gain on the validation cases",
        scale=alt.Scale(domain=ends, nice=False),
        axis=axis,
    )
    y = alt.Y(
        "kept:Q",
        title="gain on the test cases",
        scale=alt.Scale(domain=ends, nice=False),
        axis=axis,
    )
    looks = [alt.Scale(domain=kinds, range=list(look[: len(kinds)])) for look in (COLOURS, SHAPES)]
    tips = [
        alt.Tooltip("dataset:N"),
        alt.Tooltip("promised:Q", title="on the validation cases", format="+.1%"),
        alt.Tooltip("kept:Q", title="on the test cases", format="+.1%"),
    ]
    base = alt.Chart(parts.data(parts.rows(drawn)))
    dots = base.mark_point(filled=True, size=60, opacity=0.85).encode(
        x=x,
        y=y,
        color=alt.Color("kind:N", title=None, scale=looks[0]),
        shape=alt.Shape("kind:N", title=None, scale=looks[1]),
        tooltip=tips,
    )
    named = base.transform_filter("datum._named").encode(x=x, y=y, text="dataset:N")
    first, others = (
        named.transform_filter(f"datum.kind {sign} '{kinds[0]}'") for sign in ("==", "!=")
    )
    sides = [
        first.mark_text(align="right", dx=-7, fontSize=10),
        others.mark_text(align="left", dx=7, fontSize=10),
    ]
    corners = alt.Chart(parts.data([{"_end": end} for end in ends]))
    diagonal = corners.mark_line(color=INK, opacity=0.5, strokeDash=[4, 3], strokeWidth=1).encode(
        x=alt.X("_end:Q"), y=alt.Y("_end:Q")
    )
    none = [
        alt.Chart(parts.data([{}]))
        .mark_rule(color=INK, opacity=0.6)
        .encode(**{side: alt.datum(0.0)})
        for side in ("x", "y")
    ]
    chart = alt.layer(diagonal, *none, dots, *sides).properties(
        width="container", height=420, autosize=parts.FIT
    )
    return parts.finish(chart, _words(table), "promised and kept")


def _words(table: pl.DataFrame) -> str:
    gained = table.filter(pl.col("promised") > _NAMED).sort("promised", descending=True)
    lost = table.filter(pl.col("promised") < -_NAMED)
    said = [
        f"{line['dataset']} promised {line['promised']:+.0%} and kept {line['kept']:+.0%}"
        for line in gained.head(6).iter_rows(named=True)
    ]
    below = table.filter(pl.col("kept") < pl.col("promised")).height
    return (
        f"Gain of stopped linear networks over least squares on {counted(table.height, 'dataset')}: on the "
        f"validation cases across, on the test cases upwards; {below} are below the diagonal. "
        f"{counted(gained.height, 'dataset')} promised more than 5%: {listed(said)}. "
        f"{counted(lost.height, 'dataset')} stopped more than 5% short of least squares on the validation cases: "
        f"{listed(list(lost['dataset']))}."
    )
