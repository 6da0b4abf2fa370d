"""Printed means beside ours: the two with their standard errors, and how many standard errors each column is apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, listed, number

if TYPE_CHECKING:
    from altair.typing import ChartType

_FURTHEST = 6.0


def ours_against_theirs(
    lines: pl.DataFrame, what: str = "mean test error", most: float = 0.3
) -> ChartType:
    """A line for each dataset, a dot for each printed mean: how far ours is above it, with bars of 2 standard errors.

    Dots more than 2 standard errors off have a ring. What is further than ``most`` stands at the edge. Where there
    is more than one choice, buttons choose between them.

    Args:
        lines: kind (of networks, a colour and a shape each), choice (what the buttons choose; one value for no
            buttons), dataset, printed (above 0), ours, standard_error, apart.
        what: the quantity.
        most: the edges, as a share of the printed mean.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    columns = ("kind", "choice", "dataset", "printed", "ours", "standard_error", "apart")
    parts.need(lines, columns, "printed means beside ours")
    kinds, choices = (list(dict.fromkeys(lines[name])) for name in ("kind", "choice"))
    above, error = (
        pl.col("ours") / pl.col("printed") - 1.0,
        2.0 * pl.col("standard_error") / pl.col("printed"),
    )
    table = lines.with_columns(
        above=above,
        far=pl.col("apart").abs() > 2.0,
        _at=above.clip(-most, most),
        low=(above - error).clip(-most, most),
        high=(above + error).clip(-most, most),
        _first=pl.int_range(pl.len()) == 0,
    )
    datasets = sorted(set(lines["dataset"]))
    x = alt.X(
        "_at:Q",
        title="ours above the printed mean",
        scale=alt.Scale(domain=[-most, most], nice=False),
        axis=alt.Axis(format="+%", tickCount=5, grid=False, orient="top"),
    )
    y = alt.Y(
        "dataset:N", title=None, sort=datasets, axis=alt.Axis(grid=False, domain=False, ticks=False)
    )
    shift = alt.YOffset("kind:N", sort=kinds)
    looks = parts.looks("kind", kinds, title=None, legend=alt.Legend(labelLimit=200, columns=2))
    base, buttons = alt.Chart(), []
    if len(choices) > 1:
        base = base.transform_filter("datum.choice == which")
        buttons = [parts.buttons("which", choices, "constants")]
    bars = base.mark_rule(opacity=0.5, strokeWidth=2).encode(
        x=alt.X("low:Q"), x2="high:Q", y=y, yOffset=shift, color=looks["color"]
    )
    dots = base.mark_point(filled=True, size=36, opacity=1).encode(
        x=x,
        y=y,
        yOffset=shift,
        tooltip=[
            alt.Tooltip("dataset:N"),
            alt.Tooltip("kind:N"),
            alt.Tooltip("printed:Q"),
            alt.Tooltip("ours:Q", format=".3f"),
            alt.Tooltip("apart:Q", title="standard errors apart", format="+.1f"),
        ],
        **looks,
    )
    rings = (
        base.transform_filter("datum.far")
        .mark_point(filled=False, size=150, color=INK, strokeWidth=1.5)
        .encode(x=x, y=y, yOffset=shift)
    )
    line = (
        alt.Chart()
        .transform_filter("datum._first")
        .mark_rule(color=INK, opacity=0.6)
        .encode(x=alt.datum(0.0))
    )
    return parts.finish(
        alt.layer(line, bars, dots, rings, data=parts.data(parts.rows(table))).add_params(*buttons),
        _against_words(table, what),
        f"ours against printed {what}",
        height=19 * len(datasets),
    )


def _against_words(table: pl.DataFrame, what: str) -> str:
    lines = []
    for (choice, kind), part in table.group_by("choice", "kind", maintain_order=True):
        far = part.filter("far").sort(pl.col("apart").abs(), descending=True)
        worst = [
            f"{line['dataset']} by {number(line['apart'])}"
            for line in far.head(8).iter_rows(named=True)
        ]
        more = f": {listed(worst)}" + (" and others" if far.height > 8 else "") if worst else ""
        lines.append(
            f"{kind!s}, constants {choice!s}: {counted(part.height, 'dot')}, "
            f"{far.height} more than 2 standard errors off{more}"
        )
    return f"Our {what} less the printed one, with 2 standard errors of the difference. {'. '.join(lines)}."


def columns_apart(lines: pl.DataFrame) -> ChartType:
    """A dot for every printed mean on a line for its column: how many standard errors ours is above it.

    The shaded bands are 2 and 3 standard errors; dots further than 6 stand at the edge. Where there are
    several tables, buttons choose one.

    Args:
        lines: column (in the order of the lines), kind (of networks, the buttons), dataset, printed, ours, apart.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(lines, ("column", "kind", "dataset", "printed", "ours", "apart"), "columns apart")
    names, kinds = (list(dict.fromkeys(lines[name])) for name in ("column", "kind"))
    table = lines.with_columns(
        _at=pl.col("apart").clip(-_FURTHEST, _FURTHEST),
        _beyond=pl.col("apart").abs() > _FURTHEST,
        _first=pl.int_range(pl.len()) == 0,
        _jitter=(pl.int_range(pl.len()).over("column", "kind") * 0.618) % 1.0 - 0.5,
    )
    bind = alt.binding_radio(options=kinds, name="networks ") if len(kinds) > 1 else alt.Undefined
    once = alt.Chart().transform_filter("datum._first")
    bands = [
        once.mark_rect(color=COLOURS[0], opacity=0.1).encode(
            x=alt.datum(-wide), x2=alt.datum(wide), y=alt.value(0), y2=alt.value("height")
        )
        for wide in (3.0, 2.0)
    ]
    dots = (
        alt.Chart()
        .transform_filter("datum.kind == networks")
        .mark_point(filled=True, size=34, opacity=0.95, color=COLOURS[3])
        .encode(
            x=alt.X(
                "_at:Q",
                title="ours above printed, in standard errors",
                scale=alt.Scale(domain=[-_FURTHEST - 0.3, _FURTHEST + 0.3], nice=False),
                axis=alt.Axis(values=[-6, -3, -2, 0, 2, 3, 6], grid=False),
            ),
            y=alt.Y(
                "column:N",
                title=None,
                sort=names,
                axis=alt.Axis(grid=False, domain=False, ticks=False),
            ),
            yOffset=alt.YOffset("_jitter:Q", scale=alt.Scale(domain=[-0.7, 0.7])),
            shape=alt.Shape(
                "_beyond:N",
                legend=None,
                scale=alt.Scale(domain=[False, True], range=["circle", "diamond"]),
            ),
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("column:N"),
                alt.Tooltip("printed:Q"),
                alt.Tooltip("ours:Q", format=".3f"),
                alt.Tooltip("apart:Q", title="standard errors apart", format="+.1f"),
            ],
        )
    )
    return parts.finish(
        alt.layer(*bands, dots, data=parts.data(parts.rows(table))).add_params(
            alt.param(name="networks", value=kinds[0], bind=bind)
        ),
        _apart_words(table, names, kinds),
        "columns apart",
        height=38 * len(names),
    )


def _apart_words(table: pl.DataFrame, names: list[str], kinds: list[str]) -> str:
    lines = []
    for kind in kinds:
        here = table.filter(kind=kind)
        each = [
            f"{name} {float(str((part['apart'].abs() <= 2.0).mean())):.0%} of {part.height}"
            for name in names
            if (part := here.filter(column=name)).height
        ]
        lines.append(f"{kind}: {listed(each)}")
    return f"Standard errors between our means and the printed ones; within 2 are, for {'; for '.join(lines)}."
