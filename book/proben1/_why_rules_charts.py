"""One method on several permutations, and what a choice that is not stated does to a printed error."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, number

CASES = {"validation_error": "validation cases", "test_error": "test cases"}
_KINDS = {"printed": "printed: on the cases that chose", "true": "true: on cases that did not"}


def stories(runs: pl.DataFrame) -> Any:
    """A column for each partition: a tick for each run on the validation and on the test cases, and their means.

    Args:
        runs: dataset, run, validation_error, test_error, a line for each run; errors in per cent.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(runs, ("dataset", "run", *CASES), "runs")
    names = list(dict.fromkeys(runs["dataset"]))
    long = runs.unpivot(
        list(CASES), index=["dataset", "run"], variable_name="_error", value_name="error"
    )
    table = long.with_columns(cases=pl.col("_error").replace_strict(CASES))
    means = table.group_by("dataset", "cases", maintain_order=True).agg(
        runs=pl.len(), mean=pl.col("error").mean(), sd=pl.col("error").std()
    )
    kinds = list(CASES.values())
    x = alt.X(
        "dataset:N",
        title=None,
        sort=names,
        axis=alt.Axis(labelAngle=0, labelFontWeight=600, ticks=False),
    )
    side = alt.XOffset("cases:N", sort=kinds)
    y = alt.Y("error:Q", title="squared error percentage", scale=alt.Scale(zero=True))
    colour = alt.Color(
        "cases:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=list(COLOURS[:2])),
        legend=alt.Legend(symbolType="stroke"),
    )
    shape = alt.Shape(
        "cases:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=["circle", "square"]),
        legend=alt.Legend(symbolType="stroke"),
    )
    drawn = parts.data([*parts.rows(table.drop("_error")), *parts.rows(means)])
    ticks = (
        alt.Chart()
        .transform_filter("isValid(datum.error)")
        .mark_tick(orient="horizontal", thickness=1.5, opacity=0.5, size=26)
        .encode(
            x=x,
            xOffset=side,
            y=y,
            color=colour,
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("run:Q"),
                alt.Tooltip("cases:N"),
                alt.Tooltip("error:Q", format=".2f"),
            ],
        )
    )
    marks = (
        alt.Chart()
        .transform_filter("isValid(datum.mean)")
        .mark_point(filled=True, size=110, stroke=INK, strokeWidth=1)
        .encode(
            x=x,
            xOffset=side,
            y=alt.Y("mean:Q"),
            color=colour,
            shape=shape,
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("cases:N"),
                alt.Tooltip("runs:Q"),
                alt.Tooltip("mean:Q", format=".2f"),
                alt.Tooltip("sd:Q", format=".2f", title="standard deviation"),
            ],
        )
    )
    chart = alt.layer(ticks, marks, data=drawn).properties(
        width="container", height=320, autosize=parts.FIT
    )
    return parts.finish(chart, _story_words(means, names), "one method on permutations")


def _story_words(means: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        here = {line["cases"]: line for line in means.filter(dataset=name).iter_rows(named=True)}
        texts = [
            f"{number(line['mean'])} (standard deviation {number(line['sd'])}) on the {cases}"
            for cases, line in here.items()
        ]
        said.append(f"{name}: {' and '.join(texts)}")
    runs = max(int(count) for count in means["runs"].to_numpy())
    return (
        f"Errors of one method on {counted(len(names), 'permutation')} of the same cases, {runs} runs each. "
        f"Means: {'; '.join(said)}."
    )


def unstated(gains: pl.DataFrame) -> Any:
    """A line for each choice: the error printed, and the error on cases that had no say, both relative to the rules.

    Args:
        gains: choice, printed, true; errors as shares of the one by the rules, 1 being no difference.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(gains, ("choice", *_KINDS), "gains")
    order, kinds = list(gains["choice"]), list(_KINDS.values())
    lines = parts.data(parts.rows(gains.select("choice", *_KINDS)))
    both = gains.unpivot(
        list(_KINDS), index="choice", variable_name="_kind", value_name="share"
    ).with_columns(kind=pl.col("_kind").replace_strict(_KINDS))
    top = max(1.2, 1.08 * float(str(both["share"].max())))
    scale = alt.Scale(domain=[0, top], nice=False)
    x = alt.X(
        "share:Q",
        title="error, as a share of what the rules give",
        scale=scale,
        axis=alt.Axis(format="%", tickCount=5),
    )
    y = alt.Y("choice:N", title=None, sort=order, axis=None)
    spans = (
        alt.Chart(lines)
        .mark_rule(opacity=0.5, strokeWidth=2)
        .encode(x=alt.X("printed:Q", scale=scale), x2="true:Q", y=y)
    )
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=list(COLOURS[:2])),
        legend=alt.Legend(columns=1, labelLimit=300, symbolType="circle"),
    )
    shape = alt.Shape(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=["circle", "square"]),
        legend=alt.Legend(columns=1, labelLimit=300),
    )
    size = alt.condition(f"datum.kind == '{kinds[0]}'", alt.value(190), alt.value(80))
    dots = (
        alt.Chart(parts.data(parts.rows(both.drop("_kind"))))
        .mark_point(filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            shape=shape,
            size=size,
            tooltip=[
                alt.Tooltip("choice:N"),
                alt.Tooltip("kind:N", title="error"),
                alt.Tooltip("share:Q", format=".0%"),
            ],
        )
    )
    names = (
        alt.Chart(lines)
        .mark_text(align="left", baseline="bottom", dy=-9, fontSize=12)
        .encode(x=alt.value(2), y=y, text="choice:N")
    )
    honest = (
        alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(x=alt.datum(1.0, scale=scale))
    )
    chart = alt.layer(honest, spans, dots, names).properties(
        width="container", height=46 * len(order), autosize=parts.FIT
    )
    return parts.finish(chart, _gain_words(gains), "unstated choices")


def _gain_words(gains: pl.DataFrame) -> str:
    said = [
        f"{line['choice']}: {line['printed']:.0%} printed, {line['true']:.0%} true"
        for line in gains.iter_rows(named=True)
    ]
    return (
        "Test errors after different choices, as shares of the error that the rules give, on the cases that made "
        f"the choice and on cases that did not. {'; '.join(said)}."
    )
