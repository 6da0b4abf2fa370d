"""Mean losses over the number of training cases, a panel for each family of data sets."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, SHAPES


def by_family(table: pl.DataFrame) -> Any:
    """``family``, ``method``, ``training_cases``, ``mean``, ``standard_error``; bars are two of these up and down."""
    names = table["method"].unique(maintain_order=True).to_list()
    error = 2.0 * pl.col("standard_error")
    shown = table.with_columns(low=pl.col("mean") - error, high=pl.col("mean") + error)
    sizes = table["training_cases"].unique().sort().to_list()
    x = alt.X(
        "training_cases:Q",
        title="training cases",
        scale=alt.Scale(type="log", base=2, domain=[0.85 * sizes[0], 1.2 * sizes[-1]]),
        axis=alt.Axis(values=sizes, grid=False, labelOverlap="greedy"),
    )
    title = "standardised squared error"
    colour = alt.Color(
        "method:N", title=None, scale=alt.Scale(domain=names, range=COLOURS[: len(names)])
    )
    shape = alt.Shape(
        "method:N", title=None, scale=alt.Scale(domain=names, range=SHAPES[: len(names)])
    )
    base = alt.Chart()
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    layers = alt.layer(
        base.mark_rule(strokeWidth=1.5).encode(
            x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=colour
        ),
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=x, y=y, color=colour, shape=shape
        ),
        data=parts.data(parts.rows(shown)),
    ).properties(width=200, height=200)
    words = "; ".join(
        f"{family}, {method}: " + ", ".join(f"{mean:.2f}" for mean in part["mean"])
        for (family, method), part in table.group_by("family", "method", maintain_order=True)
    )
    families = table["family"].unique(maintain_order=True).to_list()
    layout = {"count": 3, "least": 160, "most": 240, "gap": 14, "margin": 60}
    return parts.finish(
        parts.panels(layers, "family", families, 3, 14),
        words + ".",
        "means by family",
        layout=layout,
    )
