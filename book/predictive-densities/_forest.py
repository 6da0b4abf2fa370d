"""How much images differ: the share of one class in each."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK


def image_chart(table: pl.DataFrame) -> Any:
    """A dot for each image, in increasing order of its share of trees; the mean a rule.

    Args:
        table: ``image``, ``trees``.
    """
    ordered = table.sort("trees").with_columns(place=pl.int_range(1, pl.len() + 1))
    dots = (
        alt.Chart(parts.data(parts.rows(ordered.select("image", "trees", "place"))))
        .mark_point(filled=True, size=45, color=COLOURS[0], opacity=1)
        .encode(
            x=alt.X(
                "place:Q",
                title="image, in order",
                scale=alt.Scale(domain=[0, table.height + 1], nice=False),
            ),
            y=alt.Y(
                "trees:Q",
                title="share of trees",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            tooltip=[alt.Tooltip("image:Q"), alt.Tooltip("trees:Q", format=".0%")],
        )
    )
    middle = float(str(table["trees"].mean()))
    rule = (
        alt.Chart(alt.Data(values=[{}]))
        .mark_rule(strokeDash=[4, 3], color=INK, opacity=0.7)
        .encode(y=alt.datum(middle))
    )
    return parts.finish(
        alt.layer(rule, dots),
        f"Share of trees in each of {table.height} images, from {ordered['trees'][0]:.0%} to "
        f"{ordered['trees'][-1]:.0%}; all together {middle:.0%}.",
        "shares of images",
        height=200,
    )
