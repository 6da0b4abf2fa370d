"""The chart of what entries found by one loss and by another, for the chapter that re-stages the challenge."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import counted, listed

KINDS = ("entry", "before", "exploit", "not converged")
_REACH = (-0.6, 1.12)


def loss_panels(shares: pl.DataFrame) -> Any:
    """A panel for each task, a mark for each entry: what it found by its guesses, and what by the loss that ranks.

    Both axes are shares of what can be known, 0 at the baseline and 1 at the law, so that better entries stand further
    up and to the right; marks beyond the panel stand at its edge.

    Args:
        shares: task, entry, kind (one of ``KINDS``), point_share and share.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(shares, ("task", "entry", "kind", "point_share", "share"), "shares")
    names = list(dict.fromkeys(shares["task"]))
    present = [kind for kind in KINDS if kind in set(shares["kind"])]
    places = [KINDS.index(kind) for kind in present]
    table = shares.select(
        "task",
        "entry",
        "kind",
        "point_share",
        "share",
        x=pl.col("point_share").clip(*_REACH),
        y=pl.col("share").clip(*_REACH),
        first=pl.int_range(pl.len()).over("task") == 0,
    )
    scale = alt.Scale(domain=[_REACH[0] - 0.05, _REACH[1] + 0.05], nice=False)
    axis = alt.Axis(format="%", values=[-0.5, 0, 0.5, 1])
    base = alt.Chart()
    level = [
        base.transform_filter("datum.first")
        .mark_rule(color=INK, strokeDash=[4, 3], opacity=0.5)
        .encode(y=alt.datum(value))
        for value in (0, 1)
    ]
    dots = base.mark_point(filled=True, size=70, opacity=0.8).encode(
        x=alt.X("x:Q", title="found by its guesses", scale=scale, axis=axis),
        y=alt.Y("y:Q", title="found by its distributions", scale=scale, axis=axis),
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=present, range=[COLOURS[i] for i in places]),
        ),
        shape=alt.Shape(
            "kind:N", title=None, scale=alt.Scale(domain=present, range=[SHAPES[i] for i in places])
        ),
        tooltip=[
            alt.Tooltip("entry:N"),
            alt.Tooltip("point_share:Q", title="by guesses", format=".1%"),
            alt.Tooltip("share:Q", title="by distributions", format=".1%"),
        ],
    )
    layers = alt.layer(*level, dots, data=parts.data(parts.rows(table))).properties(
        width=200, height=190
    )
    chart = parts.panels(layers, "task", names, 3, {"row": 22, "column": 18})
    return parts.finish(
        chart,
        _panel_words(shares, names),
        "loss against loss",
        layout={"count": len(names), "least": 160, "most": 300, "gap": 18, "margin": 70},
    )


def _panel_words(shares: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        one = shares.filter(task=name).sort("share", descending=True)
        first, sharpest = (
            one.row(0, named=True),
            one.sort("point_share", descending=True).row(0, named=True),
        )
        low, high = (float(str(one["point_share"].min())), float(str(one["point_share"].max())))
        words = (
            f"{name}, {counted(one.height, 'mark')}: by guesses from {low:.0%} to {high:.0%}, most by "
            f"{sharpest['entry']}; by distributions {first['entry']} leads with {first['share']:.0%}"
        )
        edge = one.filter(
            ~pl.col("share").is_between(*_REACH) | ~pl.col("point_share").is_between(*_REACH)
        )
        said.append(
            f"{words}; at the edge {listed(edge['entry'].to_list())}" if edge.height else words
        )
    return f"Shares of what can be known, found by guesses and by distributions. {'. '.join(said)}."
