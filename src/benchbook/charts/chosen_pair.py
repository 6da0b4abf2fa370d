"""Below each rectangle of Rasmussen's figure: the differences behind one cell of the grid, one dot an instance.

All panels share one scale in pixels from their top; ``top`` is where this strip begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.errors import Fault, FaultyInput
from benchbook.words import training_cases

DEPTH = 140.0
_MIDDLE, _HALF = 72.0, 38.0
_NAME, _NOTE = 13.0, 130.0
_CLICK = "click[event.item && event.item.datum && event.item.datum.kind === 'comparison']"
_FIRST = "indexof(pair.method, datum.method) >= 0"
_SECOND = "indexof(pair.other, datum.method) >= 0"
_LETTER = 5.9  # pixels, at 10 points: a pair wider than its panel would make the whole figure wider, or smaller
_WIDTH = f"{_LETTER} * length(pair.method + pair.other + ' − ')"
_TITLE = alt.expr(
    f"child_width < {_WIDTH} ? [pair.method + ' −', pair.other] : pair.method + ' − ' + pair.other"
)


def parameter(pair: tuple[str, str]) -> alt.Parameter:
    """The cell that is looked at: the methods of its column and row; a click on another cell changes it."""
    return alt.selection_point(
        "pair",
        fields=["method", "other"],
        on=_CLICK,
        clear=False,
        toggle=False,
        value=[{"method": pair[0], "other": pair[1]}],
    )


def lines(
    means: pl.DataFrame,
    expected: pl.DataFrame,
    names: Sequence[str],
    pair: tuple[str, str],
    standardised: bool,
) -> list[dict[str, Any]]:
    """The mean loss of every method on every instance, on the scale that is drawn.

    Args:
        means: what ``assess.instance_means`` gives, for the loss of the figure.
        expected: the expected losses that are drawn, with the column ``standard`` when ``standardised``.
        names: the methods that are drawn.
        pair: the column and the row of the cell shown first.
        standardised: whether losses are divided by their task's constant.

    Raises:
        FaultyInput: the pair is not two of the methods.
    """
    parts.need(means, ("task", "method", "instance", "mean"), "instance means")
    if faults := [
        Fault("pair", repr(name), f"it is one of {', '.join(names)}")
        for name in pair
        if name not in names
    ]:
        raise FaultyInput("chart data", faults)
    if pair[0] == pair[1]:
        raise FaultyInput(
            "chart data", [Fault("pair", f"{pair[0]} twice", "two methods are compared")]
        )
    if standardised:
        constants = expected.select("task", "standard").unique()
        means = means.join(constants, on="task").with_columns(pl.col("mean") / pl.col("standard"))
    chosen = means.filter(
        pl.col("method").is_in(names) & pl.col("task").is_in(expected["task"].unique().to_list())
    )
    return [
        {
            "training_cases": training_cases(line["task"]),
            "kind": "instance",
            "method": line["method"],
            "other": None,
            "mean": line["mean"],
            "mark": None,
            "instance": line["instance"],
        }
        for line in chosen.sort("task", "method", "instance").iter_rows(named=True)
    ]


def labels(top: float) -> dict[float, str]:
    """Labels of the axis, by place."""
    return {
        top + _NAME: "column − row",
        top + _MIDDLE - _HALF: "column worse",
        top + _MIDDLE: "equal",
        top + _MIDDLE + _HALF: "column better",
    }


def layers(top: float, scale: alt.Scale) -> list[alt.Chart]:
    """The strip: which pair, the line of equal losses, mean ± standard error, a dot an instance, and the p value."""
    once = alt.Chart().transform_filter("datum._column === 1")
    differences = _differences(top)
    alone = differences.transform_filter("datum.instance === datum._least")
    wide = {"x": alt.value(0), "x2": alt.value("width")}
    tips = [alt.Tooltip("training_cases:O", title="training cases")]
    return [
        once.mark_rule(opacity=0.6, strokeDash=[3, 2]).encode(**wide, y=alt.value(top + _MIDDLE)),
        once.mark_text(text=_TITLE, fontSize=10, align="left", baseline="middle").encode(
            x=alt.value(0), y=alt.value(top + _NAME)
        ),
        alone.mark_rect(color=INK, opacity=0.16).encode(
            **wide,
            y=alt.Y("_low:Q", scale=scale),
            y2="_high:Q",
            tooltip=[
                alt.Tooltip("_mean:Q", title="mean difference", format=".3g"),
                alt.Tooltip("_error:Q", title="standard error", format=".2g"),
                *tips,
            ],
        ),
        alone.mark_rule(strokeWidth=2.5, color=INK).encode(**wide, y=alt.Y("_at:Q", scale=scale)),
        differences.mark_point(
            size=34, filled=False, strokeWidth=1.6, color=COLOURS[1], opacity=1
        ).encode(
            x=alt.X("instance:O", axis=None, scale=alt.Scale(type="point", padding=0.6)),
            y=alt.Y("_y:Q", scale=scale),
            tooltip=[alt.Tooltip("difference:Q", format=".3g"), alt.Tooltip("instance:O"), *tips],
        ),
        alt.Chart()
        .transform_filter(
            f"datum.kind === 'comparison' && {_FIRST} && indexof(pair.other, datum.other) >= 0"
        )
        .mark_text(fontSize=10, align="left", baseline="middle")
        .encode(x=alt.value(0), y=alt.value(top + _NOTE), text="_p:N"),
    ]


def _differences(top: float) -> alt.Chart:
    """One line an instance: the difference of the pair, and where it, its mean and standard error are drawn."""
    at = f"{top + _MIDDLE} - {_HALF} * "
    return (
        alt.Chart()
        .transform_filter(f"datum.kind === 'instance' && ({_FIRST} || {_SECOND})")
        .transform_calculate(_signed=f"{_FIRST} ? datum.mean : -datum.mean")
        .transform_aggregate(
            difference="sum(_signed)", _both="count()", groupby=["training_cases", "instance"]
        )
        .transform_filter("datum._both === 2")
        .transform_calculate(_size="abs(datum.difference)")
        .transform_joinaggregate(
            _most="max(_size)",
            _mean="mean(difference)",
            _error="stderr(difference)",
            _least="min(instance)",
            groupby=["training_cases"],
        )
        .transform_calculate(_unit="datum._most > 0 ? datum._most : 1")
        .transform_calculate(
            _y=f"{at} datum.difference / datum._unit",
            _at=f"{at} datum._mean / datum._unit",
            _low=f"{at} (datum._mean - datum._error) / datum._unit",
            _high=f"{at} (datum._mean + datum._error) / datum._unit",
        )
    )
