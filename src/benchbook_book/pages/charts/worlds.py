"""Shares found by simulation in several worlds, panel by panel: how often a test finds, or an interval holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, SHAPES

if TYPE_CHECKING:
    from altair.typing import ChartType


def coverage_chart(summary: pl.DataFrame, level: float) -> ChartType:
    """A panel for each world, a line for each procedure, a mark for each kind of interval; the nominal level a rule.

    Args:
        summary: ``world``, ``procedure``, ``interval``, ``coverage``, ``standard_error``, of one model and utility, as
            ``simulations.coverage.summarise`` gives them.
        level: what the intervals promise.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(
        summary, ("world", "procedure", "interval", "coverage", "standard_error"), "coverage"
    )
    return world_panels(
        summary,
        ("coverage", "procedure", "interval"),
        list(dict.fromkeys(summary["interval"])),
        "share of intervals that cover the truth",
        1,
        level,
        22,
        "coverage of intervals",
        f"Share of {level:.0%} intervals that cover the true expected utility",
        "{procedure} ({interval}) {coverage:.0%}",
    )


def world_panels(
    table: pl.DataFrame,
    names: tuple[str, str, str],
    kinds: Sequence[str],
    title: str,
    top: float,
    level: float,
    step: int,
    name: str,
    words: str,
    each: str,
) -> ChartType:
    """A panel for each world, a line for each procedure, and a mark for each kind, with bars of two standard errors.

    Args:
        table: world, standard_error, and the columns ``names``: of the share, of the procedure and of the kind.
        kinds: in the order of the legend.
        title, top: of the horizontal axis, and its end.
        level: the nominal share, a rule; 0 for none.
        step: the height of a line in pixels.
        name: of the files saved.
        words: the beginning of the alternative text.
        each: what it says of a line of the table, with the names of columns in braces.
    """
    share, procedure, kind = names
    worlds, procedures = (list(dict.fromkeys(table[key])) for key in ("world", procedure))
    table = table.select(
        "world",
        procedure,
        kind,
        share,
        low=pl.col(share) - 2 * pl.col("standard_error"),
        high=pl.col(share) + 2 * pl.col("standard_error"),
        first=pl.int_range(pl.len()).over("world") == 0,
    )
    y = alt.Y(
        f"{procedure}:N",
        title=None,
        sort=procedures,
        axis=alt.Axis(grid=False, domain=False, ticks=False, labelLimit=170),
    )
    looks = [alt.Scale(domain=kinds, range=list(look[: len(kinds)])) for look in (COLOURS, SHAPES)]
    shift = alt.YOffset(f"{kind}:N", sort=kinds)
    colour = alt.Color(
        f"{kind}:N",
        title=None,
        scale=looks[0],
        legend=alt.Legend(symbolType="circle", columns=2, labelLimit=300),
    )
    bars = (
        alt.Chart()
        .mark_rule(strokeWidth=2, opacity=0.5, clip=True)
        .encode(x=alt.X("low:Q"), x2="high:Q", y=y, yOffset=shift, color=colour)
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=2 * step, opacity=1)
        .encode(
            x=alt.X(
                f"{share}:Q",
                title=title,
                scale=alt.Scale(domain=[0, top], nice=False),
                axis=alt.Axis(format="%", tickCount=5),
            ),
            y=y,
            yOffset=shift,
            color=colour,
            shape=alt.Shape(f"{kind}:N", title=None, scale=looks[1]),
            tooltip=[
                *(alt.Tooltip(f"{key}:N") for key in ("world", procedure, kind)),
                alt.Tooltip(f"{share}:Q", format=".1%"),
            ],
        )
    )
    rule = (
        alt.Chart()
        .transform_filter("datum.first")
        .mark_rule(strokeDash=[4, 3])
        .encode(x=alt.datum(level))
    )
    layers = alt.layer(
        *([rule] if level else []), bars, dots, data=parts.data(parts.rows(table))
    ).properties(width=230, height=step * len(procedures))
    chart = parts.panels(layers, "world", worlds, 2, {"column": 24, "row": 18}, labelLimit=260)
    lines = parts.told(table, "world", worlds, lambda line: each.format(**line))
    layout = {"count": len(worlds), "least": 150, "most": 260, "gap": 24, "margin": 190}
    return parts.finish(chart, f"{words}. {lines}.", name, layout=layout)
