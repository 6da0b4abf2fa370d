"""The charts of the chapter on methods: draws from priors, and which inputs two methods come to rely on."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, DASHES, INK
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted, listed, number

_STEP = 19
_TRACES = ("panel", "passes", "input", "value")
_REST = "all others"


def prior_draws(draws: pl.DataFrame) -> Any:
    """A panel for each prior, a line for each network drawn from it: a tick for the group, a dot for each input.

    Args:
        draws: prior, draw (from 1), level ("group" or "input"), sd: standard deviations of weights, above 0.
    """
    priors = parts.names(draws, "prior")
    count = draws["draw"].n_unique()
    base = alt.Chart().encode(
        x=alt.X(
            "sd:Q",
            title="standard deviation of the weights (log scale)",
            scale=alt.Scale(type="log", nice=False, padding=10),
            axis=alt.Axis(
                grid=True,
                values=[10.0**k for k in range(-6, 7)],
                format="~g",
                labelOverlap="greedy",
            ),
        ),
        y=alt.Y("draw:O", title="network", axis=alt.Axis(grid=False, domain=False, ticks=False)),
        tooltip=[
            alt.Tooltip("level:N"),
            alt.Tooltip("draw:O", title="network"),
            alt.Tooltip("sd:Q", format=".3g"),
        ],
    )
    dots = base.transform_filter(alt.datum.level == "input").mark_point(
        size=38, filled=False, strokeWidth=1.4, opacity=0.75, color=COLOURS[0]
    )
    ticks = base.transform_filter(alt.datum.level == "group").mark_tick(
        thickness=3, bandSize=15, color=INK, opacity=0.9
    )
    layers = alt.layer(dots, ticks, data=parts.data(parts.rows(draws))).properties(
        width=300, height=_STEP * count
    )
    chart = parts.panels(layers, "prior", priors, len(priors), 24, labelLimit=400)
    layout = {"count": len(priors), "least": 240, "most": 420, "gap": 24, "margin": 52}
    return parts.finish(
        chart, _draws_said(draws, priors, count), "draws from priors", layout=layout
    )


def _draws_said(draws: pl.DataFrame, priors: list[str], count: int) -> str:
    said = []
    for prior in priors:
        here = draws.filter(prior=prior)
        group, each = (here.filter(level=level)["sd"] for level in ("group", "input"))
        text = f"{prior}: the group's from {' to '.join(map(number, parts.ends(group)))}"
        if each.len():
            within = (
                here.filter(level="input")
                .group_by("draw", maintain_order=True)
                .agg((pl.col("sd").max() / pl.col("sd").min()).alias("ratio"))["ratio"]
                .median()
            )
            text += (
                f", those of single inputs from {' to '.join(map(number, parts.ends(each)))}; in the middling "
                f"network the largest is {number(float(str(within)))} times the smallest"
            )
        said.append(text)
    return (
        f"Standard deviations of weights in {counted(count, 'network')} drawn from each prior, a tick for the "
        f"group and a dot for each input that has its own. {'. '.join(said)}."
    )


def relevance_traces(
    traces: pl.DataFrame,
    truth: pl.DataFrame,
    marks: pl.DataFrame | None = None,
    *,
    named: int = 4,
    least: float = 1e-4,
) -> Any:
    """A panel for each method: what it makes of every input against the passes it has made, both on log scales.

    The inputs that matter most in truth have colours and a legend, all others are thin and grey; pointing at a line
    picks out the same input in all panels.

    Args:
        traces: a line for each panel, passes and input: panel, passes (above 0), input, value (above 0, or 0).
        truth: a line for each input: input, share (of the target's variance that depends on it).
        marks: rules across a panel, a line each: panel, passes, says.
        named: how many inputs have a colour, five at most.
        least: values below are drawn there.

    Raises:
        FaultyInput: an input without truth, or too many named.
    """
    _check(traces, truth, named)
    ranked = truth.filter(pl.col("input").is_in(traces["input"].unique().to_list())).sort(
        "share", descending=True
    )
    first = ranked.head(named)
    labels = {
        line["input"]: f"{line['input']}: {_percent(line['share'])}"
        for line in first.iter_rows(named=True)
    }
    shares = dict(ranked.select("input", "share").iter_rows())
    table = traces.select(_TRACES).with_columns(
        share=pl.col("input").replace_strict(shares, return_dtype=pl.Float64),
        _label=pl.col("input").replace_strict(labels, default=_REST, return_dtype=pl.String),
        _drawn=pl.col("value").clip(least),
    )
    panels = list(dict.fromkeys(table["panel"]))
    lines = parts.rows(table)
    if marks is not None:
        lines += [
            {"panel": mark["panel"], "_at": mark["passes"], "_says": mark["says"]}
            for mark in parts.rows(marks)
        ]
    chart = _panels(parts.data(lines), list(labels.values()), panels)
    layout = {"count": len(panels), "least": 240, "most": 420, "gap": 24, "margin": 56}
    return parts.finish(
        chart, _traces_said(table, ranked, named, panels), "relevance over training", layout=layout
    )


def _check(traces: pl.DataFrame, truth: pl.DataFrame, named: int) -> None:
    absent = sorted(set(traces["input"]) - set(truth["input"]))
    faults = [
        Fault("truth", f"no input {name!r}", "every input of the traces has its share")
        for name in absent
    ]
    if not 1 <= named <= len(COLOURS) - 1:
        faults.append(
            Fault("named", str(named), f"{len(COLOURS) - 1} inputs at most can be distinguished")
        )
    if faults:
        raise FaultyInput("chart data", faults)


def _panels(data: alt.Data, labels: list[str], panels: list[str]) -> Any:
    """Grey lines below coloured ones below the one that is pointed at, and points that nobody sees to point at."""
    chosen = alt.selection_point(
        "chosen",
        fields=["input"],
        on="pointerover",
        nearest=True,
        empty=False,
        clear=False,
        toggle=False,
    )
    scales = [
        alt.Scale(domain=labels, range=list(looks))
        for looks in (
            COLOURS[: len(labels)],
            [list(DASHES[k % len(DASHES)]) for k in range(len(labels))],
        )
    ]
    legend = alt.Legend(
        title="share of the target's variance that needs the input",
        titleLimit=400,
        columns=2,
        symbolType="stroke",
        symbolSize=220,
    )
    # The input's name is drawn, not told: beside "nearest", Vega-Lite 6 says "undefined" of a text in a tooltip.
    tips = [
        alt.Tooltip("passes:Q", format=",.0f"),
        alt.Tooltip("value:Q", format=".3g"),
        alt.Tooltip("share:Q", title="variance that needs it", format=".1%"),
    ]
    base = (
        alt.Chart()
        .transform_filter("isValid(datum.value)")
        .encode(
            x=alt.X(
                "passes:Q",
                title="passes over the cases (log scale)",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(grid=False, format="~s", tickCount=5),
            ),
            y=alt.Y(
                "_drawn:Q",
                title=None,
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(format="~g", values=[10.0**k for k in range(-8, 5)]),
            ),
            detail="input:N",
        )
    )
    is_rest = f"datum._label == '{_REST}'"
    rest = base.transform_filter(is_rest).mark_line(color=INK, strokeWidth=1, opacity=0.22)
    matter = (
        base.transform_filter(f"!({is_rest})")
        .mark_line(strokeWidth=2.5)
        .encode(
            color=alt.Color("_label:N", scale=scales[0], legend=legend),
            strokeDash=alt.StrokeDash("_label:N", scale=scales[1], legend=legend),
        )
    )
    picked = base.transform_filter(chosen)
    line = picked.mark_line(color=INK, strokeWidth=3, opacity=0.9)
    name = (
        picked.transform_window(
            _place="rank()", sort=[alt.SortField("passes", "descending")], groupby=["panel"]
        )
        .transform_filter("datum._place == 1")
        .mark_text(align="right", dx=-4, dy=-8, fontWeight=600)
        .encode(text="input:N")
    )
    catch = base.mark_point(size=30, opacity=0).encode(tooltip=tips).add_params(chosen)
    marks = alt.Chart().transform_filter("isValid(datum._says)").encode(x=alt.X("_at:Q"))
    rules = marks.mark_rule(strokeDash=[4, 3], opacity=0.8)
    says = marks.mark_text(baseline="bottom", dy=-3).encode(y=alt.value(0), text="_says:N")
    layers = alt.layer(rest, matter, rules, says, line, name, catch, data=data).properties(
        width=300, height=300
    )
    return parts.panels(
        layers, "panel", panels, len(panels), 24, labelFontSize=12, labelLimit=420, labelPadding=18
    ).resolve_scale(x="independent", y="independent")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def _traces_said(table: pl.DataFrame, ranked: pl.DataFrame, named: int, panels: list[str]) -> str:
    first, rest = ranked.head(named), ranked.slice(named)
    said = [
        f"What {counted(len(panels), 'method')} make of {ranked.height} inputs while they train. The inputs that "
        "matter, with the share of the target's variance that needs them, are "
        + listed(
            [f"{line['input']} ({_percent(line['share'])})" for line in first.iter_rows(named=True)]
        )
        + (f"; no other has more than {_percent(float(rest['share'][0]))}." if rest.height else ".")
    ]
    for panel in panels:
        here = table.filter(panel=panel)
        last = here.filter(pl.col("passes") == here["passes"].max()).sort("value", descending=True)
        matter = [
            f"{line['input']} {number(line['value'])}"
            for line in last.iter_rows(named=True)
            if line["input"] in set(first["input"])
        ]
        others = last.filter(~pl.col("input").is_in(first["input"].to_list()))
        tail = (
            f"; the largest of the others is {others['input'][0]}, {number(others['value'][0])}"
            if others.height
            else ""
        )
        said.append(f"{panel}, at the end: {listed(matter)}{tail}.")
    return " ".join(said)
