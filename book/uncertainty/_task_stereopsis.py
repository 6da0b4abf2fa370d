"""The test cases of the re-created stereopsis by plane, and the charts of rig, planes and what is inside them."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.datasets.families import stereopsis
from benchbook.predictive.checks import FloatArray
from benchbook.words import counted, number
from benchbook_book.course.challenge.recreated import recreated


def rig_from_above(
    points: pl.DataFrame, depths: Sequence[float], baseline: float, reach: float
) -> Any:
    """Two cameras, the planes, and the rays by which both see a pointer; point at a pointer for its rays.

    Args:
        points: case, depth (where the pointer was), across and seen (where the rays meet, across and in depth), mm.
        depths: of the planes, mm. baseline: distance of the cameras, mm. reach: how far a plane extends each way, mm.
    """
    first = int(points["case"][0])
    near = alt.selection_point(
        name="seen",
        fields=["case"],
        on="pointerover",
        nearest=True,
        clear=False,
        value=[{"case": first}],
    )
    cameras = [
        {"depth": 0.0, "across": side * baseline / 2, "says": name}
        for side, name in ((-1, "left camera"), (1, "right camera"))
    ]
    x = alt.X(
        "depth:Q",
        title="depth (mm)",
        scale=alt.Scale(domain=[-40, max(depths) + 60], nice=False),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    edge = max(baseline / 2, reach) * 1.25
    y = alt.Y(
        "across:Q",
        title="across (mm)",
        scale=alt.Scale(domain=[-edge, edge], nice=False),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    lines = (
        alt.Chart(parts.data([{"depth": at, "across": -reach, "top": reach} for at in depths]))
        .mark_rule(color=INK, opacity=0.35)
        .encode(x=x, y=y, y2="top:Q")
    )
    rays = [
        {
            "case": line["case"],
            "depth": 0.0,
            "across": camera["across"],
            "to": line["seen"],
            "top": line["across"],
        }
        for line in points.iter_rows(named=True)
        for camera in cameras
    ]
    drawn = (
        alt.Chart(parts.data(parts.rows(pl.DataFrame(rays))))
        .transform_filter(near)
        .mark_rule(color=COLOURS[1], strokeWidth=1.8)
        .encode(x=x, y=y, x2="to:Q", y2="top:Q")
    )
    dots = (
        alt.Chart(parts.data(parts.rows(points)))
        .mark_point(filled=True, size=46, opacity=0.9)
        .encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("case:Q"),
                alt.Tooltip("depth:Q", title="depth, mm", format=".2f"),
                alt.Tooltip("seen:Q", title="where the rays meet, mm", format=".2f"),
            ],
            color=alt.condition(near, alt.value(COLOURS[1]), alt.value(COLOURS[0])),
        )
    )
    eyes = alt.Chart(parts.data(cameras))
    stands = eyes.mark_point(filled=True, size=150, shape=SHAPES[1], color=INK).encode(x=x, y=y)
    says = eyes.mark_text(align="left", dx=12, dy=-8).encode(x=x, y=y, text="says:N")
    said = (
        f"From above: two cameras {number(baseline)} mm apart look at {len(depths)} planes between "
        f"{number(min(depths))} and {number(max(depths))} mm; {counted(points.height, 'pointer')} on them, each "
        f"where two rays meet."
    )
    return parts.finish(
        alt.layer(lines, drawn, dots.add_params(near), stands, says),
        said,
        "rig from above",
        height=250,
    )


def depth_planes(points: pl.DataFrame, depths: Sequence[float]) -> Any:
    """Depth against the number of the case, as the chapter's figure 8.

    Args:
        points: case, depth (mm), seen (where the rays meet, mm).
        depths: of the planes, mm, as rules.
    """
    y = alt.Y(
        "depth:Q",
        title="depth (mm)",
        axis=alt.Axis(grid=False, tickCount=6),
        scale=alt.Scale(domain=[min(depths) - 6, max(depths) + 6], nice=False),
    )
    rules = (
        alt.Chart(parts.data([{"depth": at} for at in depths]))
        .mark_rule(color=INK, opacity=0.2)
        .encode(y=y)
    )
    dots = (
        alt.Chart(parts.data(parts.rows(points)))
        .mark_point(filled=True, opacity=0.8, size=26, color=COLOURS[0])
        .encode(
            x=alt.X(
                "case:Q",
                title="number of the test case",
                axis=alt.Axis(grid=False, tickCount=6),
                scale=alt.Scale(domain=[0, points.height + 1], nice=False),
            ),
            y=y,
            tooltip=[
                alt.Tooltip("case:Q"),
                alt.Tooltip("depth:Q", title="depth, mm", format=".2f"),
                alt.Tooltip("seen:Q", title="where the rays meet, mm", format=".2f"),
            ],
        )
    )
    away = float(str((points["seen"] - points["depth"]).abs().max()))
    said = (
        f"Depths of {counted(points.height, 'test case')}, all within a millimetre of one of {len(depths)} planes "
        f"between {number(min(depths))} and {number(max(depths))} mm; no two rays meet more than {number(away)} mm "
        "from the pointer."
    )
    return parts.finish(alt.layer(rules, dots), said, "ten planes", height=300)


def inside_planes(points: pl.DataFrame) -> Any:
    """How far each depth is from its plane, against where across it the pointer was; a slider chooses the plane.

    Args:
        points: plane (from 1), rest (mm), across (mm).
    """
    last = int(str(points["plane"].max()))
    top = 1.1 * float(str(points["rest"].abs().max()))
    x = alt.X(
        "across:Q",
        title="across the plane (mm)",
        scale=alt.Scale(domain=[-110, 110], nice=False),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    y = alt.Y(
        "rest:Q",
        title="depth less that of the plane (mm)",
        scale=alt.Scale(domain=[-top, top], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    base = alt.Chart(parts.data(parts.rows(points)))
    others = base.mark_point(filled=True, size=12, opacity=0.25, color=COLOURS[5]).encode(x=x, y=y)
    here = (
        base.transform_filter("datum.plane === plane")
        .mark_point(filled=True, size=55, color=COLOURS[0])
        .encode(
            x=x,
            y=y,
            tooltip=[alt.Tooltip("across:Q", format=".0f"), alt.Tooltip("rest:Q", format=".3f")],
        )
    )
    zero = alt.Chart().mark_rule(color=INK, opacity=0.4).encode(y=alt.datum(0))
    spread = points.group_by("plane").agg(pl.col("rest").std())["rest"]
    low, high = parts.ends(spread)
    said = (
        f"Depth less that of the plane, against the place across it, plane by plane: within a plane the standard "
        f"deviation is {number(low)} to {number(high)} mm, most of it a lean and a sag."
    )
    return parts.finish(
        alt.layer(zero, others, here).add_params(
            alt.param(
                name="plane",
                value=2,
                bind=alt.binding_range(min=1, max=last, step=1, name="plane "),
            )
        ),
        said,
        "inside a plane",
        height=280,
    )


def planes() -> pl.DataFrame:
    """The test cases of stereopsis-sim: case and plane (from 1), depth, rest (depth less that of its plane), across,
    down and seen (where the two rays meet), all in mm."""
    one = recreated("stereopsis")
    plane = nearest_plane(one.targets)
    points = stereopsis.triangulate(one.inputs)
    return pl.DataFrame(
        {
            "case": np.arange(1, len(plane) + 1),
            "depth": one.targets,
            "plane": plane + 1,
            "rest": one.targets - plane_depths()[plane],
            "across": points[:, 0],
            "down": points[:, 1],
            "seen": points[:, 2],
        }
    )


def plane_depths() -> FloatArray:
    """The depths [10] at which the planes were meant to be, mm."""
    return stereopsis.MIDDLE + stereopsis.SPACING * (np.arange(10, dtype=np.float64) - 4.5)


def nearest_plane(depth: FloatArray) -> NDArray[np.int64]:
    """The plane, from 0, that is nearest to each depth [n]."""
    return np.abs(depth[:, None] - plane_depths()).argmin(axis=1).astype(np.int64)
