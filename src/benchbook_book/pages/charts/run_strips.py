"""The runs of several methods on the partitions of one problem, each with its mean and what was printed of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.words import counted, number

if TYPE_CHECKING:
    from altair.typing import ChartType


def run_strips(runs: pl.DataFrame, printed: pl.DataFrame | None = None) -> ChartType:
    """A line for each dataset and method, a mark for each run at its test error, a bar at their mean.

    Args:
        runs: dataset, method, test_error (squared error percentage, above 0).
        printed: dataset, method, printed; drawn as a hollow diamond. None for nothing printed.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(runs, ("dataset", "method", "test_error"), "runs")
    names = parts.pick_methods(runs, None, "runs")
    datasets = list(dict.fromkeys(runs["dataset"]))
    means = runs.group_by("dataset", "method", maintain_order=True).agg(
        mean=pl.col("test_error").mean(), runs=pl.len()
    )
    title = "test error, squared error percentage (log scale)"
    scale = alt.Scale(type="log", nice=False, padding=10)
    y = alt.Y(
        "dataset:N", title=None, sort=datasets, axis=alt.Axis(grid=True, domain=False, ticks=False)
    )
    shift = alt.YOffset("method:N", sort=names, scale=alt.Scale(paddingOuter=0.4))
    marks = (
        alt.Chart(parts.data(parts.rows(runs.select("dataset", "method", "test_error"))))
        .mark_point(filled=True, size=22, opacity=0.4)
        .encode(
            x=alt.X(
                "test_error:Q",
                title=title,
                scale=scale,
                axis=alt.Axis(format="~g", tickCount=6, labelOverlap=True),
            ),
            y=y,
            yOffset=shift,
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("method:N"),
                alt.Tooltip("test_error:Q", format=".3f"),
            ],
            **parts.looks("method", names, title=None),
        )
    )
    bars = (
        alt.Chart(parts.data(parts.rows(means)))
        .mark_tick(color=INK, thickness=3, size=15)
        .encode(
            x=alt.X("mean:Q", title=title, scale=scale),
            y=y,
            yOffset=shift,
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("method:N"),
                alt.Tooltip("mean:Q", format=".3f"),
                alt.Tooltip("runs:Q"),
            ],
        )
    )
    layers = [marks, bars]
    if printed is not None and printed.height:
        layers.append(
            alt.Chart(parts.data(parts.rows(printed)))
            .mark_point(shape="diamond", filled=False, size=110, color=INK, strokeWidth=1.6)
            .encode(
                x=alt.X("printed:Q", title=title, scale=scale),
                y=y,
                yOffset=shift,
                tooltip=[
                    alt.Tooltip("dataset:N"),
                    alt.Tooltip("method:N"),
                    alt.Tooltip("printed:Q", title="printed mean"),
                ],
            )
        )
    return parts.finish(
        alt.layer(*layers),
        _words(means, printed),
        "runs of a problem",
        height=max(120, 22 * len(names) * len(datasets)),
    )


def _words(means: pl.DataFrame, printed: pl.DataFrame | None) -> str:
    known = (
        {}
        if printed is None
        else {
            (line["dataset"], line["method"]): line["printed"]
            for line in printed.iter_rows(named=True)
        }
    )
    lines = []
    for line in means.iter_rows(named=True):
        own = known.get((line["dataset"], line["method"]))
        lines.append(
            f"{line['method']} on {line['dataset']} {number(line['mean'])}"
            + (f", printed {number(own)}" if own is not None else "")
        )
    return f"Test errors of {counted(int(str(means['runs'].sum())), 'run')}, a mark each. Means: {'; '.join(lines)}."
