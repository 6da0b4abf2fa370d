"""Learners of today beside the networks of 1994, dataset by dataset."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.words import counted, listed


def then_and_now(
    table: pl.DataFrame, reference: str, *, methods: Sequence[str] | None = None
) -> Any:
    """A line for each dataset, a mark for each method: its test error as a multiple of the reference's, log scale.

    Datasets are sorted by the best of the methods, so that those where most was gained stand first.

    Args:
        table: dataset, method, ratio (above 0; 1 is as good as the reference), error (squared error percentage).
        reference: what is the 1, in words.
        methods: in the order of their looks, six at most; all by default.

    Raises:
        FaultyInput: an unknown method.
    """
    names = parts.pick_methods(table, methods, "test errors")
    drawn = table.filter(pl.col("method").is_in(names))
    order = list(
        drawn.group_by("dataset").agg(pl.col("ratio").min()).sort("ratio", "dataset")["dataset"]
    )
    low, high = parts.ends(drawn["ratio"])
    near = alt.selection_point(fields=["method"], bind="legend")
    marks = (
        alt.Chart(parts.data(parts.rows(drawn)))
        .mark_point(filled=True, size=52)
        .encode(
            x=alt.X(
                "ratio:Q",
                title=f"test error ÷ that of {reference} (log scale)",
                scale=alt.Scale(
                    type="log", domain=[0.95 * min(low, 1.0), 1.05 * max(high, 1.0)], nice=False
                ),
                axis=alt.Axis(values=[0.2, 0.3, 0.5, 0.7, 1, 1.4, 2, 3, 5], format="~g"),
            ),
            y=alt.Y(
                "dataset:N",
                title=None,
                sort=order,
                axis=alt.Axis(grid=True, ticks=False, domain=False, labelLimit=160),
            ),
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("method:N"),
                alt.Tooltip("error:Q", title="test error", format=".3f"),
                alt.Tooltip("ratio:Q", format=".2f"),
            ],
            **parts.looks("method", names, title=None),
            opacity=alt.condition(near, alt.value(0.9), alt.value(0.12)),
        )
    )
    line = alt.Chart(parts.data([{}])).mark_rule(color=INK, opacity=0.7).encode(x=alt.datum(1.0))
    return parts.finish(
        alt.layer(line, marks.add_params(near)),
        _words(drawn, names, reference),
        "then and now",
        height=15 * len(order) + 20,
    )


def _words(table: pl.DataFrame, names: Sequence[str], reference: str) -> str:
    said = []
    for name in names:
        own = table.filter(method=name)
        middle = float(str(own["ratio"].median()))
        said.append(
            f"{name} is better on {own.filter(pl.col('ratio') < 1).height} of {own.height}, median ratio "
            f"{middle:.2f}"
        )
    return (
        f"Test errors on {counted(table['dataset'].n_unique(), 'dataset')} as multiples of those of {reference}: "
        f"{listed(said)}."
    )
