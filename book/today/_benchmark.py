"""The chart of the chapter on the benchmark that everybody uses."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl
from scipy.special import stdtrit

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK

_ROW = 20


def differences(found: pl.DataFrame, share: Mapping[str, float]) -> Any:
    """Differences from one method: a panel for each set, a row for each method.

    Thin bars are 95 % intervals of the corrected resampled t test, thick ones those of
    the usual t test, whose standard error is less by sqrt(1 + R n_test / n_train).

    Args:
        found: lines of ``compare_on_splits`` by one loss, but for the reference.
        share: n_test / n_train by the name of the task.
    """
    splits, other = found["splits"][0], found["against"][0]
    critical = float(stdtrit(splits - 1, 0.975))
    ratio = pl.col("task").replace_strict(share, return_dtype=pl.Float64)
    half = critical * pl.col("standard_error")
    usual = half / (1 + splits * ratio).sqrt()
    middle = pl.col("difference")
    table = found.select(
        "method",
        "difference",
        "p",
        "usual_p",
        panel=pl.col("task").str.extract("uci-([a-z0-9]*)"),
        low=middle - half,
        high=middle + half,
        usual_low=middle - usual,
        usual_high=middle + usual,
    )
    rows = table.group_by("method").agg(middle.mean()).sort("difference")["method"]
    panels = table["panel"].unique(maintain_order=True).to_list()
    title = f"minus {other}, nats"
    y = alt.Y(
        "method:N",
        title=None,
        sort=rows.to_list(),
        axis=alt.Axis(grid=False, domain=False, ticks=False, labelLimit=170, minExtent=130),
    )
    layers = [
        alt.Chart().mark_rule(color=INK, strokeDash=[4, 3], opacity=0.8).encode(x=alt.datum(0)),
        alt.Chart()
        .mark_rule(strokeWidth=1.2, color=COLOURS[0])
        .encode(
            x=alt.X("low:Q", title=title, axis=alt.Axis(tickCount=4, grid=False)), x2="high:Q", y=y
        ),
        alt.Chart()
        .mark_rule(strokeWidth=5, color=COLOURS[0], opacity=0.45)
        .encode(x=alt.X("usual_low:Q"), x2="usual_high:Q", y=y),
        alt.Chart()
        .mark_point(filled=True, size=50, opacity=1, color=COLOURS[1])
        .encode(
            x=alt.X("difference:Q"),
            y=y,
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("difference:Q", format="+.3f"),
                alt.Tooltip("p:Q", title="p, corrected", format=".2g"),
                alt.Tooltip("usual_p:Q", title="p, usual", format=".2g"),
            ],
        ),
    ]
    chart = alt.layer(*layers, data=parts.data(parts.rows(table))).properties(
        width=200, height=_ROW * len(rows)
    )
    drawn = parts.panels(chart, "panel", panels, 2, {"column": 24, "row": 18})
    drawn = drawn.resolve_scale(x="independent")
    layout = {"count": len(panels), "least": 170, "most": 300, "gap": 24, "margin": 180}
    said = parts.told(
        table,
        "panel",
        panels,
        lambda row: (
            f"{row['method']} {row['difference']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
        ),
    )
    words = f"Mean differences from {other} with 95 % intervals. {said}."
    return parts.finish(drawn, words, "on splits", layout=layout)
