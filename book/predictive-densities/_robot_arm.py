"""Where the training inputs lie, and what they cover of the range that the future may bring."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK


def hulls(inputs: NDArray[np.float64]) -> pl.DataFrame:
    """Corners of the convex hulls of the inputs [n, 2], one for either sign of the first angle: ``x1, x2, hull``."""
    lines = []
    for sign in (-1.0, 1.0):
        side = inputs[np.sign(inputs[:, 0]) == sign]
        corners = side[ConvexHull(side).vertices]
        lines += [
            {"x1": x1, "x2": x2, "hull": f"{sign:+.0f}"}
            for x1, x2 in np.vstack([corners, corners[:1]])
        ]
    return pl.DataFrame(lines)


def range_chart(
    points: pl.DataFrame, hulls: pl.DataFrame, boxes: Sequence[tuple[float, float, float, float]]
) -> Any:
    """Inputs as points, the full range as dashed boxes, and the hulls of what was realised: the report's figure 4.

    Args:
        points: ``x1``, ``x2``.
        hulls: ``x1``, ``x2``, ``hull``, the corners in order, the first one again at the end.
        boxes: (left, right, bottom, top) of each part of the full range.
    """
    edges = pl.DataFrame([{"left": a, "right": b, "bottom": c, "top": d} for a, b, c, d in boxes])
    reach = [
        min(float(str(edges["left"].min())), float(str(points["x1"].min()))) - 0.1,
        max(float(str(edges["right"].max())), float(str(points["x1"].max()))) + 0.1,
    ]
    x = alt.X(
        "x1:Q",
        title="first angle (radians)",
        axis=alt.Axis(tickCount=8),
        scale=alt.Scale(domain=reach, nice=False),
    )
    y = alt.Y(
        "x2:Q", title="second angle (radians)", scale=alt.Scale(domain=[0.3, 3.4], nice=False)
    )
    frames = (
        alt.Chart(parts.data(parts.rows(edges)))
        .mark_rect(fillOpacity=0, stroke=INK, strokeDash=[4, 3], strokeWidth=1)
        .encode(
            x=alt.X("left:Q", scale=alt.Scale(domain=reach, nice=False)),
            x2="right:Q",
            y=alt.Y("bottom:Q", scale=alt.Scale(domain=[0.3, 3.4], nice=False)),
            y2="top:Q",
        )
    )
    numbered = hulls.with_columns(corner=pl.int_range(pl.len()))
    outline = (
        alt.Chart(parts.data(parts.rows(numbered)))
        .mark_line(color=COLOURS[1], strokeWidth=1.5)
        .encode(x=x, y=y, detail="hull:N", order="corner:Q")
    )
    dots = (
        alt.Chart(parts.data(parts.rows(points.select("x1", "x2"))))
        .mark_point(filled=True, size=22, color=COLOURS[0], opacity=0.9)
        .encode(x=x, y=y)
    )
    return parts.finish(
        alt.layer(frames, outline, dots),
        f"{points.height} inputs in {len(boxes)} boxes, the full range, and the convex hull of "
        "the inputs in each, which leaves out corners and edges.",
        "input range",
        height=280,
    )
