"""Spikes on a discrete target: the density while one narrows them, and what four losses say of everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import live_legend, parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.errors import Fault, FaultyInput
from benchbook.words import listed, number

_LIMITS = (1e-7, 1e5)
_NOW = "datum.exponent === halvings"
_POWERS = "datum.value >= 1 ? format(datum.value, ',d') : format(datum.value, '~f')"
_LAYOUT = {"least": 230, "most": 340, "gap": 22, "margin": 70}


def narrowed_spikes(
    pieces: pl.DataFrame,
    smooth: pl.DataFrame,
    sweep: pl.DataFrame,
    gambler: str,
    target: float,
    halvings: int = 1,
) -> Any:
    """The density of a gambler around one target beside honest ones; a slider halves the spikes, a legend keeps score.

    Args:
        pieces: exponent, left, right, density, spike: of the gambler at each number of halvings.
        smooth: player, x, density: of the honest ones.
        sweep: player, exponent, NLPD, CRPS, of all, in the order of the legend.
        gambler: the player whose spikes are drawn. target: of the case shown. halvings: where the slider stands first.

    Raises:
        FaultyInput: a table without lines or columns that are needed, or halvings that are not in it.
    """
    parts.need(pieces, ("exponent", "left", "right", "density", "spike"), "pieces")
    parts.need(smooth, ("player", "x", "density"), "honest densities")
    parts.need(sweep, ("player", "exponent", "NLPD", "CRPS"), "losses")
    steps, names = (
        sweep["exponent"].unique().sort().to_list(),
        list(dict.fromkeys(sweep["player"])),
    )
    faults = [Fault("halvings", str(halvings), f"one of {steps}")] if halvings not in steps else []
    if gambler not in names:
        faults.append(Fault("gambler", gambler, f"one of {listed(names)}"))
    if faults:
        raise FaultyInput("chart data", faults)
    said = alt.Chart(
        parts.data(parts.rows(sweep.select("player", "exponent", "NLPD", "CRPS")))
    ).transform_filter(_NOW)
    text = "datum.player + ': NLPD ' + format(datum.NLPD, '.2f') + ', CRPS ' + format(datum.CRPS, '.1f')"
    slider = alt.param(
        name="halvings",
        value=halvings,
        bind=alt.binding_range(
            min=steps[0], max=steps[-1], step=1, name="spike width 1/2 to the power "
        ),
    )
    chart = (
        alt.layer(
            _densities(pieces, smooth, names, gambler, target),
            *live_legend.legend(said, names, "player", text),
        )
        .resolve_scale(y="independent")
        .add_params(slider)
        .properties(width="container", height=290, autosize=parts.FIT)
    )
    return parts.finish(chart, _spike_words(sweep, names, steps), "spikes")


def _densities(
    pieces: pl.DataFrame, smooth: pl.DataFrame, names: list[str], gambler: str, target: float
) -> Any:
    """Spikes and gaps of the gambler, the honest densities, the bound, and the target."""
    low, high = float(str(pieces["left"].min())), float(str(pieces["right"].max()))
    x = alt.X(
        "left:Q",
        title="target, pixels",
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
    )
    y = alt.Y(
        "density:Q",
        title="density per pixel (log scale)",
        scale=alt.Scale(type="log", domain=list(_LIMITS), nice=False),
        axis=alt.Axis(values=[10.0**k for k in range(-6, 5, 2)], grid=False, labelExpr=_POWERS),
    )
    looks = live_legend.looks(names, "player")
    colour = COLOURS[names.index(gambler)]
    at = (
        alt.Chart(parts.data(parts.rows(pieces)))
        .transform_filter(_NOW)
        .transform_calculate(_floor=str(_LIMITS[0]))
    )
    tips = [alt.Tooltip("density:Q", format=".3g"), alt.Tooltip("left:Q"), alt.Tooltip("right:Q")]
    gaps = (
        at.transform_filter("!datum.spike")
        .mark_rect(color=colour, opacity=0.3)
        .encode(x=x, x2="right", y=y, y2="_floor:Q", tooltip=tips)
    )
    spikes = (
        at.transform_filter("datum.spike")
        .mark_rect(color=colour, opacity=0.75, stroke=colour, strokeWidth=1.5, clip=True)
        .encode(x=x, x2="right", y=y, y2="_floor:Q", tooltip=tips)
    )
    honest = (
        alt.Chart(parts.data(parts.rows(smooth)))
        .mark_line(strokeWidth=2.4, interpolate="step")
        .encode(x=alt.X("x:Q"), y=y, **looks)
    )
    bound = (
        alt.Chart().mark_rule(color=INK, strokeDash=[3, 3], opacity=0.6).encode(y=alt.datum(1.0))
    )
    here = (
        alt.Chart()
        .mark_point(shape="triangle-up", filled=True, size=90, color=INK, opacity=1, yOffset=-6)
        .encode(x=alt.datum(float(target)), y=alt.value("height"))
    )
    return alt.layer(gaps, spikes, bound, honest, here)


def _spike_words(sweep: pl.DataFrame, names: list[str], steps: list[int]) -> str:
    said = []
    for name in names:
        rows = sweep.filter(player=name).sort("exponent")
        first, last = rows.row(0, named=True), rows.row(-1, named=True)
        said.append(
            f"{name}: NLPD {number(first['NLPD'])} and {number(last['NLPD'])}, "
            f"CRPS {number(first['CRPS'])} and {number(last['CRPS'])}"
        )
    return (
        f"Densities around one target, honest ones and spikes on every pixel, whose width a slider halves. With "
        f"{steps[0]} and with {steps[-1]} halvings of a pixel: {'; '.join(said)}."
    )


def loss_panels(sweep: pl.DataFrame, titles: Mapping[str, str]) -> Any:
    """A panel for each loss: the mean loss of every player against the width of the spikes.

    Args:
        sweep: player (at most 6), width, and a column for each loss.
        titles: what to call each loss, by its column.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(sweep, ("player", "width", *titles), "losses")
    names, panels = list(dict.fromkeys(sweep["player"])), list(titles.values())
    table = sweep.unpivot(
        list(titles), index=["player", "width"], variable_name="loss", value_name="mean"
    ).with_columns(pl.col("loss").replace(dict(titles)))
    widths = sweep["width"].unique().sort().to_list()
    x = alt.X(
        "width:Q",
        title="width of the spikes, pixels (log scale)",
        axis=alt.Axis(
            grid=False,
            values=[2.0**-k for k in (1, 5, 10, 15) if 2.0**-k >= widths[0]],
            labelExpr="'1/' + format(1 / datum.value, ',d')",
        ),
        scale=alt.Scale(type="log", base=2, domain=[widths[-1], widths[0]], nice=False),
    )
    y = alt.Y(
        "mean:Q",
        title=None,
        scale=alt.Scale(zero=False, nice=True, padding=6),
        axis=alt.Axis(tickCount=4),
    )
    legend = alt.Legend(title=None, columns=2, symbolSize=220, symbolType="stroke")
    base = alt.Chart().encode(
        x=x,
        y=y,
        color=alt.Color(
            "player:N",
            sort=names,
            legend=legend,
            scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
        ),
    )
    dash = alt.StrokeDash(
        "player:N",
        sort=names,
        legend=legend,
        scale=alt.Scale(
            domain=names, range=[list(one) for one in live_legend.PATTERNS[: len(names)]]
        ),
    )
    layers = alt.layer(
        base.mark_line(strokeWidth=2.2).encode(
            strokeDash=dash,
            tooltip=[
                alt.Tooltip("player:N"),
                alt.Tooltip("width:Q", format=".2g"),
                alt.Tooltip("mean:Q", format=".3f"),
            ],
        ),
        data=parts.data(parts.rows(table)),
    ).properties(width=280, height=150)
    chart = parts.panels(layers, "loss", panels, 2, 22).resolve_scale(y="independent")
    return parts.finish(
        chart,
        _panel_words(sweep, names, titles),
        "four losses and spikes",
        layout={"count": len(panels)} | _LAYOUT,
    )


def _panel_words(sweep: pl.DataFrame, names: list[str], titles: Mapping[str, str]) -> str:
    width = pl.col("width")
    ends = [sweep.filter(width == end) for end in (width.max(), width.min())]
    said = []
    for column, title in titles.items():
        each = [
            f"{name} {' to '.join(number(end.filter(player=name)[column][0]) for end in ends)}"
            for name in names
        ]
        said.append(f"{title}: {', '.join(each)}")
    return (
        f"Mean losses of {listed(names)} while spikes narrow from {number(ends[0]['width'][0])} to "
        f"{number(ends[1]['width'][0])} pixels. {'; '.join(said)}."
    )
