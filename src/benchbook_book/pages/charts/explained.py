"""Recorded targets against what a function without noise says, as a cloud of cells."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS
from benchbook.words import counted, number

_SIDE = 150
_REACH = 3.0
_CELLS = 24


def explained(clouds: pl.DataFrame) -> alt.FacetChart:
    """How recorded targets scatter about a clean function: one panel a dataset, darker where more cases lie.

    Both axes are in standard deviations of the clean function of the panel, from its mean, so that all share a scale.

    Args:
        clouds: panel (its name), clean and recorded, a line a case; panels stand in the order found.

    Raises:
        FaultyInput: a table without lines or without what is needed.
    """
    parts.need(clouds, ("panel", "clean", "recorded"), "clouds")
    panels = list(dict.fromkeys(clouds["panel"]))
    cells = pl.concat([_cells(name, clouds.filter(panel=name)) for name in panels])
    width = 2 * _REACH / _CELLS
    scale = alt.Scale(domain=[-_REACH, _REACH], nice=False)
    boxes = (
        alt.Chart()
        .mark_rect(color=COLOURS[0])
        .encode(
            x=alt.X(
                "clean:Q",
                title="our clean function",
                scale=scale,
                axis=alt.Axis(grid=False, tickCount=5),
            ),
            x2="_right:Q",
            y=alt.Y(
                "recorded:Q",
                title="recorded target",
                scale=scale,
                axis=alt.Axis(grid=False, tickCount=5),
            ),
            y2="_top:Q",
            opacity=alt.Opacity("_strength:Q", scale=None),
            tooltip=[alt.Tooltip("cases:Q")],
        )
    )
    line = (
        alt.Chart()
        .mark_rule(opacity=0.7, strokeDash=[4, 3])
        .encode(
            x=alt.datum(-_REACH, scale=scale),
            y=alt.datum(-_REACH),
            x2=alt.value("width"),
            y2=alt.value(0),
        )
    )
    chart = parts.panels(
        alt.layer(
            boxes,
            line,
            data=parts.data(
                parts.rows(
                    cells.with_columns(
                        _right=pl.col("clean") + width, _top=pl.col("recorded") + width
                    )
                )
            ),
        ).properties(width=_SIDE, height=_SIDE),
        "panel",
        panels,
        4,
        12,
        **parts.BY_COMMAS,
    )
    layout = {"count": len(panels), "least": 128, "most": 190, "gap": 12, "margin": 50}
    return parts.finish(chart, _words(clouds, panels), "recorded against clean", layout=layout)


def _cells(name: str, cloud: pl.DataFrame) -> pl.DataFrame:
    """Counts in a grid of cells, by their left and lower edges; a few cases lie beyond it."""
    clean, recorded = cloud["clean"].to_numpy(), cloud["recorded"].to_numpy()
    middle, spread = clean.mean(), clean.std()
    edges = np.linspace(-_REACH, _REACH, _CELLS + 1)
    counts = np.histogram2d(
        (clean - middle) / spread, (recorded - middle) / spread, bins=(edges, edges)
    )[0]
    right, up = np.nonzero(counts)
    matching = counts[right, up]
    return pl.DataFrame(
        {
            "panel": [name] * matching.size,
            "clean": edges[right].round(6),
            "recorded": edges[up].round(6),
            "cases": matching.astype(int),
            "_strength": (0.12 + 0.88 * np.sqrt(matching / matching.max())).round(3),
        }
    )


def _words(clouds: pl.DataFrame, panels: list[str]) -> str:
    shown = counted(len(panels), "panel")
    lines = [
        f"Recorded targets against a function without noise, {shown}; on the dashed line both agree."
    ]
    for name in panels:
        here = clouds.filter(panel=name)
        r = np.corrcoef(here["clean"].to_numpy(), here["recorded"].to_numpy())[0, 1]
        lines.append(f"{name}: {here.height} cases, correlation {number(float(r))}.")
    return " ".join(lines)
