"""Where the training of networks was stopped, and the validation curves that stopped it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import counted, listed, number

ALL = "all sizes"
_EDGES = (1, 10, 30, 100, 300, 1000, 3000, 10_000)
_TALLEST = 900


def selected_iterations(
    selections: pl.DataFrame, last: int, *, methods: Sequence[str] | None = None
) -> Any:
    """A panel for each dataset, a line for each method: the area of a mark is the share of networks stopped there.

    Buttons choose the training-set size.

    Args:
        selections: a line for each network: method, dataset, size, iteration.
        last: the iteration at which training ends.
        methods: which methods, in the order of their lines; all by default.

    Raises:
        FaultyInput: a table without lines or columns that are needed, or an unknown method.
    """
    parts.need(selections, ("method", "dataset", "size", "iteration"), "selections")
    names = parts.pick_methods(selections, methods, "selections")
    bins = _bins(last)
    table = _shares(selections.filter(pl.col("method").is_in(names)), bins, last)
    panels = list(dict.fromkeys(selections["dataset"]))
    sizes = [ALL, *(str(size) for size in selections["size"].unique().sort())]
    buttons = alt.param(
        name="cases", value=ALL, bind=alt.binding_radio(options=sizes, name="training cases ")
    )
    x = alt.X(
        "_bin:N",
        title="iteration chosen, up to",
        sort=bins,
        scale=alt.Scale(domain=bins),
        axis=alt.Axis(grid=False, labelAngle=0, labelOverlap=False, labelFontSize=10),
    )
    y = alt.Y(
        "method:N", title=None, sort=names, axis=alt.Axis(grid=False, domain=False, ticks=False)
    )
    colour, shape = (
        alt.Scale(domain=names, range=list(looks[: len(names)])) for looks in (COLOURS, SHAPES)
    )
    tips = [
        alt.Tooltip("dataset:N"),
        alt.Tooltip("method:N"),
        alt.Tooltip("_bin:N", title="iteration up to"),
        alt.Tooltip("share:Q", title="share of networks", format=".0%"),
        alt.Tooltip("networks:Q"),
    ]
    base = alt.Chart().transform_filter("datum.training_cases == cases").encode(x=x, y=y)
    marks = base.mark_point(filled=True, opacity=0.75).encode(
        size=alt.Size(
            "share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0, 3 * _TALLEST])
        ),
        color=alt.Color("method:N", scale=colour, legend=None),
        shape=alt.Shape("method:N", scale=shape, legend=None),
        tooltip=tips,
    )
    words = (
        base.transform_filter("datum.share >= 0.15")
        .mark_text(fontSize=10, fontWeight=600)
        .encode(text=alt.Text("share:Q", format=".0%"))
    )
    layers = (
        alt.layer(marks, words, data=parts.data(parts.rows(table)))
        .add_params(buttons)
        .properties(width=320, height=44 * len(names))
    )
    chart = parts.panels(layers, "dataset", panels, 2, 16)
    layout = {"count": len(panels), "least": 250, "most": 420, "gap": 16, "margin": 80}
    return parts.finish(
        chart, _selected_words(selections, names, last), "iterations chosen", layout=layout
    )


def _bins(last: int) -> list[str]:
    return [*(_short(edge) for edge in _EDGES if edge < last), "later", "last"]


def _short(value: int) -> str:
    return f"{value // 1000}k" if value >= 1000 else str(value)


def _shares(selections: pl.DataFrame, bins: list[str], last: int) -> pl.DataFrame:
    """Shares of the networks by bin, for each dataset, method and size, and for all sizes together."""
    at = pl.col("iteration")
    found = pl.lit(bins[-2])
    for edge in sorted((edge for edge in _EDGES if edge < last), reverse=True):
        found = pl.when(at <= edge).then(pl.lit(_short(edge))).otherwise(found)
    found = pl.when(at >= last).then(pl.lit(bins[-1])).otherwise(found)
    size = pl.col("size").cast(pl.String).alias("training_cases")
    each = selections.select("dataset", "method", size, found.alias("_bin"))
    every = pl.concat([each.with_columns(training_cases=pl.lit(ALL)), each])
    key = ["dataset", "method", "training_cases"]
    counts = every.group_by(*key, "_bin", maintain_order=True).agg(pl.len().alias("networks"))
    return counts.with_columns(share=pl.col("networks") / pl.col("networks").sum().over(key)).sort(
        *key, "_bin"
    )


def _selected_words(selections: pl.DataFrame, names: Sequence[str], last: int) -> str:
    said = []
    for name in names:
        at = selections.filter(method=name)["iteration"]
        said.append(
            f"{name}, {counted(len(at), 'network')}: median {number(float(str(at.median())))}, "
            f"{_share(at <= last // 20)} within the first twentieth, {_share(at >= last)} at the last"
        )
    return (
        f"At which iteration networks of {listed(list(names))} were stopped, on "
        f"{listed(list(dict.fromkeys(selections['dataset'])))}; the last is {last:,}. "
        f"Over all of them: {'. '.join(said)}."
    )


def _share(chosen: pl.Series) -> str:
    return f"{float(str(chosen.mean())):.0%}"


def validation_curves(curves: pl.DataFrame, chosen: pl.DataFrame, ensemble: float) -> Any:
    """A panel for each network: its error on the cases held out, and on the test cases that it never hears of.

    Args:
        curves: network, iteration, validation, test.
        chosen: the same columns, a line for each network: where it was stopped.
        ensemble: the test error of the mean of the networks, a line across all panels.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    columns = ("network", "iteration", "validation", "test")
    parts.need(curves, columns, "curves")
    parts.need(chosen, columns, "iterations chosen")
    kinds = ["validation", "test"]
    top = 1.15 * float(str(curves.filter(pl.col("iteration") == 1)["test"].max() or 1.0))
    data = parts.data(_curve_rows(curves, chosen, kinds))
    x = alt.X(
        "iteration:Q",
        title="iteration (log scale)",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(grid=False, format="~s", tickCount=5),
    )
    y = alt.Y("error:Q", title="standardised squared error", scale=alt.Scale(domain=[0, top]))
    scale = alt.Scale(domain=kinds, range=[COLOURS[0], COLOURS[1]])
    colour = alt.Color("cases:N", title=None, scale=scale, legend=alt.Legend(symbolSize=200))
    dash = alt.StrokeDash("cases:N", scale=alt.Scale(domain=kinds, range=[[1, 0], [6, 3]]))
    tips = [
        alt.Tooltip("cases:N"),
        alt.Tooltip("iteration:Q", format=","),
        alt.Tooltip("error:Q", format=".3f"),
    ]
    lines = (
        alt.Chart()
        .transform_filter("!datum._chosen")
        .mark_line(clip=True)
        .encode(x=x, y=y, color=colour, strokeDash=dash)
    )
    rule = (
        alt.Chart()
        .transform_filter("datum._chosen && datum.cases == 'test'")
        .mark_rule(opacity=0.6)
        .encode(x=x)
    )
    marks = (
        alt.Chart()
        .transform_filter("datum._chosen")
        .mark_point(filled=True, size=80, clip=True)
        .encode(x=x, y=y, color=colour, tooltip=tips)
    )
    level = alt.Chart().mark_rule(strokeDash=[3, 3], color=INK).encode(y=alt.datum(ensemble))
    says = (
        alt.Chart()
        .transform_filter("datum._chosen && datum.cases == 'test' && datum._first")
        .mark_text(align="left", baseline="top", dy=4, dx=4)
        .encode(x=alt.value(0), y=alt.datum(ensemble), text=alt.value("ensemble, test cases"))
    )
    layers = alt.layer(lines, rule, marks, level, says, data=data).properties(width=320, height=190)
    chart = layers.facet(
        alt.Facet("network:N", title=None, header=alt.Header(labelAnchor="start")),
        columns=2,
        spacing=16,
    )
    layout = {"count": chosen.height, "least": 240, "most": 420, "gap": 16, "margin": 60}
    return parts.finish(chart, _curve_words(chosen, ensemble), "validation curves", layout=layout)


def _curve_rows(
    curves: pl.DataFrame, chosen: pl.DataFrame, kinds: list[str]
) -> list[dict[str, Any]]:
    first = chosen["network"].min()
    both = [
        table.unpivot(
            kinds, index=["network", "iteration"], variable_name="cases", value_name="error"
        ).with_columns(_chosen=pl.lit(value))
        for table, value in ((curves, False), (chosen, True))
    ]
    return parts.rows(
        pl.concat(both).with_columns(
            _first=pl.col("network") == first, network=pl.format("network {}", "network")
        )
    )


def _curve_words(chosen: pl.DataFrame, ensemble: float) -> str:
    said = [
        f"network {line['network']} at iteration {line['iteration']:,} with {number(line['validation'])} on the "
        f"cases held out and {number(line['test'])} on the test cases"
        for line in chosen.iter_rows(named=True)
    ]
    return (
        f"Validation and test error of {counted(chosen.height, 'network')} while they train, a panel each. They "
        f"were stopped: {'; '.join(said)}. The mean of their outputs has {number(ensemble)} on the test cases."
    )
