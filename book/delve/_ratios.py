"""Ratios of the losses of two methods over the number of training cases, a panel for each family of data sets."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK

FAMILIES = {
    "kin": "robot arm, position (kin)",
    "pumadyn": "robot arm, motion (pumadyn)",
    "bank": "queues in a bank (bank)",
}
_INPUTS = ["8 inputs", "32 inputs"]


def ratios_by_family(lines: pl.DataFrame) -> Any:
    """``dataset``, ``training_cases``, ``ratio`` and ``p`` of ``assess.ratios``; marks are filled where p <= 0.05."""
    table = lines.select(
        "training_cases",
        "ratio",
        family=pl.col("dataset").str.extract("^([a-z]+)").replace_strict(FAMILIES),
        inputs=pl.when(pl.col("dataset").str.contains("32"))
        .then(pl.lit(_INPUTS[1]))
        .otherwise(pl.lit(_INPUTS[0])),
        sure=pl.col("p") <= 0.05,
    )
    scale = alt.Scale(domain=_INPUTS, range=COLOURS[:2])
    x = alt.X(
        "training_cases:Q",
        title="training cases",
        scale=alt.Scale(type="log", base=2, domain=[56, 1200]),
        axis=alt.Axis(values=[64, 256, 1024], grid=False),
    )
    y = alt.Y(
        "ratio:Q",
        title="loss, sampled / stopped early",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=[0.25, 0.5, 1, 2]),
    )
    colour = alt.Color("inputs:N", scale=scale, legend=alt.Legend(title=None))
    first = f"datum.inputs === '{_INPUTS[0]}'"
    stroke = alt.when(first).then(alt.value(COLOURS[0])).otherwise(alt.value(COLOURS[1]))
    fill = (
        alt.when("!datum.sure")
        .then(alt.value("#fff"))
        .when(first)
        .then(alt.value(COLOURS[0]))
        .otherwise(alt.value(COLOURS[1]))
    )
    base = alt.Chart()
    layers = alt.layer(
        base.mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(1.0)),
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
        base.mark_point(size=60, opacity=1, strokeWidth=1.6).encode(
            x=x, y=y, stroke=stroke, fill=fill
        ),
        data=parts.data(parts.rows(table)),
    ).properties(width=200, height=160)
    words = "; ".join(
        f"{family}, {inputs}: " + ", ".join(f"{ratio:.2f}" for ratio in part["ratio"])
        for (family, inputs), part in table.group_by("family", "inputs", maintain_order=True)
    )
    names = table["family"].unique(maintain_order=True).to_list()
    chart = parts.panels(layers, "family", names, 3, 14)
    layout = {"count": 3, "least": 160, "most": 240, "gap": 14, "margin": 60}
    return parts.finish(chart, words + ".", "ratios of expected losses", layout=layout)
