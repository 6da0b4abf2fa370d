"""The distribution of an expected utility, model beside model, in the unit of the application."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, DASHES
from benchbook.charts.words import number
from benchbook.errors import Fault, FaultyInput

_BINS = 60


def utility_distributions(replicates: Mapping[str, Any], title: str, coverage: float = 0.9) -> Any:
    """Histograms of the replicates of several models, each with its estimate and its interval below.

    Args:
        replicates: for each model [B] replicates of its expected utility.
        title: of the horizontal axis, with the unit.
        coverage: of the intervals.

    Raises:
        FaultyInput: no models, or more than can be told apart.
    """
    names = list(replicates)
    if not 1 <= len(names) <= len(DASHES) * len(COLOURS):
        raise FaultyInput("chart data", [Fault("models", str(len(names)), "one or a few")])
    values = {name: np.asarray(found, dtype=np.float64) for name, found in replicates.items()}
    low, high = min(v.min() for v in values.values()), max(v.max() for v in values.values())
    edges = np.linspace(low, high, _BINS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    rows, ends, said = [], [], []
    for place, (name, found) in enumerate(values.items()):
        counts = np.histogram(found, edges)[0] / found.size
        rows += [{"model": name, "value": float(edge), "share": float(count)}
                 for edge, count in zip(edges, [*counts, 0.0], strict=True)]
        bounds = np.quantile(found, [0.5 - coverage / 2, 0.5 + coverage / 2])
        ends.append({"model": name, "low": float(bounds[0]), "high": float(bounds[1]), "middle": float(found.mean()),
                     "share": -0.02 * (place + 1)})
        said.append(f"{name}: mean {number(found.mean())}, {coverage:.0%} between {number(bounds[0])} and "
                    f"{number(bounds[1])}")
    ends_of_x = [float(edges[0]), float(edges[-1])]
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False, nice=False, domain=ends_of_x))
    y = alt.Y("share:Q", title="share of replicates", axis=alt.Axis(format="%", tickCount=4))
    colour = alt.Color("model:N", title=None, scale=alt.Scale(domain=names, range=list(COLOURS[:len(names)])))
    steps = alt.Chart(parts.data(parts.rows(pl.DataFrame(rows)))).mark_area(
        interpolate="step-after", opacity=0.35, line=True).encode(x=x, y=y.stack(None), color=colour)
    bars = alt.Chart(parts.data(ends)).mark_rule(strokeWidth=4).encode(
        x=alt.X("low:Q"), x2="high:Q", y=y, color=colour, tooltip=[
            alt.Tooltip("model:N"), alt.Tooltip("low:Q", format=".3~g"), alt.Tooltip("high:Q", format=".3~g")])
    chart = alt.layer(steps, bars).properties(width="container", height=260, autosize=parts.FIT)
    return parts.finish(chart, f"Distribution of {title}. {'; '.join(said)}.", "expected utility")
