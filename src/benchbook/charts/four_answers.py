"""The chart of the index: one question, four answers with their doubt, and the truth."""

from __future__ import annotations

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.charts.kit.words import listed, number

_COLUMNS = ("work", "method", "estimate", "low", "high", "interval")


def four_answers(answers: pl.DataFrame, truth: str = "truth") -> alt.FacetChart:
    """A panel for each method: the estimate of each work with its interval, and the truth as a band.

    Args:
        answers: a line for each work and method: work, method, estimate, low, high, interval (what the bar means). The
            lines whose work is ``truth`` are drawn as a band across their panel.

    Raises:
        FaultyInput: a table without these columns or lines.
    """
    parts.need(answers, _COLUMNS, "answers")
    works = [work for work in dict.fromkeys(answers["work"]) if work != truth]
    methods = list(dict.fromkeys(answers["method"]))
    x = alt.X("low:Q", title="standardised squared error", scale=alt.Scale(zero=False, nice=True))
    y = alt.Y("work:N", title=None, sort=works, axis=alt.Axis(labelLimit=170, grid=False))
    tips = [alt.Tooltip("work:N"), alt.Tooltip("method:N"), alt.Tooltip("interval:N", title="the bar"),
            *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("estimate", "low", "high"))]
    every = alt.Chart(parts.data(parts.rows(answers)))
    band = every.transform_filter(alt.datum.work == truth)
    marks = every.transform_filter(alt.datum.work != truth)
    colour = alt.Color("work:N", legend=None, scale=alt.Scale(domain=works, range=list(COLOURS[:len(works)])))
    shape = alt.Shape("work:N", legend=None, scale=alt.Scale(domain=works, range=list(SHAPES[:len(works)])))
    panel = alt.layer(
        band.mark_rect(color=INK, opacity=0.16).encode(x=x, x2="high:Q", tooltip=tips),
        band.mark_rule(color=INK, opacity=0.7).encode(x="estimate:Q", tooltip=tips),
        marks.mark_rule(strokeWidth=3).encode(x=x, x2="high:Q", y=y, color=colour, tooltip=tips),
        marks.mark_point(size=90, filled=True, opacity=1).encode(x="estimate:Q", y=y, color=colour, shape=shape,
                                                                 tooltip=tips),
    ).properties(width=420, height=26 * len(works))
    header = alt.Header(labelOrient="top", labelAnchor="start")
    chart = panel.facet(alt.Facet("method:N", title=None, sort=methods, header=header), columns=1)
    return parts.finish(chart.resolve_scale(x="shared"), _words(answers, works, methods, truth), "four answers",
                        layout={"count": 1, "least": 150, "most": 460, "gap": 0, "margin": 90})


def _words(answers: pl.DataFrame, works: list[str], methods: list[str], truth: str) -> str:
    said = []
    for method in methods:
        rows = {row["work"]: row for row in answers.filter(method=method).iter_rows(named=True)}
        each = [f"{work} {number(rows[work]['estimate'])} ({number(rows[work]['low'])} to {number(rows[work]['high'])})"
                for work in works if work in rows]
        said.append(f"{method}: {listed(each)}; the truth is {number(rows[truth]['estimate'])}" if truth in rows
                    else f"{method}: {listed(each)}")
    return (f"Expected squared error of {listed(methods)}, as {listed(works)} estimate it, with intervals. "
            + ". ".join(said) + ".")
