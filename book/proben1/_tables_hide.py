"""Errors of many runs on permutations of the same cases: what varies between runs, and what between permutations."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import counted, listed, number


def runs_and_permutations(runs: pl.DataFrame) -> Any:
    """A line for each permutation of a problem, a mark for each run, all relative to the problem's own mean.

    Args:
        runs: problem, permutation, relative (the error over the geometric mean of the problem's).

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(runs, ("problem", "permutation", "relative"), "runs")
    problems = list(dict.fromkeys(runs["problem"]))
    order = sorted(set(runs["permutation"]))
    table = runs.with_columns(
        middle=pl.col("relative").log().mean().exp().over("problem", "permutation"),
        _first=pl.int_range(pl.len()).over("problem", "permutation") == 0,
        permutation=pl.col("permutation").cast(pl.String),
    )
    names = [str(one) for one in order]
    title = "test error ÷ geometric mean of the problem (log)"
    x = alt.X(
        "relative:Q",
        title=title,
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(grid=False, values=[0.25, 0.5, 0.7, 1, 1.4, 2, 4, 8], format="~g"),
    )
    y = alt.Y(
        "problem:N",
        title=None,
        scale=alt.Scale(domain=problems),
        axis=alt.Axis(grid=True, domain=False, ticks=False),
    )
    shift = alt.YOffset("permutation:O", scale=alt.Scale(domain=names, paddingOuter=0.5))
    looks = [alt.Scale(domain=names, range=list(look[: len(names)])) for look in (COLOURS, SHAPES)]
    legend = alt.Legend(title="permutation", symbolType="circle")
    colour = alt.Color("permutation:N", scale=looks[0], legend=legend)
    tips = [
        alt.Tooltip("problem:N"),
        alt.Tooltip("permutation:N"),
        alt.Tooltip("relative:Q", format=".3f"),
    ]
    base = alt.Chart(parts.data(parts.rows(table))).encode(y=y, yOffset=shift)
    dots = base.mark_point(filled=True, size=16, opacity=0.45).encode(
        x=x,
        color=colour,
        shape=alt.Shape("permutation:N", scale=looks[1], legend=legend),
        tooltip=tips,
    )
    middles = (
        base.transform_filter("datum._first")
        .mark_tick(thickness=3, size=13, color=INK)
        .encode(
            x=alt.X("middle:Q", title=title),
            tooltip=[
                alt.Tooltip("problem:N"),
                alt.Tooltip("permutation:N"),
                alt.Tooltip("middle:Q", format=".3f"),
            ],
        )
    )
    chart = alt.layer(dots, middles).properties(
        width="container", height=46 * len(problems), autosize=parts.FIT
    )
    return parts.finish(chart, _run_words(table, problems), "runs and permutations")


def _run_words(table: pl.DataFrame, problems: list[str]) -> str:
    said = []
    for problem in problems:
        middles = (
            table.filter(pl.col("_first"), problem=problem).sort("permutation")["middle"].to_list()
        )
        said.append(f"{problem} {listed([number(value) for value in middles])}")
    what = counted(len(problems), "problem")
    return (
        f"Test errors of {counted(table.height, 'run')} on the permutations of {what}, each relative to the "
        f"geometric mean of its problem. Geometric means of the permutations in their order: {'; '.join(said)}."
    )


def rank_order(ranks: pl.DataFrame) -> Any:
    """A panel for each problem, a line for each method: its rank among the methods on each permutation.

    Args:
        ranks: problem, permutation, method, rank, mean.

    Raises:
        FaultyInput: a table without lines or columns that are needed, or with more methods than colours.
    """
    parts.need(ranks, ("problem", "permutation", "method", "rank", "mean"), "ranks")
    names = parts.pick_methods(ranks, None, "ranks")
    problems = list(dict.fromkeys(ranks["problem"]))
    looks = [
        alt.Scale(domain=names, range=[look[k % len(look)] for k in range(len(names))])
        for look in (COLOURS, SHAPES)
    ]
    x = alt.X("permutation:O", title="permutation", axis=alt.Axis(grid=False, labelAngle=0))
    y = alt.Y(
        "rank:Q",
        title="rank",
        scale=alt.Scale(domain=[len(names) + 0.3, 0.7], nice=False),
        axis=alt.Axis(values=list(range(1, len(names) + 1)), format="d", grid=False),
    )
    legend = alt.Legend(title=None, columns=2, labelLimit=220, symbolType="circle")
    colour = alt.Color("method:N", scale=looks[0], legend=legend)
    base = alt.Chart().encode(x=x, y=y, color=colour)
    lines = base.mark_line(opacity=0.7)
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        shape=alt.Shape("method:N", scale=looks[1], legend=legend),
        tooltip=[
            alt.Tooltip("problem:N"),
            alt.Tooltip("method:N"),
            alt.Tooltip("permutation:O"),
            alt.Tooltip("rank:Q"),
            alt.Tooltip("mean:Q", title="mean test error", format=".3f"),
        ],
    )
    layers = alt.layer(lines, dots, data=parts.data(parts.rows(ranks))).properties(
        width=150, height=95
    )
    chart = parts.panels(layers, "problem", problems, 4, 18)
    layout = {"count": len(problems), "least": 110, "most": 190, "gap": 18, "margin": 60}
    return parts.finish(chart, _rank_words(ranks, problems), "ranks by permutation", layout=layout)


def _rank_words(ranks: pl.DataFrame, problems: list[str]) -> str:
    said = []
    for problem in problems:
        best = (
            ranks.filter(pl.col("problem") == problem)
            .sort("permutation", "rank")
            .group_by("permutation", maintain_order=True)
            .first()["method"]
            .to_list()
        )
        said.append(f"{problem}: {', '.join(best)}")
    return (
        "Ranks of methods by mean test error on each permutation of each problem. The best on permutations in "
        f"their order: {'; '.join(said)}."
    )
