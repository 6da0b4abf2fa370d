"""Stopping criteria on recorded curves: where each stops while one drags alpha, and what slower ones buy."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted, number

_NOW = "datum.network === network && datum.alpha === alpha"
_NAMES = {"GL": "GL_α", "PQ": "PQ_α", "UP": "UP_s, s = α rounded up", "P": "P < 0.1 ‰"}
_CEILING = 1.25
_CROSS: dict[str, Any] = {
    "shape": "cross",
    "filled": True,
    "size": 110,
    "angle": 45,
    "color": "currentColor",
}
_SIZES = (520, 260, 110, 34)
_PLACES = {"first": 10, "line": 19, "curve": 112}


def stopping_traces(curves: pl.DataFrame, bets: pl.DataFrame, alpha: float = 5.0) -> Any:
    """Validation and test error of a network over the epochs, and where four criteria stop it; a slider sets alpha.

    Rules stand where training stops, marks on the test curve at the state that is kept; a cross is the least test
    error. Buttons choose the network.

    Args:
        curves: network, epoch, validation, test; a line for each strip.
        bets: network, alpha (equally spaced), criterion (GL, PQ, UP or P), rule, stop, met, kept, test, extra; a line
            for each criterion at each alpha.
        alpha: where the slider stands at first.

    Raises:
        FaultyInput: an alpha that is not in it.
    """
    alphas = bets["alpha"].unique().sort().to_list()
    networks = parts.names(curves, "network")
    found = [name for name in _NAMES if name in set(bets["criterion"])]
    return parts.finish(
        alt.layer(alt.layer(*_curves(curves), *_marks(bets, found)), *_says(bets, curves, found))
        .resolve_scale(y="independent")
        .add_params(
            parts.buttons("network", networks, "network"),
            parts.slider("alpha", alpha, alphas, "α"),
        ),
        _trace_words(curves, bets, networks, alpha),
        "early stopping",
        height=400,
    )


def _x() -> alt.X:
    return alt.X(
        "epoch:Q",
        title="epoch (log scale)",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(grid=False, format="~s", tickCount=6),
    )


def _y(field: str) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        title="squared error percentage",
        scale=alt.Scale(zero=False, nice=False),
        axis=alt.Axis(tickCount=6, grid=False),
    )


def _curves(curves: pl.DataFrame) -> list[alt.Chart]:
    """Both curves up to a ceiling, so that a wild start or a steep end does not flatten the rest; and room above."""
    kinds = ["validation", "test"]
    ends = curves.group_by("network", maintain_order=True).agg(
        bottom=pl.min_horizontal(*kinds).min(),
        top=pl.max_horizontal(pl.col(kind).min() for kind in kinds),
    )
    ends = ends.with_columns(
        ceiling=pl.col("top")
        + _CEILING * (pl.col("top") - pl.col("bottom")).clip(0.12 * pl.col("top"))
    )
    table = (
        curves.join(ends, on="network", maintain_order="left")
        .unpivot(
            kinds, index=["network", "epoch", "ceiling"], variable_name="cases", value_name="error"
        )
        .with_columns(error=pl.when(pl.col("error") <= pl.col("ceiling")).then("error"))
        .drop("ceiling")
    )
    lines = (
        alt.Chart(parts.data(parts.rows(table)))
        .transform_filter("datum.network === network")
        .mark_line(color="currentColor", opacity=0.75, strokeWidth=1.6, clip=True)
        .encode(
            x=_x(),
            y=_y("error"),
            strokeDash=alt.StrokeDash(
                "cases:N",
                title=None,
                sort=kinds,
                scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 3]]),
                legend=alt.Legend(symbolSize=300, symbolType="stroke"),
            ),
            tooltip=[
                alt.Tooltip("cases:N"),
                alt.Tooltip("epoch:Q"),
                alt.Tooltip("error:Q", format=".2f"),
            ],
        )
    )
    span = pl.col("ceiling") - pl.col("bottom")
    room = pl.concat(
        [
            ends.select("network", _room=end)
            for end in (pl.col("ceiling") + 0.75 * span, pl.col("bottom") - 0.06 * span)
        ]
    )
    above = (
        alt.Chart(parts.data(parts.rows(room)))
        .transform_filter("datum.network === network")
        .mark_point(opacity=0)
        .encode(y=_y("_room"))
    )
    best = (
        alt.Chart(parts.data(parts.rows(_least(curves))))
        .transform_filter("datum.network === network")
        .mark_point(**_CROSS)
        .encode(
            x=_x(),
            y=_y("test"),
            tooltip=[
                alt.Tooltip("epoch:Q"),
                alt.Tooltip("test:Q", title="least test error", format=".2f"),
            ],
        )
    )
    return [above, lines, best]


def _looks(found: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    order = list(_NAMES)
    looks = [
        alt.Scale(domain=list(found), range=[one[order.index(name)] for name in found])
        for one in (COLOURS, SHAPES)
    ]
    return alt.Color("criterion:N", scale=looks[0], legend=None), alt.Shape(
        "criterion:N", scale=looks[1], legend=None
    )


def _marks(bets: pl.DataFrame, found: Sequence[str]) -> list[alt.Chart]:
    colour, shape = _looks(found)
    tips = [
        alt.Tooltip("rule:N"),
        alt.Tooltip("stop:Q", title="stops at epoch"),
        alt.Tooltip("kept:Q", title="keeps epoch"),
        alt.Tooltip("test:Q", title="test error kept", format=".2f"),
        alt.Tooltip("extra:Q", title="above the least, %", format=".1f"),
    ]
    base = alt.Chart(parts.data(parts.rows(bets))).transform_filter(_NOW)
    stops = (
        base.transform_filter("datum.met")
        .mark_rule(strokeWidth=2, strokeDash=[2, 3], opacity=0.9)
        .encode(
            x=alt.X("stop:Q"),
            color=colour,
            y=alt.value(_PLACES["curve"]),
            y2=alt.value("height"),
            tooltip=tips,
        )
    )
    # Criteria often keep the same state: marks of falling size let all of them be seen.
    size = alt.Size(
        "criterion:O",
        legend=None,
        scale=alt.Scale(domain=list(found), range=list(_SIZES[: len(found)])),
    )
    kept = base.mark_point(filled=True, opacity=1).encode(
        x=alt.X("kept:Q"), y=_y("test"), color=colour, shape=shape, size=size, tooltip=tips
    )
    return [stops, kept]


def _says(bets: pl.DataFrame, curves: pl.DataFrame, found: Sequence[str]) -> list[alt.Chart]:
    """What each criterion does, in words above the curves."""
    colour, shape = _looks(found)
    base = (
        alt.Chart(parts.data(parts.rows(bets)))
        .transform_filter(_NOW)
        .transform_calculate(
            _line=f"{_PLACES['first']} + {_PLACES['line']} * indexof({list(found)!r}, datum.criterion)",
            _text="datum.rule + (datum.met ? ' stops at ' + datum.stop : ' not met') + "
            "', keeps ' + datum.kept + ': ' + format(datum.test, '.3r') + "
            "' (+' + format(datum.extra, '.1f') + ' %)'",
        )
    )
    y = alt.Y("_line:Q", axis=None, scale=alt.Scale(domain=[400, 0], nice=False, zero=False))
    least = _least(curves).with_columns(
        _line=pl.lit(_PLACES["first"] + _PLACES["line"] * len(found))
    )
    below = (
        alt.Chart(parts.data(parts.rows(least)))
        .transform_filter("datum.network === network")
        .transform_calculate(
            _text="'least test error ' + format(datum.test, '.3r') + ' at ' + datum.epoch"
        )
    )
    words = [
        one.mark_text(align="left", baseline="middle", fontSize=12).encode(
            x=alt.value(26), y=y, text="_text:N"
        )
        for one in (base, below)
    ]
    return [
        *words,
        base.mark_point(filled=True, size=80).encode(
            x=alt.value(14), y=y, color=colour, shape=shape
        ),
        below.mark_point(**_CROSS).encode(x=alt.value(14), y=y),
    ]


def _least(curves: pl.DataFrame) -> pl.DataFrame:
    """The line of the least test error of each network, the first of them when there are several."""
    return curves.filter(pl.col("test") == pl.col("test").min().over("network")).unique(
        "network", keep="first", maintain_order=True
    )


def _trace_words(
    curves: pl.DataFrame, bets: pl.DataFrame, networks: Sequence[str], alpha: float
) -> str:
    said = []
    for network in networks:
        least = curves.filter(network=network).sort("test", maintain_order=True).row(0, named=True)
        here = [
            f"{line['rule']} "
            + (f"stops at {line['stop']}" if line["met"] else "is not met")
            + f" and keeps {line['kept']}, {line['extra']:.1f} % above it"
            for line in bets.filter(network=network, alpha=alpha).iter_rows(named=True)
        ]
        said.append(
            f"{network}: the least test error is {number(least['test'])} at epoch {least['epoch']}; "
            f"{'; '.join(here)}"
        )
    return (
        f"Validation and test error over the epochs of {counted(len(networks), 'network')}, chosen by buttons, "
        f"with a slider for alpha. With alpha {alpha:g}: {'. '.join(said)}."
    )


_STATES = {"extra": "best state kept", "extra_at_stop": "state at the stop"}


def stopping_tradeoff(means: pl.DataFrame, families: pl.DataFrame) -> Any:
    """Mean extra test error against mean epochs: a line for each family of criteria, a mark for each parameter.

    Full lines are for the state of least validation error, dashed ones for the state when training stopped.

    Args:
        means: rule, epochs, extra, extra_at_stop (per cent, above 0).
        families: rule, family and parameter (its text) of the rules to draw, in the order in which they are joined;
            a family of one rule is a single mark.

    Raises:
        FaultyInput: more families than can be distinguished.
    """
    names = parts.names(families, "family")
    if len(names) > len(COLOURS):
        raise FaultyInput(
            "chart data",
            [Fault("families", f"{len(names)}", f"{len(COLOURS)} can be distinguished")],
        )
    table = families.join(means, on="rule", how="inner", maintain_order="left").with_columns(
        _order=pl.int_range(pl.len()).over("family")
    )
    long = table.unpivot(
        list(_STATES),
        index=["rule", "family", "parameter", "epochs", "_order"],
        variable_name="state",
        value_name="above",
    ).with_columns(pl.col("state").replace(_STATES))
    return parts.finish(
        alt.layer(*_tradeoff_layers(long, names)),
        _tradeoff_words(table, names),
        "epochs against test error",
        height=380,
    )


def _tradeoff_layers(long: pl.DataFrame, names: Sequence[str]) -> list[alt.Chart]:
    states = list(_STATES.values())
    x = alt.X(
        "epochs:Q",
        title="epochs spent, mean (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=18),
        axis=alt.Axis(grid=False, format="~s", tickCount=5),
    )
    y = alt.Y(
        "above:Q",
        title="test error above the least reachable, % (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=14),
        axis=alt.Axis(format="~g", tickCount=6),
    )
    legend = alt.Legend(title=None, columns=3, symbolSize=80, symbolType="circle")
    looks = [
        alt.Scale(domain=list(names), range=list(one[: len(names)])) for one in (COLOURS, SHAPES)
    ]
    base = alt.Chart(parts.data(parts.rows(long))).encode(
        x=x, y=y, color=alt.Color("family:N", sort=list(names), scale=looks[0], legend=legend)
    )
    lines = base.mark_line(strokeWidth=1.5, opacity=0.8).encode(
        order="_order:Q",
        strokeDash=alt.StrokeDash(
            "state:N",
            title=None,
            sort=states,
            scale=alt.Scale(domain=states, range=[[1, 0], [5, 3]]),
            legend=alt.Legend(symbolSize=300, symbolType="stroke", columns=2, orient="bottom"),
        ),
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        shape=alt.Shape("family:N", sort=list(names), scale=looks[1], legend=legend),
        tooltip=[
            alt.Tooltip("rule:N"),
            alt.Tooltip("state:N"),
            alt.Tooltip("epochs:Q", format=".0f"),
            alt.Tooltip("above:Q", title="above the least, %", format=".1f"),
        ],
    )
    # Two families meet in a point: the numbers of one stand below it.
    labels = [
        alt.Chart(parts.data(parts.rows(long)))
        .transform_filter(f"datum.state === '{states[1]}' && {place}test(/^UP/, datum.family)")
        .mark_text(dy=dy, fontSize=10, color=INK)
        .encode(x=x, y=y, text="parameter:N")
        for place, dy in (("!", -10), ("", 13))
    ]
    return [lines, points, *labels]


def _tradeoff_words(table: pl.DataFrame, names: Sequence[str]) -> str:
    said = []
    for name in names:
        here = table.filter(family=name).sort("epochs")
        ends = [
            f"{line['rule']} {line['epochs']:.0f} epochs, {number(line['extra'])} % with the best state kept, "
            f"{number(line['extra_at_stop'])} % at the stop"
            for line in (here.row(0, named=True), here.row(-1, named=True))
        ][: min(here.height, 2)]
        said.append("; ".join(ends))
    return (
        "Mean test error above the least reachable, in per cent, against the mean number of epochs, for families "
        f"of stopping criteria, with the best state kept and with the state at the stop. {'. '.join(said)}."
    )
