"""How far importance weights can be trusted: mass on the largest ones, and effective numbers of draws in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, DASHES

if TYPE_CHECKING:
    from altair.typing import ChartType

_CURVES = 24
_POINTS = 150


def mass_curves(
    effective: ArrayLike, curves: ArrayLike, ranks: ArrayLike, model: str
) -> pl.DataFrame:
    """Cumulative weights of some of the cases, evenly spaced in the order of their effective numbers.

    Returns:
        ``model``, ``line`` (0 is the case with the least effective number), ``rank``, ``mass``.
    """
    order = np.argsort(np.asarray(effective), kind="stable")
    masses, numbers = np.asarray(curves), np.asarray(ranks).tolist()
    chosen = order[np.unique(np.linspace(0, len(order) - 1, _CURVES).round().astype(int))]
    lines = [
        {"model": model, "line": line, "rank": rank, "mass": float(mass)}
        for line, case in enumerate(chosen)
        for rank, mass in zip(numbers, masses[case], strict=True)
    ]
    return pl.DataFrame(lines)


def mass_chart(table: pl.DataFrame) -> ChartType:
    """The upper plots of the report's figure 2: a panel for each model, a line for each of some cases.

    Args:
        table: ``model``, ``line``, ``rank``, ``mass``, as ``mass_curves`` makes them.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(table, ("model", "line", "rank", "mass"), "cumulative weights")
    models, most = list(dict.fromkeys(table["model"])), int(str(table["rank"].max()))
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=1, opacity=0.7)
        .encode(
            x=alt.X(
                "rank:Q",
                title="k largest weights",
                scale=alt.Scale(type="log", domain=[1, most], nice=False),
            ),
            y=alt.Y("mass:Q", title="their share of the mass", scale=alt.Scale(domain=[0, 1])),
            detail="line:N",
            color=alt.Color(
                "model:N",
                title=None,
                legend=None,
                scale=alt.Scale(domain=models, range=list(COLOURS[: len(models)])),
            ),
        )
        .properties(width=260, height=180)
    )
    chart = lines.facet(
        alt.Facet("model:N", title=None, sort=models, header=alt.Header(labelAnchor="start")),
        columns=2,
        data=parts.data(parts.rows(table)),
        spacing=24,
    )
    worst = table.filter(line=0, rank=1)
    text = "; ".join(
        f"{row['model']}: the largest weight of the worst case has {row['mass']:.0%}"
        for row in worst.iter_rows(named=True)
    )
    words = f"Share of the mass of the k largest importance weights, case by case. {text}."
    return parts.finish(
        chart,
        words,
        "mass of weights",
        layout={"count": len(models), "least": 200, "most": 320, "gap": 24, "margin": 60},
    )


def effective_chart(numbers: dict[str, ArrayLike], draws: int) -> ChartType:
    """Effective numbers of draws of all cases, in increasing order: the lower plots of figure 2, figures 9 and 12.

    Args:
        numbers: for each line its effective numbers, of as many cases as it has.
        draws: how many there are at most.

    Raises:
        FaultyInput: nothing to draw.
    """
    lines = []
    for name, values in numbers.items():
        ordered = np.sort(np.asarray(values, dtype=float))
        places = np.unique(np.linspace(0, len(ordered) - 1, _POINTS).round().astype(int))
        lines += [
            {
                "line": name,
                "share": (position + 1) / len(ordered),
                "effective": float(ordered[position]),
            }
            for position in places
        ]
    table = pl.DataFrame(
        lines, schema={"line": pl.String, "share": pl.Float64, "effective": pl.Float64}
    )
    parts.need(table, ("line", "share", "effective"), "effective draws")
    names = list(numbers)
    text = "; ".join(
        f"{name}: least {np.min(np.asarray(values)):.1f}, a tenth below "
        f"{np.quantile(np.asarray(values), 0.1):.1f}, half below {np.median(np.asarray(values)):.1f}"
        for name, values in numbers.items()
    )
    return parts.finish(
        alt.Chart(parts.data(parts.rows(table)))
        .mark_line()
        .encode(
            x=alt.X(
                "share:Q",
                title="share of the cases, in increasing order",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1], nice=False),
            ),
            y=alt.Y(
                "effective:Q",
                title=f"effective draws of {draws}",
                scale=alt.Scale(type="log", domain=[1, draws], nice=False),
            ),
            color=alt.Color(
                "line:N",
                title=None,
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
            ),
            strokeDash=alt.StrokeDash(
                "line:N",
                title=None,
                scale=alt.Scale(
                    domain=names,
                    range=[list(DASHES[index % len(DASHES)]) for index in range(len(names))],
                ),
            ),
        ),
        f"Effective numbers of draws of {draws}, by case. {text}.",
        "effective draws",
        height=240,
    )
