"""The entries of a leaderboard: a loss of the point guess against the loss that ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import polars as pl

from benchbook import words
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, SHAPES

if TYPE_CHECKING:
    from altair.typing import ChartType

KINDS = ("entry", "before", "exploit", "baseline", "not converged")
_FAR = 2.0


def losses_against(entries: pl.DataFrame, across: str, up: str) -> ChartType | None:
    """A mark for each entry: its two losses, smaller is better for both.

    Entries much worse than the baseline stand at the upper edge, so that they do not press the others together: more
    than twice as far above the best as the baseline is (ours).

    Args:
        entries: columns entry (text), kind (one of ``KINDS``), x and y; lines with a number that is not finite are
            left out, and the alternative text says so.
        across, up: the titles of the axes.

    Returns:
        The chart; None when fewer than two entries are left.

    Raises:
        FaultyInput: a table without the columns that are needed.
    """
    parts.need(entries, ("entry", "kind", "x", "y"), "entries")
    table = entries.filter(pl.col("x").is_finite() & pl.col("y").is_finite())
    if table.height < 2:
        return None
    top = _top(table)
    table = table.with_columns(_y=pl.min_horizontal("y", pl.lit(top)))
    present = [kind for kind in KINDS if kind in set(table["kind"])]
    places = [KINDS.index(kind) for kind in present]
    chart = (
        alt.Chart(parts.data(parts.rows(table)))
        .mark_point(filled=True, size=90, opacity=0.85)
        .encode(
            x=_across(table["x"].to_numpy(), across),
            y=alt.Y(
                "_y:Q",
                title=up,
                scale=alt.Scale(domain=_domain(table["_y"].to_numpy()), nice=False),
            ),
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=present, range=[COLOURS[i] for i in places]),
                legend=alt.Legend(symbolType="circle"),
            ),
            shape=alt.Shape(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=present, range=[SHAPES[i] for i in places]),
            ),
            tooltip=[
                alt.Tooltip("entry:N"),
                alt.Tooltip("x:Q", title=across, format=".4g"),
                alt.Tooltip("y:Q", title=up, format=".4g"),
            ],
        )
    )
    chart = chart.properties(width="container", height=260, autosize=parts.FIT)
    return parts.finish(chart, _words(entries, table, across, up, top), "")


def _top(table: pl.DataFrame) -> float:
    """The value above which entries stand at the edge."""
    y, base = table["y"].to_numpy(), table.filter(kind="baseline")["y"].to_numpy()
    if not base.size:
        return float(y.max())
    return float(min(y.max(), base.max() + _FAR * max(base.max() - y.min(), 0.0) + 1e-9))


def _domain(values: np.ndarray) -> list[float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or 0.5
    return [low - margin, high + margin]


def _across(values: np.ndarray, title: str) -> alt.X:
    """An axis on a logarithmic scale where the values are positive and span more than a factor of twenty."""
    if values.min() > 0 and values.max() > 20 * values.min():
        scale = alt.Scale(
            type="log", domain=[float(values.min()) / 1.2, float(values.max()) * 1.2], nice=False
        )
    else:
        scale = alt.Scale(domain=_domain(values), nice=False)
    return alt.X("x:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))


def _words(entries: pl.DataFrame, table: pl.DataFrame, across: str, up: str, top: float) -> str:
    best = table.sort("y").row(0, named=True)
    lines = [
        f"{words.counted(table.height, 'mark')}, {across} against {up}",
        f"the smallest {up} is that of {best['entry']}, {words.number(best['y'])} with {across} "
        f"{words.number(best['x'])}",
    ]
    least = table.sort("x").row(0, named=True)
    if least["entry"] != best["entry"]:
        lines.append(
            f"the smallest {across} is that of {least['entry']}, with {up} {words.number(least['y'])}"
        )
    if far := table.filter(pl.col("y") > top).height:
        lines.append(f"{words.counted(far, 'mark')} at the upper edge stand higher")
    if lost := entries.height - table.height:
        lines.append(
            f"{words.counted(lost, 'entry').replace('entrys', 'entries')} with infinite losses left out"
        )
    return f"{'; '.join(lines)}."
