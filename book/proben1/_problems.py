"""What the chapter on the problems draws and lays beside: Tables 1 and 2 counted again, what a line leaves over."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook import datasets, show
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, SHAPES
from benchbook.datasets.printed import table as printed
from benchbook.datasets.proben1 import PROBLEMS, summaries
from benchbook.words import listed, number

STAND_INS = ("cancer", "diabetes", "digits", "iris", "wine")
_COLUMNS = ("problem", "permutation", "unexplained")


def linear_unexplained(table: pl.DataFrame, *, most: float = 1.2) -> alt.LayerChart:
    """A line for each problem, a mark for each permutation: test error of a linear fit over that of the mean.

    Problems stand in the order of their means, the hardest for a linear function on top.

    Args:
        table: problem, permutation, unexplained: 0 for a perfect fit, 1 for one as good as the training mean.
        most: the right end of the axis; marks beyond stand at it as arrows.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(table, _COLUMNS, "problems")
    means = table.group_by("problem", maintain_order=True).agg(
        mean=pl.col("unexplained").mean(),
        low=pl.col("unexplained").min(),
        high=pl.col("unexplained").max(),
    )
    order = means.sort("mean", descending=True)["problem"].to_list()
    drawn = table.with_columns(
        _at=pl.col("unexplained").clip(0, most), _beyond=pl.col("unexplained") > most
    )
    permutations = list(dict.fromkeys(str(value) for value in table["permutation"]))
    drawn = drawn.with_columns(pl.col("permutation").cast(pl.String))
    x = alt.X(
        "_at:Q",
        title="unexplained by a linear function, test cases",
        scale=alt.Scale(domain=[0, most]),
        axis=alt.Axis(format=".0%", tickCount=6),
    )
    y = alt.Y(
        "problem:N",
        title=None,
        sort=order,
        axis=alt.Axis(grid=True, domain=False, ticks=False, offset=8),
    )
    scales = [
        alt.Scale(domain=permutations, range=list(looks[: len(permutations)]))
        for looks in (COLOURS, SHAPES)
    ]
    tips = [
        alt.Tooltip("problem:N"),
        alt.Tooltip("permutation:N"),
        alt.Tooltip("unexplained:Q", format=".0%"),
    ]
    base = alt.Chart().encode(y=y)
    spans = base.mark_rule(opacity=0.4).encode(x=alt.X("min(_at):Q"), x2="max(_at):Q")
    marks = base.mark_point(filled=True, size=90, opacity=0.9).encode(
        x=x,
        tooltip=tips,
        color=alt.Color("permutation:N", scale=scales[0]),
        shape=alt.Shape("permutation:N", scale=scales[1]),
    )
    beyond = (
        base.transform_filter("datum._beyond")
        .mark_text(text="▸", align="left", dx=8, fontSize=14)
        .encode(x=x)
    )
    even = (
        alt.Chart(parts.data([{}]))
        .mark_rule(strokeDash=[4, 3], opacity=0.7)
        .encode(x=alt.datum(1.0))
    )
    chart = alt.layer(spans, marks, beyond, even, data=parts.data(parts.rows(drawn))).properties(
        width="container", height=24 * len(order), autosize=parts.FIT
    )
    return parts.finish(chart, _words(means, order), "unexplained by a linear function")


def _words(means: pl.DataFrame, order: list[str]) -> str:
    at = {line["problem"]: line for line in means.iter_rows(named=True)}
    said = [
        f"{name} {number(at[name]['mean'])} ({number(at[name]['low'])} to {number(at[name]['high'])})"
        for name in order
    ]
    return (
        "Test error of a linear function over that of the mean of the training cases, mean and range over the "
        f"permutations: {listed(said)}. At 1 the function is worth nothing."
    )


def at_hand(problem: str) -> bool:
    """Whether the three files of a problem can be read without the network."""
    return all(datasets.at_hand(f"proben1-{problem}{permutation}") for permutation in (1, 2, 3))


def shown_problems() -> dict[str, str]:
    """Problem -> the stem of its datasets: those of PROBEN1 that are at hand, or the stand-ins when none is."""
    published = {problem: f"proben1-{problem}" for problem in PROBLEMS if at_hand(problem)}
    return published or {f"{problem} (stand-in)": f"sklearn-{problem}" for problem in STAND_INS}


def recounted(which: int) -> pl.DataFrame:
    """Table 1 or 2 beside our counts.

    Columns: problem; attributes and inputs printed and counted, as binary/continuous/nominal and
    binary/continuous/indicators; cases printed and on the card; for Table 1 the class entropy printed and computed
    (null without the data); agrees.
    """
    rows = []
    for line in printed(which).iter_rows(named=True):
        problem, card = line["problem"], datasets.card(f"proben1-{line['problem']}1")
        ours = summaries.counted(problem)
        row: dict[str, Any] = {
            "problem": problem,
            "attributes printed": _slashed(line, "attributes", ("binary", "continuous", "nominal")),
            "attributes counted": "/".join(map(str, ours.attributes)),
            "inputs printed": _slashed(line, "inputs", ("binary", "continuous", "missing")),
            "inputs counted": "/".join(map(str, ours.inputs)),
            "cases printed": line["cases"],
            "cases counted": card.shape.cases,
        }
        if which == 1:
            row["entropy printed"] = line["class_entropy_bits"]
            known = at_hand(problem)
            row["entropy computed"] = (
                summaries.facts(f"proben1-{problem}1").entropy if known else None
            )
        rows.append({**row, "agrees": _agrees(row)})
    return pl.DataFrame(
        rows, schema_overrides={"entropy computed": pl.Float64} if which == 1 else None
    )


def _slashed(line: dict[str, Any], what: str, kinds: tuple[str, ...]) -> str:
    return "/".join(str(line[f"{what}_{kind}"]) for kind in kinds)


def _agrees(row: dict[str, Any]) -> bool:
    same = all(
        row[f"{what} printed"] == row[f"{what} counted"]
        for what in ("attributes", "inputs", "cases")
    )
    computed = row.get("entropy computed")
    return same and (computed is None or _rounds(computed, row["entropy printed"]))


def recount(which: int) -> show.Html:
    """Table 1 or 2 as printed, with our count beside every entry that it differs from."""
    frame, columns = recounted(which), ("attributes", "inputs", "cases")
    rows = []
    for line in frame.iter_rows(named=True):
        row = {
            "problem": line["problem"],
            **{
                what: _beside(*(line[f"{what} {kind}"] for kind in ("printed", "counted")))
                for what in columns
            },
        }
        if which == 1:
            bits, ours = line["entropy printed"], line["entropy computed"]
            differs = ours is not None and not _rounds(ours, bits)
            row["entropy (bits)"] = f"{bits:.2f}, is {ours:.3f}" if differs else f"{bits:.2f}"
        rows.append(row)
    kinds = "attributes are binary/continuous/nominal, inputs binary/continuous/indicators"
    return show.table(
        rows, f"Table {which} of the report, and what we count where it differs: {kinds}"
    )


def _beside(theirs: str | int, ours: str | int) -> str:
    return str(theirs) if theirs == ours else f"{theirs}, counted {ours}"


def _rounds(ours: float, theirs: float) -> bool:
    """Whether a number rounds to the two digits printed."""
    return abs(ours - theirs) <= 0.005 + 1e-9
