"""What early stopping gains on the validation cases, and on the test cases."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.words import counted, listed

_NAMED = 0.05


def gains_chart(table: pl.DataFrame) -> Any:
    """A dot for each dataset: the gain over least squares on the validation cases across, on the test cases upwards.

    A gain is the error of least squares over that of the network that was stopped, less 1. Below the diagonal
    the gain on the test cases is smaller; dots further than 5 % from no gain on either axis are named, those of the
    first kind to their left.

    Args:
        table: dataset, kind (a colour and a shape each), validation_gain, test_gain (fractions, above -1).
    """
    kinds = sorted(set(table["kind"]))
    drawn = table.with_columns(
        _named=pl.max_horizontal(pl.col("validation_gain").abs(), pl.col("test_gain").abs())
        > _NAMED
    )
    ends = [
        min(float(str(table[name].min())) for name in ("validation_gain", "test_gain")) - 0.04,
        max(float(str(table[name].max())) for name in ("validation_gain", "test_gain")) + 0.06,
    ]
    axis = alt.Axis(format="+.0%", tickCount=6, labelExpr="datum.value == 0 ? '0' : datum.label")
    x = alt.X(
        "validation_gain:Q",
        title="gain on the validation cases",
        scale=alt.Scale(domain=ends, nice=False),
        axis=axis,
    )
    y = alt.Y(
        "test_gain:Q",
        title="gain on the test cases",
        scale=alt.Scale(domain=ends, nice=False),
        axis=axis,
    )
    base = alt.Chart(parts.data(parts.rows(drawn)))
    dots = base.mark_point(filled=True, size=60, opacity=0.85).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("dataset:N"),
            alt.Tooltip("validation_gain:Q", title="on the validation cases", format="+.1%"),
            alt.Tooltip("test_gain:Q", title="on the test cases", format="+.1%"),
        ],
        **parts.looks("kind", kinds, title=None),
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
    return parts.finish(
        alt.layer(diagonal, *none, dots, *sides),
        _words(table),
        "gains on validation and test cases",
        height=420,
    )


def _words(table: pl.DataFrame) -> str:
    gained = table.filter(pl.col("validation_gain") > _NAMED).sort(
        "validation_gain", descending=True
    )
    lost = table.filter(pl.col("validation_gain") < -_NAMED)
    said = [
        f"{line['dataset']} {line['validation_gain']:+.0%} and {line['test_gain']:+.0%} on the test cases"
        for line in gained.head(6).iter_rows(named=True)
    ]
    below = table.filter(pl.col("test_gain") < pl.col("validation_gain")).height
    return (
        f"Gain of stopped linear networks over least squares on {counted(table.height, 'dataset')}: on the "
        f"validation cases across, on the test cases upwards; {below} are below the diagonal. "
        f"{counted(gained.height, 'dataset')} gained more than 5% on the validation cases: {listed(said)}. "
        f"{counted(lost.height, 'dataset')} stopped more than 5% short of least squares on the validation cases: "
        f"{listed(list(lost['dataset']))}."
    )
