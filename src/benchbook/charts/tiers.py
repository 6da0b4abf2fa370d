"""Methods in tiers: mean losses over many tasks against the number of training cases, and against their time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import optimize

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES

if TYPE_CHECKING:
    from altair.typing import ChartType

_CURVE = ("method", "training_cases", "mean", "standard_error")
_COST = ("method", "seconds", "mean", "standard_error", "tier")
_LINE = 15 / 340
"""The height of a label as a share of the chart's."""
_MOST_NAMED = 15


def tier_curves(
    tiers: pl.DataFrame,
    title: str = "mean standardised loss",
    most: int = 5,
    shown: Sequence[str] = (),
) -> ChartType:
    """Mean loss over the tasks against the number of training cases, with two standard errors up and down.

    Args:
        tiers: method, training_cases, mean, standard_error; a line for each method and size.
        title: of the upright axis.
        most: methods in colour, the best ones at the most training cases; the others are grey.
        shown: methods that are among those in colour, wherever they come.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(tiers, _CURVE, "tiers")
    ticks = tiers["training_cases"].unique().sort().to_list()
    order = tiers.filter(training_cases=ticks[-1]).sort("mean")["method"].to_list()
    first = sorted(order, key=lambda name: name not in shown)[: min(most, len(COLOURS))]
    names = [name for name in order if name in first]
    error = 2.0 * pl.col("standard_error")
    table = tiers.select(*_CURVE, _low=pl.col("mean") - error, _high=pl.col("mean") + error)
    bright, grey = (
        table.filter(pl.col("method").is_in(names) == chosen) for chosen in (True, False)
    )
    x = alt.X(
        "training_cases:Q",
        title="training cases (log scale)",
        axis=alt.Axis(values=ticks, grid=False),
        scale=alt.Scale(type="log", domain=[0.9 * ticks[0], 1.15 * ticks[-1]], nice=False),
    )
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    tips = [
        alt.Tooltip("method:N"),
        alt.Tooltip("training_cases:Q", title="training cases"),
        alt.Tooltip("mean:Q", format=".3f"),
        alt.Tooltip("standard_error:Q", title="standard error", format=".3f"),
    ]
    legend = alt.Legend(title=None, columns=2, symbolType="stroke", labelLimit=200)
    colour, shape = (
        kind(
            "method:N",
            scale=alt.Scale(domain=names, range=list(range_[: len(names)])),
            legend=legend,
        )
        for kind, range_ in ((alt.Color, COLOURS), (alt.Shape, SHAPES))
    )
    layers: list[alt.Chart] = []
    if grey.height:
        others = alt.Chart(parts.data(parts.rows(grey))).encode(
            x=x, y=y, detail="method:N", tooltip=tips
        )
        layers += [
            others.mark_line(color=INK, opacity=0.35),
            others.mark_point(color=INK, opacity=0.5, filled=True),
        ]
    base = alt.Chart(parts.data(parts.rows(bright)))
    layers += [
        base.mark_line().encode(x=x, y=y, color=colour),
        base.mark_rule(strokeWidth=1.5).encode(
            x=x, y=alt.Y("_low:Q", title=title), y2="_high:Q", color=colour
        ),
        base.mark_point(size=60, filled=True, opacity=1).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=tips
        ),
    ]
    text = "; ".join(
        f"{name} "
        + ", ".join(
            f"{row['mean']:.3f} at {row['training_cases']}"
            for row in tiers.filter(method=name).sort("training_cases").iter_rows(named=True)
        )
        for name in order
    )
    return parts.finish(
        alt.layer(*layers),
        f"{title.capitalize()} against training cases. {text}.",
        "tiers",
        height=340,
    )


def unbeaten(tiers: pl.DataFrame) -> list[str]:
    """The methods than which no other is both faster and of less mean loss (the Pareto front), the fastest first.

    Args:
        tiers: method, seconds, mean; a line for each method.
    """
    ordered = tiers.sort("seconds", "mean")
    less = pl.col("mean") < pl.col("mean").cum_min().shift(fill_value=float("inf"))
    return ordered.filter(less)["method"].to_list()


def cost_of_loss(
    tiers: pl.DataFrame, title: str = "mean standardised loss", shown: Sequence[str] = ()
) -> ChartType:
    """Mean loss over the tasks against the seconds of a run, methods by their names; numbers are tiers.

    Of more than 15 methods only those of the Pareto front (``unbeaten``) have their names; the others are grey.

    Args:
        tiers: method, seconds, mean, standard_error, tier; a line for each method.
        title: of the upright axis.
        shown: methods that have their names in any case.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(tiers, _COST, "costs")
    error = 2.0 * pl.col("standard_error")
    least, most = (
        float(value)
        for value in tiers.select(low=pl.col("seconds").min(), high=pl.col("seconds").max()).row(0)
    )
    few = tiers.height <= _MOST_NAMED
    named = tiers["method"].to_list() if few else [*unbeaten(tiers), *shown]
    table = tiers.select(
        *_COST,
        _named=pl.col("method").is_in(named),
        _low=pl.col("mean") - error,
        _high=pl.col("mean") + error,
        _label=pl.format("{} ({})", "method", pl.col("tier").cast(pl.String).fill_null("–")),
        _left=pl.col("seconds") > least * (most / least) ** 0.35,
    ).sort("mean")
    gap = _LINE * float(table["_high"].to_numpy().max() - table["_low"].to_numpy().min())
    table = pl.concat(
        [
            part.with_columns(_at=_apart(part["mean"].to_numpy(), gap))
            for part in table.partition_by("_named")
        ]
    )
    x = alt.X(
        "seconds:Q",
        title="seconds of a run (log scale)",
        axis=alt.Axis(grid=False, tickCount=5),
        scale=alt.Scale(type="log", domain=[least / 1.5, most * 1.5], nice=False),
    )
    colour = COLOURS[0]
    base = alt.Chart(parts.data(parts.rows(table.filter("_named").drop("_named"))))
    names = base.encode(x=x, y=alt.Y("_at:Q", title=title), text="_label:N")
    point = {
        "x": x,
        "y": alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False)),
        "tooltip": [
            alt.Tooltip("method:N"),
            alt.Tooltip("tier:O"),
            alt.Tooltip("seconds:Q", format=".2g"),
            alt.Tooltip("mean:Q", format=".3f"),
            alt.Tooltip("standard_error:Q", title="standard error", format=".3f"),
        ],
    }
    others = table.filter(~pl.col("_named")).drop("_named")
    layers: list[alt.Chart] = []
    if others.height:
        grey = alt.Chart(parts.data(parts.rows(others)))
        layers.append(grey.mark_point(size=40, filled=True, opacity=0.4, color=INK).encode(**point))
    layers += [
        base.mark_rule(color=colour, strokeWidth=1.5).encode(
            x=x, y=alt.Y("_low:Q", title=title), y2="_high:Q"
        ),
        base.mark_point(size=60, filled=True, opacity=1, color=colour).encode(**point),
        names.transform_filter("!datum._left").mark_text(align="left", dx=7, color=INK),
        names.transform_filter("datum._left").mark_text(align="right", dx=-7, color=INK),
    ]
    text = "; ".join(
        f"{row['method']}: {_tier(row['tier'])}, {row['mean']:.3f} in {row['seconds']:.2g} s"
        for row in tiers.sort("mean").iter_rows(named=True)
    )
    return parts.finish(
        alt.layer(*layers),
        f"{title.capitalize()} against the seconds of a run. {text}.",
        "cost of loss",
        height=340,
    )


def _apart(means: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Where labels of ascending means stand, at least a gap apart and moved as little as can be (by least squares)."""
    steps = gap * np.arange(len(means))
    return optimize.isotonic_regression(means - steps).x + steps


def _tier(number: int | None) -> str:
    return "no tier" if number is None else f"tier {number}"
