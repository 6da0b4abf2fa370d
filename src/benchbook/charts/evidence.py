"""Statements and what speaks for and against each: a line a statement, a stroke a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK
from benchbook.charts.words import counted, p_value

_ROW, _TOP = 36, 30
_END = 4.0
_LOOKS = {"for": (COLOURS[0], -1.0, "triangle-up"), "open": (COLOURS[5], 0.0, "circle"),
          "against": (COLOURS[1], 1.0, "triangle-down")}


def evidence(comparisons: pl.DataFrame, order: Sequence[tuple[str, str, str]]) -> Any:
    """Every comparison at its ratio of expected losses, over the ratio that the statement allows.

    Left of the line at one lies what is as stated. Marks pointing up are significantly so, marks pointing down
    significantly not so, dots are open. Ratios beyond a factor of four stand at the end.

    Args:
        comparisons: statement (its name), method, other, task, factor, ratio, p, mark ("for", "against" or "open").
        order: name, label and verdict of the statements to draw, from the top; those without comparisons are left out.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    columns = ("statement", "method", "other", "task", "factor", "ratio", "p", "mark")
    parts.need(comparisons, columns, "evidence")
    rows = [line for line in order if line[0] in set(comparisons["statement"])]
    place = {key: _TOP + _ROW * number for number, (key, _, _) in enumerate(rows)}
    height = _TOP + _ROW * len(rows)
    shown = comparisons.filter(pl.col("statement").is_in(list(place))).select(columns).with_columns(
        _x=(pl.col("ratio") / pl.col("factor")).clip(1.0 / _END, _END),
        _y=pl.col("statement").replace_strict(place, return_dtype=pl.Float64)
        + pl.col("mark").replace_strict({name: 6.0 * look[1] for name, look in _LOOKS.items()},
                                        return_dtype=pl.Float64),
        _says=pl.col("p").map_elements(p_value, pl.String, skip_nulls=False))
    x = alt.X("_x:Q", title="ratio of expected losses, over what the statement allows",
              scale=alt.Scale(type="log", domain=[1.0 / _END, _END], padding=8),
              axis=alt.Axis(values=[0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0], format="~g", orient="top", grid=False))
    scale = alt.Scale(domain=[0, height], reverse=True, nice=False)
    chart = alt.layer(*_lines(rows, place, scale), *_marks(shown, x, scale)).properties(
        width="container", height=height, autosize=parts.FIT)
    return parts.finish(chart, _words(rows, shown), "evidence for statements")


def _lines(rows: Sequence[tuple[str, str, str]], place: dict[str, int], scale: alt.Scale) -> list[alt.Chart]:
    """The line at one, and above every strip the statement's label and its verdict."""
    labels = [{"_text": label, "_verdict": verdict, "_label": place[key] - 17, "_rule": place[key] + 11}
              for key, label, verdict in rows]
    base = alt.Chart(parts.data(labels))
    return [
        alt.Chart(parts.data([{"_one": 1.0}])).mark_rule(color=INK, opacity=0.7).encode(x="_one:Q"),
        base.mark_rule(color=INK, opacity=0.1).encode(y=alt.Y("_rule:Q", scale=scale, axis=None)),
        base.mark_text(align="left", baseline="middle", fontSize=10.5).encode(
            x=alt.value(2), y=alt.Y("_label:Q", scale=scale, axis=None), text="_text:N"),
        base.mark_text(align="right", baseline="middle", fontSize=10.5, fontWeight=600).encode(
            x=alt.value("width"), y=alt.Y("_label:Q", scale=scale, axis=None), text="_verdict:N"),
    ]


def _marks(shown: pl.DataFrame, x: alt.X, scale: alt.Scale) -> list[alt.Chart]:
    names = list(_LOOKS)
    legend = alt.Legend(title=None, symbolType="circle", orient="bottom")
    hues, forms = ([str(_LOOKS[name][part]) for name in names] for part in (0, 2))
    return [alt.Chart(parts.data(parts.rows(shown))).mark_point(size=34, filled=True, opacity=0.75).encode(
        x=x, y=alt.Y("_y:Q", scale=scale, axis=None),
        color=alt.Color("mark:N", legend=legend, scale=alt.Scale(domain=names, range=hues)),
        shape=alt.Shape("mark:N", legend=legend, scale=alt.Scale(domain=names, range=forms)),
        tooltip=[alt.Tooltip("method:N"), alt.Tooltip("other:N", title="against"), alt.Tooltip("task:N"),
                 alt.Tooltip("ratio:Q", format=".3f"), alt.Tooltip("factor:Q", title="below"),
                 alt.Tooltip("_says:N", title="test")])]


def _words(rows: Sequence[tuple[str, str, str]], shown: pl.DataFrame) -> str:
    said = []
    for key, label, verdict in rows:
        marks = shown.filter(statement=key)["mark"].to_list()
        counts = ", ".join(f"{marks.count(name)} {name}" for name in _LOOKS if marks.count(name))
        said.append(f"{label}: {verdict}, {counts}")
    return (f"{counted(len(rows), 'statement')} and the comparisons behind each, by the ratio of expected losses over "
            f"what the statement allows; left of one is as stated. {'. '.join(said)}.")
