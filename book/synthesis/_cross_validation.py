"""Repeated cross-validation table by table, and errors by what the folds leave out."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK


def repetitions(differences: NDArray[np.float64], unit: str) -> Any:
    """A dot for each repetition [tables, repetitions], a short line at the mean of each table."""
    tables, times = differences.shape
    means = differences.mean(axis=1)
    lines = [{"table": i + 1, "mean": float(means[i])} for i in range(tables)]
    dots = [
        {"table": i + 1, "difference": float(value)}
        for i in range(tables)
        for value in differences[i]
    ]
    x = alt.X(
        "table:O", title=f"table of {unit}", axis=alt.Axis(labelAngle=0, labelOverlap="greedy")
    )
    title = "error of the SVM less that of linear regression"
    zero = alt.Chart(parts.data([{"zero": 0.0}])).mark_rule(strokeDash=[4, 3], color=INK)
    chart = alt.layer(
        zero.encode(y="zero:Q"),
        alt.Chart(parts.data(dots))
        .mark_circle(size=36, opacity=0.5, color=COLOURS[0])
        .encode(x=x, y=alt.Y("difference:Q", title=title)),
        alt.Chart(parts.data(lines))
        .mark_tick(thickness=2.5, size=24, color=INK)
        .encode(x=x, y="mean:Q"),
    ).properties(width="container", height=280, autosize=parts.FIT)
    words = (
        f"{tables} tables of {unit}, {times} repetitions each. Means of tables run from {means.min():.1f} to "
        f"{means.max():.1f}; the standard deviation within a table is "
        f"{np.sqrt(differences.var(axis=1, ddof=1).mean()):.1f}."
    )
    return parts.finish(chart, words, "differences of repeated cross-validations")


def by_folds(table: pl.DataFrame) -> Any:
    """Columns ``folds``, ``model``, ``error``: a line for each kind of folds, a mark with its number for each model."""
    folds, models = (
        table[name].unique(maintain_order=True).to_list() for name in ("folds", "model")
    )
    least, most = float(table["error"].min()), float(table["error"].max())  # type: ignore[arg-type]
    y = alt.Y("folds:N", sort=folds, title=None, axis=alt.Axis(labelLimit=260, grid=True))
    x = alt.X(
        "error:Q",
        title="mean absolute error (points)",
        scale=alt.Scale(zero=False, domain=[least - 2, most + 2], nice=False),
    )
    base = alt.Chart(parts.data(parts.rows(table)))
    marks = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=x,
        y=y,
        color=alt.Color("model:N", title=None, scale=alt.Scale(domain=models, range=COLOURS[:2])),
        shape=alt.Shape(
            "model:N", title=None, scale=alt.Scale(domain=models, range=["circle", "square"])
        ),
    )
    numbers = [
        base.transform_filter(alt.datum.model == name)
        .mark_text(dy=dy, color=INK)
        .encode(x=x, y=y, text=alt.Text("error:Q", format=".1f"))
        for name, dy in zip(models, (-13, 15), strict=True)
    ]
    chart = alt.layer(marks, *numbers)
    words = "; ".join(
        f"{row['folds']}, {row['model']}: {row['error']:.1f}" for row in table.iter_rows(named=True)
    )
    height = 52 * table["folds"].n_unique()
    return parts.finish(chart, words + ".", "errors by kind of folds", height=height)
