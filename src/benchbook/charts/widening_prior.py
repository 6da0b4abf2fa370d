"""Several Bayes factors for the same models and data, while a prior widens."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import live_legend, parts
from benchbook.charts.theme import INK
from benchbook.charts.words import number
from benchbook.errors import Fault, FaultyInput

_NOW = "abs(datum.exponent - exponent) < 1e-6"


def widening_prior(factors: pl.DataFrame, first: str, second: str, exponent: float) -> Any:
    """Log factors against the width of the prior, a line for each; a slider reads them off as odds.

    Args:
        factors: ``factor`` (at most 6), ``exponent`` (decimal logarithm of the width, equally spaced), ``width``,
            ``log_factor`` (nats; above 0 for ``first``).
        first, second: names of the models.
        exponent: where the slider stands at first.

    Raises:
        FaultyInput: a table without lines or columns that are needed, or an exponent that is not in it.
    """
    parts.need(factors, ("factor", "exponent", "width", "log_factor"), "factors")
    places = factors["exponent"].unique().sort().to_list()
    if exponent not in places:
        rule = f"one of {places[0]:g} to {places[-1]:g}"
        raise FaultyInput("chart data", [Fault("exponent", f"{exponent:g}", rule)])
    names = list(dict.fromkeys(factors["factor"]))
    base = alt.Chart(parts.data(parts.rows(factors)))
    now = base.transform_filter(_NOW)
    least, most = float(str(factors["log_factor"].min())), float(str(factors["log_factor"].max()))
    x = alt.X("width:Q", title="width of the prior (log scale)", axis=alt.Axis(
        format="~g", grid=False, values=[10.0**k for k in range(-9, 10) if places[0] <= k <= places[-1]]),
              scale=alt.Scale(type="log", domain=[10.0**places[0], 10.0**places[-1]], nice=False))
    y = alt.Y("log_factor:Q", title="log factor (nats)", axis=alt.Axis(tickCount=6, grid=False),
              scale=alt.Scale(domain=[least - 0.5, most + 0.5], nice=False, zero=False))
    even = alt.Chart().mark_rule(color=INK, opacity=0.5).encode(y=alt.datum(0))
    lines = base.mark_line(strokeWidth=2.4).encode(x=x, y=y, **live_legend.looks(names, "factor"))
    here = now.mark_rule(color=INK, opacity=0.3).encode(x=x)
    dots = now.mark_point(filled=True, size=70, opacity=1).encode(
        x=x, y=y, shape=live_legend.shape(names, "factor"), color=live_legend.looks(names, "factor")["color"],
        tooltip=[alt.Tooltip("factor:N"), alt.Tooltip("width:Q", format=".3~g"),
                 alt.Tooltip("log_factor:Q", format=".2f")])
    text = ("datum.factor + ': ' + format(exp(abs(datum.log_factor)), '.3~r') + ' to 1 for the ' + "
            f"(datum.log_factor >= 0 ? '{first}' : '{second}')")
    step = round(places[1] - places[0], 9) if len(places) > 1 else 1.0
    chart = alt.layer(alt.layer(even, lines, here, dots), *live_legend.legend(now, names, "factor", text)
                      ).resolve_scale(y="independent").add_params(alt.param(
                          name="exponent", value=exponent, bind=alt.binding_range(
                              min=places[0], max=places[-1], step=step, name="width, a power of ten: "))
                      ).properties(width="container", height=260, autosize=parts.FIT)
    return parts.finish(chart, _words(factors, names, first, second), "factors and prior")


def _words(factors: pl.DataFrame, names: list[str], first: str, second: str) -> str:
    said = []
    for name in names:
        each = factors.filter(factor=name).sort("exponent")["log_factor"]
        said.append(f"{name} from {number(each[0])} to {number(each[-1])}")
    widths = factors["width"].sort()
    return (f"Log factors in nats, above 0 for the {first} and below for the {second}, while the prior widens from "
            f"{widths[0]:g} to {widths[-1]:g}: {'; '.join(said)}.")
