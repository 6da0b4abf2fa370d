"""Chains that agree or do not: their traces, their diagnostics beside the loss, and what more passes give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, listed, number

if TYPE_CHECKING:
    from altair.typing import ChartType

_SURE = 0.05


def noise_traces(traces: pl.DataFrame, kept: float) -> ChartType:
    """The noise standard deviation of chains on one task instance, a line each, named at its end.

    Args:
        traces: a line for each chain and note: chain (its name), passes, value.
        kept: passes up to which a chain is discarded, a rule.

    Raises:
        FaultyInput: a table without lines or columns that are needed, or with more chains than colours.
    """
    parts.need(traces, ("chain", "passes", "value"), "traces")
    names = parts.pick_methods(traces.rename({"chain": "method"}), None, "traces")[: len(COLOURS)]
    table = traces.filter(pl.col("chain").is_in(names)).with_columns(
        _last=pl.col("passes") == pl.col("passes").max().over("chain"),
        _first=pl.int_range(pl.len()) == 0,
    )
    looks = parts.looks(
        "chain", names, legend=alt.Legend(title=None, symbolType="circle", symbolSize=80, columns=3)
    )
    tips = [
        alt.Tooltip("chain:N"),
        alt.Tooltip("passes:Q", format=",.0f"),
        alt.Tooltip("value:Q", format=".3f"),
    ]
    base = alt.Chart().encode(
        x=alt.X(
            "passes:Q",
            title="passes over the cases",
            axis=alt.Axis(grid=False, format="~s", tickCount=6),
            scale=alt.Scale(nice=False),
        ),
        y=alt.Y(
            "value:Q",
            title="noise standard deviation (log scale)",
            scale=alt.Scale(type="log", nice=False, padding=10),
        ),
        color=looks["color"],
    )
    lines = base.mark_line(strokeWidth=1.6, opacity=0.85).encode(tooltip=tips)
    ends = (
        base.transform_filter("datum._last")
        .mark_point(filled=True, size=70, opacity=1)
        .encode(shape=looks["shape"], tooltip=tips)
    )
    once = alt.Chart().transform_filter("datum._first")
    rule = once.mark_rule(strokeDash=[4, 3], opacity=0.8).encode(x=alt.datum(kept))
    says = once.mark_text(align="left", baseline="top", dx=4).encode(
        x=alt.datum(kept), y=alt.value(0), text=alt.value("kept from here")
    )
    return parts.finish(
        alt.layer(lines, ends, rule, says, data=parts.data(parts.rows(table))),
        _trace_words(table, kept),
        "noise of several chains",
        height=280,
    )


def _trace_words(table: pl.DataFrame, kept: float) -> str:
    lines = []
    for (name,), here in table.group_by("chain", maintain_order=True):
        late = here.filter(pl.col("passes") >= kept)["value"]
        span = (
            f", between {' and '.join(map(number, parts.ends(late)))} in the part kept"
            if len(late)
            else ""
        )
        lines.append(
            f"{name} begins at {number(here['value'][0])}, ends at {number(here['value'][-1])}{span}"
        )
    chains = counted(table["chain"].n_unique(), "chain")
    return f"Noise standard deviation of {chains} against passes, discarded up to {number(kept)}. {'; '.join(lines)}."


def diagnosed_losses(runs: pl.DataFrame, *, reached: float = 1.1) -> ChartType:
    """A panel for each length of run: the loss of every run against split R-hat of its noise, both on log scales.

    Args:
        runs: a line for each run: method, panel, task, instance, rhat, loss (above 0), noise.
        reached: R-hat up to which a chain passes, a rule.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(runs, ("method", "panel", "task", "instance", "rhat", "loss", "noise"), "runs")
    names, panels = parts.pick_methods(runs, None, "runs"), list(dict.fromkeys(runs["panel"]))
    table = runs.with_columns(
        _beyond=(pl.col("rhat") - 1.0).clip(0.001), _first=pl.int_range(pl.len()).over("panel") == 0
    )
    marks = (
        alt.Chart()
        .mark_point(filled=True, size=45, opacity=0.75)
        .encode(
            x=alt.X(
                "_beyond:Q",
                title="split R-hat of the noise (log scale)",
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(
                    grid=False,
                    values=[0.001, 0.01, 0.1, 1],
                    labelExpr="datum.value <= 0.001 ? '≤ 1.001' : format(1 + datum.value, '~g')",
                ),
            ),
            y=alt.Y(
                "loss:Q",
                title="standardised squared error (log scale)",
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(format="~g", tickCount=5),
            ),
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("task:N"),
                alt.Tooltip("instance:Q"),
                alt.Tooltip("rhat:Q", title="R-hat", format=".3f"),
                alt.Tooltip("loss:Q", format=".3f"),
                alt.Tooltip("noise:Q", title="noise sd", format=".3f"),
            ],
            **parts.looks("method", names, title=None),
        )
    )
    rule = (
        alt.Chart()
        .transform_filter("datum._first")
        .mark_rule(strokeDash=[4, 3], opacity=0.8)
        .encode(x=alt.datum(reached - 1.0))
    )
    layers = alt.layer(marks, rule, data=parts.data(parts.rows(table))).properties(
        width=300, height=260
    )
    chart = parts.panels(layers, "panel", panels, 2, 20)
    layout = {"count": len(panels), "least": 240, "most": 420, "gap": 20, "margin": 60}
    return parts.finish(
        chart, _diagnosed_words(runs, panels, reached), "loss against R-hat", layout=layout
    )


def _diagnosed_words(runs: pl.DataFrame, panels: Sequence[str], reached: float) -> str:
    lines = []
    for panel in panels:
        here = runs.filter(panel=panel)
        well = here.filter(pl.col("rhat") <= reached)["loss"]
        span = (
            f", with losses from {' to '.join(map(number, parts.ends(well)))}" if len(well) else ""
        )
        lines.append(
            f"{panel}: {counted(here.height, 'run')}, "
            f"{len(well)} of them with an R-hat of at most {reached:g}{span}"
        )
    return (
        f"Loss of runs against split R-hat of their noise standard deviation. {'. '.join(lines)}."
    )


def longer_runs(pairs: pl.DataFrame, label: str = "change of the expected loss") -> ChartType:
    """A panel for each dataset: by how much longer runs change the expected loss, by training cases and method.

    A mark is filled where the paired test is significant at the 5 % level.

    Args:
        pairs: a line for each method and task: method, dataset, size, more (relative difference), p (or none).
        label: what is compared.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(pairs, ("method", "dataset", "size", "more", "p"), "pairs")
    names, panels = parts.pick_methods(pairs, None, "pairs"), list(dict.fromkeys(pairs["dataset"]))
    table = pairs.with_columns(
        sure=pl.col("p").fill_null(1.0) <= _SURE,
        zero=0.0,
        _first=pl.int_range(pl.len()).over("dataset") == 0,
    )
    sizes = [int(size) for size in table["size"].unique().sort()]
    looks = parts.looks("method", names, title=None)
    y = alt.Y("more:Q", title=label, axis=alt.Axis(format="+.0%", tickCount=6))
    tips = [
        alt.Tooltip("method:N"),
        alt.Tooltip("size:O", title="training cases"),
        alt.Tooltip("more:Q", title="change", format="+.1%"),
        alt.Tooltip("p:Q", format=".3f"),
    ]
    base = alt.Chart().encode(
        x=alt.X(
            "size:O", title="training cases", sort=sizes, axis=alt.Axis(grid=False, labelAngle=0)
        ),
        xOffset=alt.XOffset("method:N", sort=names),
        color=looks["color"],
    )
    stems = base.mark_rule(opacity=0.5).encode(y=y, y2="zero:Q")
    open_ = base.mark_point(filled=False, size=70, strokeWidth=1.8).encode(
        y=y, shape=looks["shape"], tooltip=tips
    )
    marks = (
        base.transform_filter("datum.sure")
        .mark_point(size=70)
        .encode(y=y, shape=looks["shape"], tooltip=tips)
    )
    zero = (
        alt.Chart()
        .transform_filter("datum._first")
        .mark_rule(color=INK, opacity=0.6)
        .encode(y=alt.datum(0))
    )
    layers = alt.layer(stems, zero, open_, marks, data=parts.data(parts.rows(table))).properties(
        width=300, height=240
    )
    chart = parts.panels(layers, "dataset", panels, 2, 20)
    layout = {"count": len(panels), "least": 240, "most": 420, "gap": 20, "margin": 60}
    return parts.finish(chart, _longer_words(table, panels), "longer runs", layout=layout)


def _longer_words(table: pl.DataFrame, panels: Sequence[str]) -> str:
    lines = []
    for panel in panels:
        here = table.filter(dataset=panel)
        each = [
            f"{line['method']} with {line['size']:,} cases {line['more']:+.0%}"
            + (" (significant)" if line["sure"] else "")
            for line in here.iter_rows(named=True)
        ]
        lines.append(f"{panel}: {listed(each)}")
    return f"Relative change of the expected loss when runs are longer. {'. '.join(lines)}."
