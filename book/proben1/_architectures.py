"""The chart of an architecture search: validation error against the size of the network, and what is within 5 %."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, listed

MOST = 1.6


def searched(table: pl.DataFrame) -> Any:
    """A mark for each run: connections across, validation error as a multiple of the least one upwards.

    A menu chooses the dataset. The shaded bands are what is within 5 and within 10 % of the best run; runs above 1.6
    times the best stand at the upper edge.

    Args:
        table: dataset, topology (``4+2l``, or ``s`` for sigmoid outputs), connections, ratio (1 for the best run of
            a dataset), test_error (squared error percentage).
    """
    columns = ("dataset", "topology", "connections", "ratio", "test_error")
    datasets = parts.names(table, "dataset")
    sigmoid = pl.col("topology").str.ends_with("s")
    drawn = table.select(
        *columns,
        outputs=pl.when(sigmoid).then(pl.lit("sigmoid")).otherwise(pl.lit("linear")),
        _at=pl.col("ratio").clip(None, MOST),
    )
    kinds = ["linear", "sigmoid"]
    x = alt.X(
        "connections:Q",
        title="connections (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=14),
        axis=alt.Axis(grid=False, format=",", tickCount=5, labelOverlap=True),
    )
    scale = alt.Scale(domain=[0.96, MOST + 0.03], nice=False, zero=False)
    y = alt.Y(
        "_at:Q",
        title="validation error ÷ the least",
        axis=alt.Axis(
            values=[1.0, 1.05, 1.1, 1.2, 1.4, MOST],
            labelExpr=f"datum.value >= {MOST} ? '≥ ' + datum.label : datum.label",
            format=".2~f",
        ),
        scale=scale,
    )
    bands = (
        alt.Chart(parts.data([{"_from": 1.0, "_to": 1.05}, {"_from": 1.0, "_to": 1.1}]))
        .mark_rect(color=COLOURS[2], opacity=0.16)
        .encode(y=alt.Y("_from:Q", scale=scale), y2="_to:Q")
    )
    here = alt.Chart(parts.data(parts.rows(drawn))).transform_filter(
        "datum.dataset == searched_dataset"
    )
    marks = here.mark_point(filled=True, size=55, opacity=0.8).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("topology:N"),
            alt.Tooltip("connections:Q", format=","),
            alt.Tooltip("ratio:Q", title="validation error ÷ the least", format=".3f"),
            alt.Tooltip("test_error:Q", title="test error", format=".2f"),
        ],
        **parts.looks("outputs", kinds, title="output units"),
    )
    best = (
        here.transform_filter("datum.ratio <= 1")
        .mark_text(dy=14, fontSize=11, fontWeight=600)
        .encode(x=x, y=y, text="topology:N")
    )
    line = alt.Chart(parts.data([{}])).mark_rule(color=INK, opacity=0.6).encode(y=alt.datum(1.0))
    return parts.finish(
        alt.layer(bands, line, marks, best).add_params(
            alt.param(
                name="searched_dataset",
                value=datasets[0],
                bind=alt.binding_select(options=datasets, name="dataset "),
            )
        ),
        _words(table, datasets),
        "architecture search",
        height=340,
    )


def _words(table: pl.DataFrame, datasets: list[str]) -> str:
    first = table.filter(dataset=datasets[0]).sort("ratio")
    near = [first.filter(pl.col("ratio") <= bound).height - 1 for bound in (1.05, 1.1)]
    told = list(dict.fromkeys(first.filter(pl.col("ratio") <= 1.05)["topology"]))
    return (
        f"Validation errors of {counted(first.height, 'run')} of an architecture search on {datasets[0]} against "
        f"the number of connections; a menu chooses among {counted(len(datasets), 'dataset')}. The best is "
        f"{first['topology'][0]}; {near[0]} others are within 5% of it and {near[1]} within 10%. Within 5% there "
        f"are {listed(told)}."
    )
