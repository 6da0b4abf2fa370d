"""One method on several permutations of the same cases: the errors of all runs, and what each permutation tells."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.charts.kit.words import counted, number

CASES = {"validation_error": "validation cases", "test_error": "test cases"}


def stories(runs: pl.DataFrame) -> Any:
    """A column for each partition: a tick for each run on the validation and on the test cases, and their means.

    Args:
        runs: dataset, run, validation_error, test_error, a line for each run; errors in per cent.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(runs, ("dataset", "run", *CASES), "runs")
    names = list(dict.fromkeys(runs["dataset"]))
    long = runs.unpivot(list(CASES), index=["dataset", "run"], variable_name="_error", value_name="error")
    table = long.with_columns(cases=pl.col("_error").replace_strict(CASES))
    means = table.group_by("dataset", "cases", maintain_order=True).agg(
        runs=pl.len(), mean=pl.col("error").mean(), sd=pl.col("error").std())
    kinds = list(CASES.values())
    x = alt.X("dataset:N", title=None, sort=names, axis=alt.Axis(labelAngle=0, labelFontWeight=600, ticks=False))
    side = alt.XOffset("cases:N", sort=kinds)
    y = alt.Y("error:Q", title="squared error percentage", scale=alt.Scale(zero=True))
    colour = alt.Color("cases:N", title=None, scale=alt.Scale(domain=kinds, range=list(COLOURS[:2])),
                       legend=alt.Legend(symbolType="stroke"))
    shape = alt.Shape("cases:N", title=None, scale=alt.Scale(domain=kinds, range=["circle", "square"]),
                      legend=alt.Legend(symbolType="stroke"))
    drawn = parts.data([*parts.rows(table.drop("_error")), *parts.rows(means)])
    ticks = alt.Chart().transform_filter("isValid(datum.error)").mark_tick(
        orient="horizontal", thickness=1.5, opacity=0.5, size=26).encode(
        x=x, xOffset=side, y=y, color=colour, tooltip=[alt.Tooltip("dataset:N"), alt.Tooltip("run:Q"),
                                                       alt.Tooltip("cases:N"), alt.Tooltip("error:Q", format=".2f")])
    marks = alt.Chart().transform_filter("isValid(datum.mean)").mark_point(
        filled=True, size=110, stroke=INK, strokeWidth=1).encode(
        x=x, xOffset=side, y=alt.Y("mean:Q"), color=colour, shape=shape,
        tooltip=[alt.Tooltip("dataset:N"), alt.Tooltip("cases:N"), alt.Tooltip("runs:Q"),
                 alt.Tooltip("mean:Q", format=".2f"), alt.Tooltip("sd:Q", format=".2f", title="standard deviation")])
    chart = alt.layer(ticks, marks, data=drawn).properties(width="container", height=320, autosize=parts.FIT)
    return parts.finish(chart, _words(means, names), "one method on permutations")


def _words(means: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        here = {line["cases"]: line for line in means.filter(dataset=name).iter_rows(named=True)}
        texts = [f"{number(line['mean'])} (standard deviation {number(line['sd'])}) on the {cases}"
                 for cases, line in here.items()]
        said.append(f"{name}: {' and '.join(texts)}")
    runs = max(int(count) for count in means["runs"].to_numpy())
    return (f"Errors of one method on {counted(len(names), 'permutation')} of the same cases, {runs} runs each. "
            f"Means: {'; '.join(said)}.")
