"""The expected loss of a stated probability, while one drags the true one."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import live_legend, parts
from benchbook.charts.theme import INK
from benchbook.charts.words import listed
from benchbook.errors import Fault, FaultyInput

_EXPECTED = "chance * datum.plus + (1 - chance) * datum.minus"
_TOP = 2.6


def stated_probabilities(costs: pl.DataFrame, chance: float, unit: str) -> Any:
    """Expected loss against the stated probability, a line for each loss, marked where least; a slider sets the truth.

    Args:
        costs: loss (at most 6), stated, plus and minus: what stating it costs if the event happens, and if not.
        chance: the true probability at which the slider stands first, a multiple of 0.05.
        unit: what the losses are measured in, for the axis.

    Raises:
        FaultyInput: a table without lines or columns that are needed, or a chance outside of [0, 1].
    """
    parts.need(costs, ("loss", "stated", "plus", "minus"), "costs")
    if not 0 <= chance <= 1:
        raise FaultyInput("chart data", [Fault("chance", repr(chance), "between 0 and 1")])
    names = list(dict.fromkeys(costs["loss"]))
    base = alt.Chart(parts.data(parts.rows(costs))).transform_calculate(expected=_EXPECTED)
    x = alt.X("stated:Q", title="stated probability p", scale=alt.Scale(domain=[0, 1], nice=False),
              axis=alt.Axis(grid=False, tickCount=6))
    y = alt.Y("expected:Q", title=f"expected loss ({unit})", scale=alt.Scale(domain=[0, _TOP], nice=False),
              axis=alt.Axis(tickCount=5))
    looks, shape = live_legend.looks(names, "loss"), live_legend.shape(names, "loss")
    least = base.transform_joinaggregate(least="min(expected)", groupby=["loss"]).transform_filter(
        "datum.expected <= datum.least + 1e-9")
    ends = least.transform_aggregate(low="min(stated)", high="max(stated)", expected="min(expected)", groupby=["loss"])
    rule = alt.Chart(parts.data([{}])).transform_calculate(stated="chance").mark_rule(
        color=INK, opacity=0.5).encode(x=x)
    drawn = alt.layer(
        rule, base.mark_line(clip=True, strokeWidth=2.2).encode(x=x, y=y, **looks),
        ends.mark_rule(strokeWidth=5, opacity=0.75).encode(
            x=alt.X("low:Q"), x2="high", y=alt.Y("expected:Q"), color=looks["color"]),
        *(ends.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X(f"{end}:Q"), y=alt.Y("expected:Q"), color=looks["color"], shape=shape,
            tooltip=[alt.Tooltip("loss:N"), alt.Tooltip(f"{end}:Q", title="stated", format=".2f"),
                     alt.Tooltip("expected:Q", format=".3f")]) for end in ("low", "high")))
    text = ("datum.loss + ': least ' + (datum.high - datum.low < 0.02 ? 'at p = ' + format(datum.low, '.2f') : "
            "'from p = ' + format(datum.low, '.2f') + ' to ' + format(datum.high, '.2f'))")
    chart = alt.layer(drawn, *live_legend.legend(ends, names, "loss", text)).resolve_scale(y="independent").add_params(
        alt.param(name="chance", value=chance, bind=alt.binding_range(
            min=0, max=1, step=0.05, name="true chance π "))).properties(
        width="container", height=300, autosize=parts.FIT)
    return parts.finish(chart, _words(costs, names, chance), "expected loss of stated probabilities")


def _words(costs: pl.DataFrame, names: list[str], chance: float) -> str:
    said = []
    for name in names:
        table = costs.filter(loss=name).with_columns(
            expected=chance * pl.col("plus") + (1 - chance) * pl.col("minus"))
        best = table.filter(pl.col("expected") <= pl.col("expected").min() + 1e-9)["stated"]
        low, high = float(str(best.min())), float(str(best.max()))
        said.append(f"{name} at {low:.2f}" if high - low < 0.02 else f"{name} anywhere from {low:.2f} to {high:.2f}")
    return (f"Expected loss against the stated probability of an event, for {len(names)} losses; a slider sets its "
            f"true chance. At {chance:.2f} the loss is least: {listed(said)}.")
