"""Errors of many runs on permutations of the same cases: what varies between runs, and what between permutations."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.words import counted, listed, number


def runs_and_permutations(runs: pl.DataFrame) -> Any:
    """A line for each permutation of a problem, a mark for each run, all relative to the problem's own mean.

    Args:
        runs: problem, permutation, relative (the error over the geometric mean of the problem's).
    """
    problems = parts.names(runs, "problem")
    order = sorted(set(runs["permutation"]))
    table = runs.with_columns(
        middle=pl.col("relative").log().mean().exp().over("problem", "permutation"),
        _first=pl.int_range(pl.len()).over("problem", "permutation") == 0,
        permutation=pl.col("permutation").cast(pl.String),
    )
    names = [str(one) for one in order]
    title = "test error ÷ geometric mean of the problem (log)"
    base = alt.Chart(parts.data(parts.rows(table))).encode(
        y=alt.Y(
            "problem:N",
            title=None,
            scale=alt.Scale(domain=problems),
            axis=alt.Axis(grid=True, domain=False, ticks=False),
        ),
        yOffset=alt.YOffset("permutation:O", scale=alt.Scale(domain=names, paddingOuter=0.5)),
    )
    dots = base.mark_point(filled=True, size=16, opacity=0.45).encode(
        x=alt.X(
            "relative:Q",
            title=title,
            scale=alt.Scale(type="log", nice=False, padding=8),
            axis=alt.Axis(grid=False, values=[0.25, 0.5, 0.7, 1, 1.4, 2, 4, 8], format="~g"),
        ),
        tooltip=[
            alt.Tooltip("problem:N"),
            alt.Tooltip("permutation:N"),
            alt.Tooltip("relative:Q", format=".3f"),
        ],
        **parts.looks(
            "permutation", names, legend=alt.Legend(title="permutation", symbolType="circle")
        ),
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
    return parts.finish(
        alt.layer(dots, middles),
        _run_words(table, problems),
        "runs and permutations",
        height=46 * len(problems),
    )


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
    """
    names = parts.pick_methods(ranks, None, "ranks")
    problems = parts.names(ranks, "problem")
    looks = parts.looks(
        "method",
        names,
        legend=alt.Legend(title=None, columns=2, labelLimit=220, symbolType="circle"),
    )
    base = alt.Chart().encode(
        x=alt.X("permutation:O", title="permutation", axis=alt.Axis(grid=False, labelAngle=0)),
        y=alt.Y(
            "rank:Q",
            title="rank",
            scale=alt.Scale(domain=[len(names) + 0.3, 0.7], nice=False),
            axis=alt.Axis(values=list(range(1, len(names) + 1)), format="d", grid=False),
        ),
        color=looks["color"],
    )
    lines = base.mark_line(opacity=0.7)
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        shape=looks["shape"],
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
