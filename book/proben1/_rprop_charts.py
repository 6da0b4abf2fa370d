"""Rprop in pictures: the steps of many weights, one weight at a turn of its slope, and training errors over epochs."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, DASHES, INK, SHAPES
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted, listed, number

_EVENTS = ("start", "goes on", "turns round", "goes back", "stays")


def step_sizes(steps: pl.DataFrame) -> Any:
    """The step of every weight over the epochs, on a log scale; the one pointed at stands out.

    Args:
        steps: weight, into (the layer it leads into), epoch, step (above 0); a line for each weight and epoch.
    """
    layers = parts.names(steps, "into")
    pointed = alt.selection_point(
        "pointed",
        fields=["weight"],
        on="pointerover",
        clear="pointerout",
        nearest=False,
        empty=False,
    )
    return parts.finish(
        alt.Chart(parts.data(parts.rows(steps)))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X(
                "epoch:Q",
                title="epoch",
                scale=alt.Scale(nice=False),
                axis=alt.Axis(grid=False, tickCount=6),
            ),
            y=alt.Y(
                "step:Q",
                title="step of the weight (log scale)",
                scale=alt.Scale(type="log", nice=False, padding=6),
                axis=alt.Axis(format=".0e", tickCount=6),
            ),
            detail="weight:N",
            color=alt.Color(
                "into:N",
                title="weight into",
                sort=layers,
                legend=alt.Legend(symbolSize=200, columns=4),
                scale=alt.Scale(domain=layers, range=list(COLOURS[: len(layers)])),
            ),
            strokeDash=alt.StrokeDash(
                "into:N",
                title="weight into",
                sort=layers,
                scale=alt.Scale(
                    domain=layers, range=[list(DASHES[k % len(DASHES)]) for k in range(len(layers))]
                ),
            ),
            tooltip=[
                alt.Tooltip("weight:Q"),
                alt.Tooltip("into:N"),
                alt.Tooltip("epoch:Q"),
                alt.Tooltip("step:Q", format=".3g"),
            ],
            strokeWidth=alt.condition(pointed, alt.value(3), alt.value(1.2)),
            opacity=alt.condition(pointed, alt.value(1.0), alt.value(0.6)),
        )
        .add_params(pointed),
        _step_words(steps),
        "steps of weights",
        height=340,
    )


def _step_words(steps: pl.DataFrame) -> str:
    said = []
    for at in (int(str(steps["epoch"].min())), int(str(steps["epoch"].max()))):
        here = steps.filter(pl.col("epoch") == at)["step"]
        said.append(
            f"after epoch {at} they are between {number(float(str(here.min())))} and "
            f"{number(float(str(here.max())))}, median {number(float(str(here.median())))}"
        )
    most, least = (steps.sort("step").row(place, named=True) for place in (-1, 0))
    return (
        f"The steps of {counted(steps['weight'].n_unique(), 'weight')} of one network under Rprop: "
        f"{'; '.join(said)}. The largest of all is {number(most['step'])} in epoch {most['epoch']}, the smallest "
        f"{number(least['step'])} in epoch {least['epoch']}."
    )


def slope_turns(moves: pl.DataFrame, goal: float) -> Any:
    """A panel for each variant: where one weight is after each epoch, and what the variant did at turns of its slope.

    Args:
        moves: variant, epoch, weight, event (start, goes on, turns round, goes back or stays).
        goal: the weight of least error, a rule.
    """
    panels = parts.names(moves, "variant")
    shown = [event for event in _EVENTS[2:] if event in set(moves["event"])]
    places = [_EVENTS.index(event) - 2 for event in shown]
    table = moves.with_columns(
        goal=pl.lit(goal), _first=pl.int_range(pl.len()).over("variant") == 0
    )
    tips = [
        alt.Tooltip("variant:N"),
        alt.Tooltip("epoch:Q"),
        alt.Tooltip("weight:Q", format=".4f"),
        alt.Tooltip("event:N"),
    ]
    base = alt.Chart().encode(
        x=alt.X("epoch:Q", title="epoch", axis=alt.Axis(grid=False, tickCount=5, format="d")),
        y=alt.Y(
            "weight:Q", title="weight", axis=alt.Axis(tickCount=5), scale=alt.Scale(zero=False)
        ),
    )
    line = base.mark_line(color=COLOURS[0], strokeWidth=1.5)
    dots = base.mark_point(filled=True, size=22, color=COLOURS[0]).encode(tooltip=tips)
    events = (
        base.transform_filter(f"indexof({shown!r}, datum.event) >= 0")
        .mark_point(filled=True, size=110)
        .encode(
            tooltip=tips,
            **parts.looks(
                "event",
                shown,
                colours=[COLOURS[1:][k] for k in places],
                shapes=[SHAPES[1:][k] for k in places],
                sort=shown,
                legend=alt.Legend(
                    title="when the sign changes, the weight",
                    symbolType="circle",
                    symbolSize=80,
                    titleLimit=0,
                ),
            ),
        )
    )
    rule = (
        alt.Chart()
        .transform_filter("datum._first")
        .mark_rule(strokeDash=[4, 3], opacity=0.7, color=INK)
        .encode(y="goal:Q")
    )
    layers = alt.layer(rule, line, dots, events, data=parts.data(parts.rows(table))).properties(
        width=200, height=190
    )
    chart = parts.panels(layers, "variant", panels, 2, 16)
    layout = {"count": len(panels), "least": 220, "most": 420, "gap": 16, "margin": 60}
    return parts.finish(
        chart, _turn_words(moves, panels, goal), "turns of the slope", layout=layout
    )


def _turn_words(moves: pl.DataFrame, panels: Sequence[str], goal: float) -> str:
    said = []
    for panel in panels:
        here = moves.filter(pl.col("event").is_in(_EVENTS[2:]), variant=panel)
        events = [
            f"{line['event']} in epoch {line['epoch']}" for line in here.iter_rows(named=True)
        ]
        last = moves.filter(variant=panel)["weight"][-1]
        said.append(
            f"{panel}: {', '.join(events) or 'no turn'}; at the end {number(abs(last - goal))} from the goal"
        )
    return f"One weight in a valley whose floor is at {number(goal)}, under each variant. {'. '.join(said)}."


def training_errors(
    curves: pl.DataFrame, goals: Mapping[str, float], faint: Sequence[str] = ()
) -> Any:
    """Training errors over epochs on log scales, a line for each method, and the goals as rules.

    What rises above the largest error of the methods that are not faint is cut off.

    Args:
        curves: method, epoch, error (above 0).
        goals: errors to reach, by name.
        faint: methods to draw thin and grey, such as descents with other steps; they are not in the legend.

    Raises:
        FaultyInput: more methods than can be distinguished.
    """
    names = [name for name in dict.fromkeys(curves["method"]) if name not in faint]
    if len(names) > len(COLOURS):
        raise FaultyInput(
            "chart data",
            [Fault("methods", f"{len(names)}", f"{len(COLOURS)} can be distinguished")],
        )
    x = alt.X(
        "epoch:Q",
        title="epoch (log scale)",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(grid=False, format="~s", tickCount=5),
    )
    strong, thin = (
        curves.filter(keep)
        for keep in (pl.col("method").is_in(names), ~pl.col("method").is_in(names))
    )
    ends = [
        0.9 * min(float(str(strong["error"].min())), *goals.values()),
        1.1 * float(str(strong["error"].max())),
    ]
    y = alt.Y(
        "error:Q",
        title="training error, median (log scale)",
        scale=alt.Scale(type="log", nice=False, domain=ends),
        axis=alt.Axis(format="~g", tickCount=6),
    )
    tips = [alt.Tooltip("method:N"), alt.Tooltip("epoch:Q"), alt.Tooltip("error:Q", format=".3g")]
    grey, coloured = (alt.Chart(parts.data(parts.rows(table))) for table in (thin, strong))
    layers = [
        grey.mark_line(strokeWidth=1, opacity=0.35, color=INK, clip=True).encode(
            x=x, y=y, detail="method:N", tooltip=tips
        ),
        coloured.mark_line(strokeWidth=2).encode(
            x=x,
            y=y,
            color=alt.Color(
                "method:N",
                title=None,
                sort=names,
                legend=alt.Legend(symbolSize=200),
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
            ),
            strokeDash=alt.StrokeDash(
                "method:N",
                title=None,
                sort=names,
                scale=alt.Scale(
                    domain=names, range=[list(_DASHES[k % len(_DASHES)]) for k in range(len(names))]
                ),
            ),
            tooltip=tips,
        ),
    ]
    marks = alt.Chart(
        parts.data(
            [
                {"_goal": value, "_name": name, "_first": value == max(goals.values())}
                for name, value in goals.items()
            ]
        )
    ).encode(y=alt.Y("_goal:Q"))
    layers.append(marks.mark_rule(strokeDash=[2, 3], opacity=0.8, color=INK))
    first = marks.transform_filter("datum._first").mark_text(
        align="left", baseline="bottom", dx=4, dy=-2
    )
    others = marks.transform_filter("!datum._first").mark_text(
        align="left", baseline="top", dx=4, dy=4
    )
    layers += [
        named.encode(x=alt.value(0), text="_name:N") for named in (first, others)
    ]  # apart, however close
    return parts.finish(
        alt.layer(*layers), _error_words(curves, names, goals), "training errors", height=360
    )


_DASHES = ((1, 0), (6, 3), (2, 3), (8, 2, 2, 2), (1, 0), (6, 3))


def _error_words(curves: pl.DataFrame, names: Sequence[str], goals: Mapping[str, float]) -> str:
    said = []
    for name in names:
        here = curves.filter(method=name).sort("epoch")
        reached = []
        for goal, value in goals.items():
            first = here.filter(pl.col("error") < value)
            when = (
                f"by epoch {first['epoch'][0]}"
                if first.height
                else f"not by epoch {here['epoch'][-1]}"
            )
            reached.append(f"{goal} {when}")
        said.append(f"{name}: {listed(reached)}")
    least = [f"{goal} is {number(value)}" for goal, value in goals.items()]
    return (
        f"Median training errors of {counted(len(names), 'method')} over the epochs; {listed(least)}. "
        f"{'. '.join(said)}."
    )
