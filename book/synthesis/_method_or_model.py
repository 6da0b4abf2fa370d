"""Intervals of one number, dataset by dataset, with the two truths they may be meant for."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, number

_COLUMNS = (
    "panel",
    "set",
    "estimate",
    "low",
    "high",
    "model",
    "method",
    "method_low",
    "method_high",
)
_KINDS = ("interval for the model or the method", "this model's own truth", "the method's")


def intervals_and_truths(table: pl.DataFrame, unit: str, sets: str = "dataset") -> Any:
    """A panel for each procedure; in it an interval for each dataset, the truth of its model, and the method's.

    Args:
        table: ``panel``, ``set`` (a number), ``estimate``, ``low``, ``high``, ``model`` (a truth for each set),
            ``method`` (one for all), ``method_low`` and ``method_high`` (how well that one is known).
        unit: of the loss. sets: what the sets are called.
    """
    panels, last = parts.names(table, "panel"), int(table["set"].max())  # type: ignore[arg-type]
    least, most = table.select(
        low=pl.min_horizontal("low", "model", "method_low").min(),
        high=pl.max_horizontal("high", "model", "method_high").max(),
    ).row(0)
    x = alt.X(
        "set:Q",
        title=sets,
        scale=alt.Scale(domain=[0.3, last + 0.7], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1),
    )
    tips = [
        alt.Tooltip("set:Q", title=sets),
        *(
            alt.Tooltip(f"{name}:Q", format=".3g")
            for name in ("estimate", "low", "high", "model", "method")
        ),
    ]

    def looks(kind: int) -> Any:
        return alt.Color(
            f"kind {kind}:N",
            title=None,
            scale=alt.Scale(domain=list(_KINDS), range=[COLOURS[0], COLOURS[1], COLOURS[2]]),
            legend=alt.Legend(columns=1, labelLimit=260),
        )

    kinds = [pl.lit(name).alias(f"kind {place}") for place, name in enumerate(_KINDS)]
    base = alt.Chart()
    layers = alt.layer(
        base.mark_rect(opacity=0.12).encode(
            y=alt.Y("method_low:Q"), y2="method_high:Q", color=looks(2)
        ),
        base.mark_rule(strokeWidth=1.5, strokeDash=[5, 3]).encode(
            y=alt.Y("method:Q"), color=looks(2)
        ),
        base.mark_rule(strokeWidth=3).encode(
            x=x,
            y=alt.Y(
                "low:Q", title=unit, scale=alt.Scale(domain=[least, most], nice=True, zero=False)
            ),
            y2="high:Q",
            color=looks(0),
            tooltip=tips,
        ),
        base.mark_point(shape="stroke", size=60, strokeWidth=2, color=INK, filled=False).encode(
            x=x, y="estimate:Q"
        ),
        base.mark_point(shape="diamond", size=55, filled=True, opacity=1).encode(
            x=x, y=alt.Y("model:Q"), color=looks(1), tooltip=tips
        ),
        data=parts.data(parts.rows(table.select(*_COLUMNS, *kinds))),
    ).properties(width=420, height=130)
    chart = parts.panels(layers, "panel", panels, 1, 14)
    layout = {"count": 1, "least": 150, "most": 460, "gap": 0, "margin": 70}
    return parts.finish(chart, _words(table, panels, unit, sets), "two truths", layout=layout)


def _words(table: pl.DataFrame, panels: list[str], unit: str, sets: str) -> str:
    said = []
    for panel in panels:
        part = table.filter(panel=panel)
        model, method = (
            int(part[name].is_between(part["low"], part["high"]).sum())
            for name in ("model", "method")
        )
        said.append(
            f"{panel}: {model} cover the truth of their own model, {method} that of the method"
        )
    truths = f"from {number(table['model'].min())} to {number(table['model'].max())}"  # type: ignore[arg-type]
    return (
        f"Intervals for the expected loss ({unit}), of {counted(table['set'].n_unique(), sets)}. The models' own "
        f"truths range {truths}; the method's is {number(table['method'][0])}. {'; '.join(said)}."
    )
