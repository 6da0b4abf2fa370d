"""How much one method's expected loss is of another's, on every task: a panel a dataset, the sizes along it."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK
from benchbook.charts.words import listed, number, p_value

_HEIGHT = 150
_FINE, _COARSE = (0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4), (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)


def advantage(lines: pl.DataFrame, method: str, other: str) -> Any:
    """Ratios of expected losses with their 95 % intervals; below the line at one, ``method`` is better.

    A filled mark says that p ≤ 0.05, an open one that it is above.

    Args:
        lines: a line a task: dataset, training_cases, ratio, low, high, p (the last three may be null).
        method, other: the two methods, for the words.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(lines, ("dataset", "training_cases", "ratio", "low", "high", "p"), f"ratios of {method} and {other}")
    low, high = _ends(lines)
    shown = lines.with_columns(
        _low=pl.col("low").clip(low, high), _high=pl.col("high").clip(low, high), _at=pl.col("ratio").clip(low, high),
        _clear=pl.col("p").fill_null(1.0) <= 0.05, _says=pl.col("p").map_elements(p_value, pl.String, skip_nulls=False))
    sizes, datasets = sorted(set(shown["training_cases"])), list(dict.fromkeys(shown["dataset"]))
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    ticks = _FINE if low > 0.6 and high < 1.7 else _COARSE
    axis = alt.Axis(values=[tick for tick in ticks if low <= tick <= high], format="~g", labelOverlap=False, grid=True)
    x = alt.X("training_cases:O", title=None, sort=sizes, axis=alt.Axis(labelAngle=-90, grid=False))
    tips = [alt.Tooltip("dataset:N"), alt.Tooltip("training_cases:O", title="training cases"),
            alt.Tooltip("ratio:Q", format=".3f"), alt.Tooltip("low:Q", title="from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"), alt.Tooltip("_says:N", title="test")]
    y = alt.Y("_at:Q", title=None, scale=scale, axis=axis)
    dots = alt.Chart().encode(x=x, y=y, tooltip=tips)
    panel = alt.layer(
        alt.Chart().mark_rule(color=INK, opacity=0.6).encode(y=alt.datum(1.0)),
        alt.Chart().mark_rule(strokeWidth=1.5).encode(x=x, y=alt.Y("_low:Q", title=None), y2="_high:Q"),
        dots.transform_filter("datum._clear").mark_point(
            size=48, filled=True, opacity=1, color=COLOURS[0]),
        dots.transform_filter("!datum._clear").mark_point(
            size=48, filled=True, opacity=1, color=COLOURS[5], shape="diamond"))
    title = alt.TitleParams(f"{method} over {other}", subtitle=[
        f"ratio of expected losses, 95 % interval; below 1 {method} is better",
        "across: training cases; disc: p ≤ 0.05, grey diamond: above"])
    chart = panel.properties(width=92, height=_HEIGHT).facet(
        facet=alt.Facet("dataset:N", sort=datasets, header=alt.Header(title=None, labelFontSize=10, labelPadding=3)),
        columns=len(datasets), spacing={"column": 8, "row": 14},
        data=parts.data(parts.rows(shown))).properties(title=title)
    layout = {"count": len(datasets), "least": 84, "most": 150, "gap": 8, "margin": 44}
    return parts.finish(chart, _words(lines, method, other), f"{method} over {other}", layout=layout)


def _ends(lines: pl.DataFrame) -> tuple[float, float]:
    """Ends of the axis: what the ratios and most of their intervals need, no less than 0.8 to 1.25."""
    low, high = 0.8, 1.25
    for line in lines.iter_rows(named=True):
        low, high = min(low, 0.93 * line["ratio"]), max(high, line["ratio"] / 0.93)
        if line["low"] is not None and line["low"] > 0.5 * line["ratio"]:
            low = min(low, 0.97 * line["low"])
        if line["high"] is not None and line["high"] < 2.0 * line["ratio"]:
            high = max(high, line["high"] / 0.97)
    return low, high


def _words(lines: pl.DataFrame, method: str, other: str) -> str:
    said = []
    for (dataset,), part in lines.group_by("dataset", maintain_order=True):
        values = [f"{line['training_cases']}: {number(line['ratio'])} ({p_value(line['p'])})"
                  for line in part.sort("training_cases").iter_rows(named=True)]
        said.append(f"{dataset}, {listed(values)}")
    return (f"Expected loss of {method} as a multiple of that of {other}, by dataset and number of training cases. "
            f"{'; '.join(said)}.")
