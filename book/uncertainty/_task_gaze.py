"""What the inputs of the re-created gaze say of each test case, and the charts of it."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.datasets.families import gaze
from benchbook.words import counted, listed, number
from benchbook_book.course.challenge.recreated import recreated

FATES = ("nothing lost", "eye cameras slipped", "markers lost")
"""What may have happened in a case of gaze-sim."""


def pixel_laws(laws: pl.DataFrame, names: Mapping[int, str]) -> Any:
    """The probability of every pixel in some cases, a panel each, with the target as a rule.

    Args:
        laws: case, pixel, chance (of that pixel) and target.
        names: what to write over the panel of each case, in their order.
    """
    table = laws.with_columns(
        panel=pl.col("case").replace_strict(dict(names), return_dtype=pl.String)
    )
    panels = list(names.values())
    area = (
        alt.Chart()
        .mark_area(color=COLOURS[0], opacity=0.45, line={"color": COLOURS[0]})
        .encode(
            x=alt.X(
                "pixel:Q",
                title="pixel",
                scale=alt.Scale(domain=[0, 1024], nice=False),
                axis=alt.Axis(grid=False, tickCount=4),
            ),
            y=alt.Y(
                "chance:Q",
                title="probability of a pixel",
                axis=alt.Axis(format=".1%", tickCount=4),
                scale=alt.Scale(domainMin=0, nice=True),
            ),
            tooltip=[alt.Tooltip("pixel:Q"), alt.Tooltip("chance:Q", format=".3%")],
        )
    )
    rule = (
        alt.Chart()
        .transform_aggregate(target="min(target)", groupby=["panel"])
        .mark_rule(color=COLOURS[1], strokeWidth=2, strokeDash=[6, 3])
        .encode(x="target:Q")
    )
    layers = alt.layer(area, rule, data=parts.data(parts.rows(table.drop("case")))).properties(
        width=200, height=190
    )
    chart = parts.panels(layers, "panel", panels, 3, 16)
    layout = {"count": len(panels), "least": 190, "most": 300, "gap": 16, "margin": 70}
    said = []
    for case, name in names.items():
        here = laws.filter(case=case)
        total = float(here["chance"].sum())
        mean = float((here["pixel"] * here["chance"]).sum()) / total
        sd = (float((here["pixel"] ** 2 * here["chance"]).sum()) / total - mean**2) ** 0.5
        said.append(
            f"{name}: {number(mean)} plus or minus {number(sd)}, target {number(float(here['target'][0]))}"
        )
    return parts.finish(
        chart, f"Probability of each pixel. {listed(said)}.", "laws of three cases", layout=layout
    )


def expected_and_target(cases: pl.DataFrame, order: tuple[str, ...]) -> Any:
    """The expected pixel against the target, by what has probably happened in the case.

    Args:
        cases: case, target, expected, sd and likely.
        order: the words in ``likely``, at most six.
    """
    scales = [
        alt.Scale(domain=list(order), range=list(looks[: len(order)]))
        for looks in (COLOURS, SHAPES)
    ]
    legend = alt.Legend(title=None, symbolType="circle", symbolSize=80, labelLimit=200)
    limits = alt.Scale(domain=[0, 1024], nice=False)
    x = alt.X(
        "target:Q", title="target (pixel)", scale=limits, axis=alt.Axis(grid=False, tickCount=5)
    )
    y = alt.Y(
        "expected:Q", title="expected pixel", scale=limits, axis=alt.Axis(grid=False, tickCount=5)
    )
    line = (
        alt.Chart(parts.data([{"target": 0, "expected": 0}, {"target": 1024, "expected": 1024}]))
        .mark_line(color=INK, opacity=0.4, strokeWidth=1.2)
        .encode(x=x, y=y)
    )
    base = alt.Chart(parts.data(parts.rows(cases)))
    size = alt.condition(f"datum.likely === '{order[0]}'", alt.value(26), alt.value(95))
    bars = (
        base.transform_filter(f"datum.likely !== '{order[0]}'")
        .transform_calculate(low="datum.expected - datum.sd", high="datum.expected + datum.sd")
        .mark_rule(opacity=0.6)
        .encode(
            x=x,
            y=alt.Y("low:Q", scale=limits, title="expected pixel"),
            y2="high:Q",
            color=alt.Color("likely:N", scale=scales[0], legend=legend),
        )
    )
    dots = base.mark_point(filled=True, opacity=0.85).encode(
        x=x,
        y=y,
        size=size,
        color=alt.Color("likely:N", scale=scales[0], legend=legend),
        shape=alt.Shape("likely:N", scale=scales[1], legend=legend),
        tooltip=[
            alt.Tooltip("case:Q"),
            alt.Tooltip("target:Q"),
            alt.Tooltip("expected:Q", format=".0f"),
            alt.Tooltip("sd:Q", title="standard deviation", format=".0f"),
            alt.Tooltip("likely:N"),
        ],
    )
    said = []
    for word in order:
        here = cases.filter(likely=word)
        away = (here["expected"] - here["target"]).abs().mean()
        said.append(
            f"{word}: {counted(here.height, 'case')}, on average {number(float(str(away)))} pixels off"
        )
    return parts.finish(
        alt.layer(line, bars, dots),
        f"Expected pixel against target. {listed(said)}.",
        "expected pixel and target",
        height=360,
    )


def read_off() -> pl.DataFrame:
    """The test cases of gaze-sim: case, target, expected and sd (by the law, pixels), likely (which fate is the most
    probable given the inputs) and farthest, the largest of the distances of the inputs from their median in units of
    the median distance."""
    one = recreated("gaze")
    mass = gaze.mass(one.dataset, one.inputs)
    pixels = np.arange(gaze.LEAST, gaze.MOST + 1)
    expected = mass @ pixels
    likely = gaze.fates(one.inputs).argmax(axis=1)
    away = np.abs(one.inputs - np.median(one.seen[0], axis=0))
    unit = np.median(np.abs(one.seen[0] - np.median(one.seen[0], axis=0)), axis=0)
    return pl.DataFrame(
        {
            "case": np.arange(1, len(expected) + 1),
            "target": one.targets,
            "expected": expected,
            "sd": np.sqrt(mass @ pixels**2 - expected**2),
            "likely": np.array(FATES)[likely],
            "farthest": (away / unit).max(axis=1),
        }
    )


def examples() -> dict[int, str]:
    """Three test cases of gaze-sim by number and what they are: one of median spread, the one in which the eye cameras
    have most probably slipped, and the first with lost markers."""
    cases = read_off()
    slipped = int(gaze.fates(recreated("gaze").inputs)[:, 1].argmax()) + 1
    fine = cases.filter(likely=FATES[0]).sort("sd")
    lost = cases.filter(likely=FATES[2])["case"][0]
    return {
        int(fine["case"][fine.height // 2]): "an ordinary case",
        slipped: "pupils that point elsewhere",
        int(lost): "markers far from all others",
    }


def laws(cases: list[int], step: int = 4) -> pl.DataFrame:
    """The law of some test cases of gaze-sim (numbers from 1): case, pixel and chance (per pixel), every ``step``th."""
    one = recreated("gaze")
    at = np.array(cases) - 1
    pixels = np.arange(gaze.LEAST, gaze.MOST + 1)[::step]
    mass = gaze.mass(one.dataset, one.inputs[at])[:, ::step]
    return pl.DataFrame(
        {
            "case": np.repeat(cases, len(pixels)),
            "pixel": np.tile(pixels, len(cases)),
            "chance": mass.ravel(),
            "target": np.repeat(one.targets[at], len(pixels)),
        }
    )
