"""The power of an assessment against its number of task instances, while one drags the number of test cases."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.errors import Fault, FaultyInput
from benchbook.words import listed

_NOW = "datum.cases === pow(2, exponent) && datum.comparison === comparison"


def planning(surface: pl.DataFrame, cases: int = 512, target: float = 0.8) -> Any:
    """Power against instances, a line for each size of the true difference; a slider sets the test cases.

    A dashed rule stands where a dataset of limited size has no cases left for more instances.

    Args:
        surface: comparison, share, instances, cases (powers of two), power, most (instances that the cases allow).
        cases: where the slider stands at first.
        target: a power to draw a line at.

    Raises:
        FaultyInput: cases that are no power of two, or more
            differences than can be distinguished.
    """
    sizes, shares = sorted(set(surface["cases"])), sorted(set(surface["share"]))
    _check(sizes, shares, cases)
    names = parts.names(surface, "comparison")
    labels = [f"{100 * share:g} %" for share in shares]
    shown = surface.with_columns(
        difference=pl.col("share").replace_strict(
            dict(zip(shares, labels, strict=True)), return_dtype=pl.String
        )
    )
    last = int(str(surface["instances"].max()))
    x = alt.X(
        "instances:Q",
        title="task instances I (log scale)",
        axis=alt.Axis(
            values=[count for count in (2, 4, 8, 16, 32, 64, 128) if count <= last], grid=False
        ),
        scale=alt.Scale(type="log", base=2, domain=[2, last], nice=False),
    )
    return parts.finish(
        alt.layer(*_curves(shown, labels, x), *_limit(surface, x, last), *_goal(target)).add_params(
            parts.buttons("comparison", names, "comparison"),
            alt.param(
                name="exponent",
                value=round(math.log2(cases)),
                bind=alt.binding_range(
                    min=round(math.log2(sizes[0])),
                    max=round(math.log2(sizes[-1])),
                    step=1,
                    name="test cases: 2 to the power ",
                ),
            ),
        ),
        _words(surface, names, shares, cases, target),
        "power of designs",
        height=320,
    )


def _check(sizes: Sequence[int], shares: Sequence[float], cases: int) -> None:
    faults = [
        Fault("cases", str(size), "a power of two")
        for size in sizes
        if size < 1 or size & (size - 1)
    ]
    if cases not in sizes:
        faults.append(Fault("cases", str(cases), f"one of {', '.join(map(str, sizes))}"))
    if len(shares) > len(COLOURS):
        faults.append(
            Fault("share", f"{len(shares)} of them", f"{len(COLOURS)} can be distinguished")
        )
    if faults:
        raise FaultyInput("chart of power", faults)


def _curves(shown: pl.DataFrame, labels: Sequence[str], x: alt.X) -> list[alt.Chart]:
    legend = alt.Legend(title="true difference, of the loss", columns=len(labels))
    base = alt.Chart(
        parts.data(
            parts.rows(shown.select("comparison", "difference", "instances", "cases", "power"))
        )
    )
    lines = base.transform_filter(_NOW).encode(
        x=x,
        y=alt.Y(
            "power:Q",
            title="power of the paired t test, 5 % level",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", tickCount=5),
        ),
        color=alt.Color(
            "difference:N",
            sort=list(labels),
            legend=legend,
            scale=alt.Scale(domain=list(labels), range=list(COLOURS[: len(labels)])),
        ),
    )
    return [
        lines.mark_line(clip=True, strokeWidth=1.5),
        lines.mark_point(size=36, filled=True, opacity=1).encode(
            shape=alt.Shape(
                "difference:N",
                sort=list(labels),
                legend=legend,
                scale=alt.Scale(domain=list(labels), range=list(SHAPES[: len(labels)])),
            ),
            tooltip=[
                alt.Tooltip("difference:N", title="true difference"),
                alt.Tooltip("instances:Q"),
                alt.Tooltip("cases:Q", title="test cases each", format=","),
                alt.Tooltip("power:Q", format=".0%"),
            ],
        ),
    ]


def _limit(surface: pl.DataFrame, x: alt.X, last: int) -> list[alt.Chart]:
    """A rule at the most instances that the cases of the dataset allow, and both numbers in words."""
    limits = (
        surface.select("comparison", "cases", "most")
        .unique(maintain_order=True)
        .with_columns(
            instances=pl.col("most").clip(2, last),
            _text=pl.when(pl.col("most") > last)
            .then(pl.lit(""))
            .otherwise(pl.format(", {} instances at most", "most")),
        )
    )
    base = alt.Chart(parts.data(parts.rows(limits))).transform_filter(_NOW)
    says = (
        base.transform_calculate(
            _says="'J = ' + format(datum.cases, ',') + ' test cases each' + datum._text"
        )
        .mark_text(align="left", baseline="bottom", fontSize=11, dy=-3)
        .encode(x=alt.value(0), y=alt.value(0), text="_says:N")
    )
    bound = base.transform_filter(f"datum.most <= {last}")
    rule = bound.mark_rule(strokeDash=[2, 3], color=INK, opacity=0.8).encode(x=x)
    return [says, rule]


def _goal(target: float) -> list[alt.Chart]:
    base = alt.Chart(parts.data([{"_goal": target}])).encode(y="_goal:Q")
    return [base.mark_rule(strokeDash=[4, 3], opacity=0.6)]


def _words(
    surface: pl.DataFrame, names: Sequence[str], shares: Sequence[float], cases: int, target: float
) -> str:
    said, last = [], int(str(surface["instances"].max()))
    for name in names:
        reached = []
        for share in shares:
            enough = surface.filter(
                pl.col("power") >= target, comparison=name, cases=cases, share=share
            )["instances"]
            fewest = f"{min(enough)} instances" if len(enough) else f"more than {last}"
            reached.append(f"{100 * share:g} %: {fewest}")
        said.append(f"{name}: {listed(reached)}")
    return (
        f"Power against the number of task instances for several true differences, with a slider for the test "
        f"cases and buttons for the comparison. With {cases} test cases each, a power of {target:.0%} is reached "
        f"for a difference of {'; '.join(said)}."
    )
