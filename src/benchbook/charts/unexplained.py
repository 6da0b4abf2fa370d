"""What a linear function leaves unexplained on the test cases of each problem, in each permutation."""

from __future__ import annotations

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, SHAPES
from benchbook.charts.words import listed, number

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
        mean=pl.col("unexplained").mean(), low=pl.col("unexplained").min(), high=pl.col("unexplained").max())
    order = means.sort("mean", descending=True)["problem"].to_list()
    drawn = table.with_columns(_at=pl.col("unexplained").clip(0, most), _beyond=pl.col("unexplained") > most)
    permutations = list(dict.fromkeys(str(value) for value in table["permutation"]))
    drawn = drawn.with_columns(pl.col("permutation").cast(pl.String))
    x = alt.X("_at:Q", title="unexplained by a linear function, test cases", scale=alt.Scale(domain=[0, most]),
              axis=alt.Axis(format=".0%", tickCount=6))
    y = alt.Y("problem:N", title=None, sort=order, axis=alt.Axis(grid=True, domain=False, ticks=False, offset=8))
    scales = [alt.Scale(domain=permutations, range=list(looks[:len(permutations)])) for looks in (COLOURS, SHAPES)]
    tips = [alt.Tooltip("problem:N"), alt.Tooltip("permutation:N"), alt.Tooltip("unexplained:Q", format=".0%")]
    base = alt.Chart().encode(y=y)
    spans = base.mark_rule(opacity=0.4).encode(x=alt.X("min(_at):Q"), x2="max(_at):Q")
    marks = base.mark_point(filled=True, size=90, opacity=0.9).encode(
        x=x, tooltip=tips, color=alt.Color("permutation:N", scale=scales[0]),
        shape=alt.Shape("permutation:N", scale=scales[1]))
    beyond = base.transform_filter("datum._beyond").mark_text(text="▸", align="left", dx=8, fontSize=14).encode(x=x)
    even = alt.Chart(parts.data([{}])).mark_rule(strokeDash=[4, 3], opacity=0.7).encode(x=alt.datum(1.0))
    chart = alt.layer(spans, marks, beyond, even, data=parts.data(parts.rows(drawn))).properties(
        width="container", height=24 * len(order), autosize=parts.FIT)
    return parts.finish(chart, _words(means, order), "unexplained by a linear function")


def _words(means: pl.DataFrame, order: list[str]) -> str:
    at = {line["problem"]: line for line in means.iter_rows(named=True)}
    said = [f"{name} {number(at[name]['mean'])} ({number(at[name]['low'])} to {number(at[name]['high'])})"
            for name in order]
    return ("Test error of a linear function over that of the mean of the training cases, mean and range over the "
            f"permutations: {listed(said)}. At 1 the function is worth nothing.")
