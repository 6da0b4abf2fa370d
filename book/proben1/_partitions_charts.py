"""Partitions in pictures: the six orders of a file, test errors of runs on many partitions, and the fee of choosing."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, number

_PARTS = ("training", "validation", "test")
_SHORT = {"training": "training", "validation": "valid.", "test": "test"}


def orders(blocks: pl.DataFrame) -> Any:
    """Which cases of a file train, decide and test, in each order: a line of three blocks an order.

    Args:
        blocks: order, part (training, validation or test), first, last (cases from 0; last is not in it).
    """
    table = blocks.with_columns(
        _middle=(pl.col("first") + pl.col("last")) / 2,
        cases=pl.col("last") - pl.col("first"),
        _says=pl.col("part").replace_strict(_SHORT, return_dtype=pl.String),
    )
    names = parts.names(blocks, "order")
    base = alt.Chart(parts.data(parts.rows(table))).encode(
        y=alt.Y(
            "order:N",
            title="order",
            sort=names,
            axis=alt.Axis(domain=False, ticks=False, labelFontSize=12),
        )
    )
    bars = base.mark_bar(height=20, opacity=0.3, stroke=INK, strokeOpacity=0.5).encode(
        x=alt.X(
            "first:Q",
            title="cases, in the order of the file",
            axis=alt.Axis(grid=False, tickCount=6),
            scale=alt.Scale(domain=[0, int(str(blocks["last"].max()))], nice=False),
        ),
        x2="last:Q",
        color=alt.Color(
            "part:N",
            legend=None,
            scale=alt.Scale(domain=list(_PARTS), range=[*COLOURS[:2], COLOURS[3]]),
        ),
        tooltip=[alt.Tooltip("order:N"), alt.Tooltip("part:N"), alt.Tooltip("cases:Q")],
    )
    words = base.mark_text(fontSize=11).encode(x="_middle:Q", text="_says:N")
    return parts.finish(
        alt.layer(bars, words), _order_words(blocks, names), "six orders", height=26 * len(names)
    )


def _order_words(blocks: pl.DataFrame, names: Sequence[str]) -> str:
    said = parts.told(
        blocks.sort("first"),
        "order",
        names,
        lambda line: f"{line['last'] - line['first']} {line['part']}",
    )
    last = int(str(blocks["last"].max()))
    return f"The parts of a file of {last} cases in {len(names)} orders. {said}."


def partition_errors(runs: pl.DataFrame, quarters: Sequence[str]) -> Any:
    """A panel for each permutation: the test error of every run in each order, and what the test cases leave open.

    Bars reach two standard errors, from the test cases alone, to either side of the mean of the runs. Colour and shape
    say which quarter of the file is tested on. Buttons choose the problem.

    Args:
        runs: problem, permutation, order, tested (one of ``quarters``), run, test_error, standard_error.
        quarters: the four names of ``tested``.
    """
    problems = parts.names(runs, "problem")
    keys = ["problem", "permutation", "order", "tested"]
    each = runs.select(
        *keys,
        "run",
        "test_error",
        _kind=pl.lit("run"),
        low=pl.lit(None, pl.Float64),
        high=pl.lit(None, pl.Float64),
    )
    twice = 2 * (pl.col("standard_error") ** 2).mean().sqrt()
    means = runs.group_by(*keys, maintain_order=True).agg(
        pl.lit(None, pl.Int64).alias("run"),
        pl.col("test_error").mean(),
        pl.lit("mean").alias("_kind"),
        low=pl.col("test_error").mean() - twice,
        high=pl.col("test_error").mean() + twice,
    )
    table = pl.concat(
        [each.with_columns(pl.col("run").cast(pl.Int64)), means.select(each.columns)]
    ).with_columns(panel=pl.format("permutation {}", "permutation"))
    chart = (
        alt.layer(*_error_layers(quarters), data=parts.data(parts.rows(table)))
        .add_params(parts.buttons("problem", problems, "problem"))
        .properties(width=210, height=260)
        .facet(
            alt.Facet("panel:N", title=None, header=alt.Header(labelAnchor="start")),
            columns=3,
            spacing=14,
        )
    )
    layout = {
        "count": runs["permutation"].n_unique(),
        "least": 170,
        "most": 320,
        "gap": 14,
        "margin": 60,
    }
    return parts.finish(
        chart, _error_words(means, problems), "test errors by partition", layout=layout
    )


def _error_layers(quarters: Sequence[str]) -> list[Any]:
    order = ["a", "c", "b", "d", "e", "f"]
    y = alt.Y(
        "test_error:Q",
        title="test error (squared error percentage)",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(tickCount=6),
    )
    looks = parts.looks(
        "tested",
        quarters,
        sort=list(quarters),
        legend=alt.Legend(title="tested on", symbolType="circle", columns=2, symbolSize=80),
    )
    tips = [
        alt.Tooltip("panel:N"),
        alt.Tooltip("order:N"),
        alt.Tooltip("tested:N"),
        alt.Tooltip("test_error:Q", format=".2f"),
    ]
    here = alt.Chart().transform_filter("datum.problem === problem")
    base = here.encode(
        x=alt.X(
            "order:N",
            title="order",
            sort=order,
            axis=alt.Axis(grid=False, labelAngle=0, labelFontSize=12),
        ),
        color=looks["color"],
    )
    means = base.transform_filter("datum._kind === 'mean'")
    bars = means.mark_bar(width=18, opacity=0.22).encode(
        y=alt.Y("low:Q"),
        y2="high:Q",
        tooltip=[*tips, alt.Tooltip("low:Q", format=".2f"), alt.Tooltip("high:Q", format=".2f")],
    )
    ticks = means.mark_tick(width=18, thickness=2, orient="horizontal").encode(y=y)
    points = (
        base.transform_filter("datum._kind === 'run'")
        .mark_point(filled=True, size=26, opacity=0.75)
        .encode(y=y, shape=looks["shape"], tooltip=tips)
    )
    return [bars, ticks, points]


def _error_words(means: pl.DataFrame, problems: Sequence[str]) -> str:
    said = []
    for problem in problems:
        here = means.filter(problem=problem).sort("test_error")
        ends = [
            f"{number(line['test_error'])} on permutation {line['permutation']} in order {line['order']}"
            for line in (here.row(0, named=True), here.row(-1, named=True))
        ]
        first = [
            f"{number(line['test_error'])} ({number(line['low'])} to {number(line['high'])})"
            for line in means.filter(problem=problem, order="a")
            .sort("permutation")
            .iter_rows(named=True)
        ]
        said.append(f"{problem}: means from {ends[0]} to {ends[1]}; in order a {', '.join(first)}")
    return (
        f"Test errors of runs on the partitions of {counted(len(problems), 'problem')}, chosen by buttons, with "
        f"two standard errors from the test cases alone. {'. '.join(said)}."
    )


def chosen_by_test(fees: pl.DataFrame) -> Any:
    """A panel for each problem: the error of the best of K runs, on the cases that chose it and on fresh ones.

    Args:
        fees: problem, runs (K), reported, fresh.
    """
    problems = parts.names(fees, "problem")
    kinds = {"reported": "on the cases that chose", "fresh": "on fresh cases"}
    long = fees.unpivot(
        list(kinds), index=["problem", "runs"], variable_name="cases", value_name="error"
    )
    table = long.with_columns(pl.col("cases").replace(kinds))
    names = list(kinds.values())
    lines = (
        alt.Chart(parts.data(parts.rows(table)))
        .mark_line()
        .encode(
            x=alt.X(
                "runs:Q",
                title="runs to choose from",
                axis=alt.Axis(grid=False, tickCount=5),
                scale=alt.Scale(nice=False),
            ),
            y=alt.Y(
                "error:Q",
                title="squared error percentage",
                scale=alt.Scale(zero=False),
                axis=alt.Axis(tickCount=5),
            ),
            color=alt.Color(
                "cases:N",
                title=None,
                sort=names,
                legend=alt.Legend(symbolSize=250, symbolType="stroke"),
                scale=alt.Scale(domain=names, range=[COLOURS[1], COLOURS[0]]),
            ),
            strokeDash=alt.StrokeDash(
                "cases:N",
                title=None,
                sort=names,
                scale=alt.Scale(domain=names, range=[[5, 3], [1, 0]]),
            ),
            tooltip=[
                alt.Tooltip("problem:N"),
                alt.Tooltip("cases:N"),
                alt.Tooltip("runs:Q"),
                alt.Tooltip("error:Q", format=".2f"),
            ],
        )
        .properties(width=210, height=200)
    )
    chart = parts.panels(lines, "problem", problems, 3, 16).resolve_scale(y="independent")
    # Every panel has an axis of its own, for which the gap allows.
    layout = {"count": len(problems), "least": 150, "most": 320, "gap": 66, "margin": 60}
    return parts.finish(chart, _fee_words(fees, problems), "chosen by the test", layout=layout)


def _fee_words(fees: pl.DataFrame, problems: Sequence[str]) -> str:
    said = []
    for problem in problems:
        one, many = (
            fees.filter(problem=problem).sort("runs").row(place, named=True) for place in (0, -1)
        )
        said.append(
            f"{problem}: "
            + ", ".join(
                f"with {counted(line['runs'], 'run')} {number(line['reported'])} and {number(line['fresh'])}"
                for line in (one, many)
            )
        )
    return (
        "The expected error of the best of several runs, on the cases that chose it and on fresh ones, against the "
        f"number of runs. {'; '.join(said)}."
    )
