"""Are predictions calibrated? PIT histograms with a factor, coverage of methods, reliability diagrams."""

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, listed, number
from benchbook_book.pages.charts import live_legend

_NOW = "abs(datum.factor - factor) < 1e-6"
_TALLEST = 2.6
_LAYOUT = {"least": 150, "most": 330, "gap": 18, "margin": 60}


def pit_panels(bars: pl.DataFrame, facts: pl.DataFrame, factor: float = 1.0) -> Any:
    """A PIT histogram for each forecaster with the band of calibrated ones; a slider multiplies all stated spreads.

    Args:
        bars: forecaster, factor (equally spaced on a log2 scale), low, high, density, cases, simultaneous_low and
            simultaneous_high (counts).
        facts: forecaster, factor, coverage, width, NLPD, CRPS.
        factor: where the slider stands first.

    Raises:
        FaultyInput: a factor that is not in it.
    """
    factors, names = (
        facts["factor"].unique().sort().to_list(),
        parts.names(facts, "forecaster"),
    )
    scale = pl.col("density") / pl.col("cases").clip(1)
    unit = pl.when(pl.col("cases") > 0).then(scale).max()
    table = (
        bars.with_columns(
            band_low=pl.col("simultaneous_low") * unit, band_high=pl.col("simultaneous_high") * unit
        )
        .select("forecaster", "factor", "low", "high", "density", "band_low", "band_high")
        .with_columns(
            _row=pl.lit("bar"),
            outside=(pl.col("density") < pl.col("band_low"))
            | (pl.col("density") > pl.col("band_high")),
        )
    )
    both = pl.concat([table, facts.with_columns(_row=pl.lit("fact"))], how="diagonal")
    x = alt.X(
        "low:Q",
        title="PIT",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(grid=False, values=[0, 0.5, 1]),
    )
    here = alt.Chart().transform_filter(_NOW)
    bar = here.transform_filter("datum._row === 'bar'")
    drawn = (
        bar.transform_calculate(_zero="0")
        .mark_rect(clip=True, stroke=INK, strokeWidth=0.4)
        .encode(
            x=x,
            x2="high",
            y=alt.Y(
                "density:Q",
                title="density",
                scale=alt.Scale(domain=[0, _TALLEST], nice=False),
                axis=alt.Axis(grid=False, values=[0, 1, 2], format="d"),
            ),
            y2="_zero:Q",
            tooltip=[
                alt.Tooltip("low:Q", title="from"),
                alt.Tooltip("high:Q", title="to"),
                alt.Tooltip("density:Q", format=".2f"),
                alt.Tooltip("band_low:Q", format=".2f"),
                alt.Tooltip("band_high:Q", format=".2f"),
            ],
            color=alt.condition("datum.outside", alt.value(COLOURS[1]), alt.value(COLOURS[0])),
            opacity=alt.condition("datum.outside", alt.value(0.85), alt.value(0.5)),
        )
    )
    band = bar.mark_rect(color=INK, opacity=0.16).encode(
        x=x, x2="high", y=alt.Y("band_low:Q"), y2="band_high"
    )
    layers = alt.layer(
        drawn,
        band,
        *_facts(here.transform_filter("datum._row === 'fact'")),
        data=parts.data(parts.rows(both)),
    ).properties(width=250, height=130)
    chart = parts.panels(
        layers, "forecaster", names, 2, {"row": 24, "column": 18}, labelPadding=6
    ).add_params(parts.slider("factor", factor, factors, "all stated spreads ×"))
    return parts.finish(
        chart,
        _pit_words(table, facts, names, factor),
        "PIT histograms",
        layout={"count": len(names)} | _LAYOUT,
    )


def _facts(base: alt.Chart) -> list[alt.Chart]:
    """Two lines of numbers above each histogram."""
    lines = (
        "'90 % intervals: cover ' + format(100 * datum.coverage, '.0f') + ' %, width ' + "
        "format(datum.width, '.2f')",
        "'NLPD ' + format(datum.NLPD, '.2f') + ', CRPS ' + format(datum.CRPS, '.3f')",
    )
    return [
        base.transform_calculate(_text=text)
        .mark_text(align="left", baseline="bottom", fontSize=11)
        .encode(x=alt.value(0), y=alt.value(-20 + 15 * k), text="_text:N")
        for k, text in enumerate(lines)
    ]


def _pit_words(table: pl.DataFrame, facts: pl.DataFrame, names: list[str], factor: float) -> str:
    said = []
    for name in names:
        fact = facts.filter(
            pl.col("forecaster") == name, (pl.col("factor") - factor).abs() < 1e-9
        ).row(0, named=True)
        bars = table.filter(pl.col("forecaster") == name, (pl.col("factor") - factor).abs() < 1e-9)
        said.append(
            f"{name}: {counted(int(bars['outside'].sum()), 'bar')} of {bars.height} outside of the band, 90 % "
            f"intervals cover {100 * fact['coverage']:.0f} %, CRPS {number(fact['CRPS'])}"
        )
    return (
        f"Histograms of PIT values of {counted(len(names), 'forecaster')} with the band of calibrated ones; a "
        f"slider multiplies all stated spreads. At {factor:g}: {'; '.join(said)}."
    )


def coverage_curves(curves: pl.DataFrame) -> Any:
    """Coverage less nominal coverage, a line for each method, with the band of calibrated ones.

    Args:
        curves: method (at most 6), level, share, difference, simultaneous_low, simultaneous_high (shares).
    """
    names = parts.names(curves, "method")
    table = curves.with_columns(
        _low=pl.col("simultaneous_low") - pl.col("level"),
        _high=pl.col("simultaneous_high") - pl.col("level"),
    )
    drawn = [value for name in ("difference", "_low", "_high") for value in table[name].to_list()]
    x = alt.X(
        "level:Q",
        title="nominal coverage of the central interval",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(grid=False, format="%", tickCount=6),
    )
    title = "coverage minus nominal coverage"
    y = alt.Y(
        "difference:Q",
        title=title,
        scale=alt.Scale(domain=[1.1 * min(drawn), 1.1 * max(drawn)], nice=False),
        axis=alt.Axis(format="+.0%", tickCount=6),
    )
    base = alt.Chart(parts.data(parts.rows(table)))
    looks = live_legend.looks(names, "method")
    band = (
        base.transform_filter(f"datum.method === '{names[0]}'")
        .mark_area(color=INK, opacity=0.13)
        .encode(x=x, y=alt.Y("_low:Q", title=title), y2="_high")
    )
    lines = base.mark_line(strokeWidth=2.2).encode(x=x, y=y, **looks)
    marks = base.mark_point(filled=True, size=36, opacity=1).encode(
        x=x,
        y=y,
        color=looks["color"],
        shape=live_legend.shape(names, "method"),
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("level:Q", title="nominal", format=".0%"),
            alt.Tooltip("share:Q", title="kept", format=".1%"),
        ],
    )
    zero = alt.Chart().mark_rule(color=INK, opacity=0.5).encode(y=alt.datum(0))
    ends = base.transform_filter("abs(datum.level - 0.9) < 1e-6")
    text = "datum.method + ': 90 % intervals cover ' + format(100 * datum.share, '.2f') + ' %'"
    return parts.finish(
        alt.layer(
            alt.layer(band, zero, lines, marks), *live_legend.legend(ends, names, "method", text)
        ).resolve_scale(y="independent"),
        _coverage_words(table, names),
        "coverage curves",
        height=260,
    )


def _coverage_words(table: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        rows = table.filter(method=name)
        outside = rows.filter(
            (pl.col("difference") < pl.col("_low")) | (pl.col("difference") > pl.col("_high"))
        ).height
        kept = {row["level"]: row["share"] for row in rows.iter_rows(named=True)}
        near = [min((abs(level - want), level) for level in kept)[1] for want in (0.5, 0.9)]
        told = listed([f"{kept[one]:.1%} in {one:.0%} intervals" for one in near])
        said.append(f"{name}: {told}, outside of the band at {outside} of {rows.height} levels")
    return f"Share of targets within central intervals, less the nominal coverage, with a band. {'; '.join(said)}."


def reliability_panels(diagrams: pl.DataFrame) -> Any:
    """A reliability diagram for each forecaster: the isotonic fit against the stated probability, with a band.

    Args:
        diagrams: forecaster, probability, calibrated, band_low, band_high, cases.
    """
    names = parts.names(diagrams, "forecaster")
    place = pl.int_range(pl.len()).over("forecaster")
    table = diagrams.with_columns(_single=pl.len().over("forecaster") == 1, _first=place == 0)
    x = alt.X(
        "probability:Q",
        title="stated probability",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(grid=False, values=[0, 0.5, 1]),
    )
    y = alt.Y(
        "calibrated:Q",
        title="observed share",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(grid=False, values=[0, 0.5, 1]),
    )
    base = alt.Chart()
    diagonal = (
        base.transform_filter("datum._first")
        .mark_rule(opacity=0.6, strokeDash=[4, 3])
        .encode(x=alt.datum(0), y=alt.datum(0), x2=alt.value("width"), y2=alt.value(0))
    )
    band = base.mark_area(color=INK, opacity=0.16).encode(
        x=x, y=alt.Y("band_low:Q"), y2="band_high"
    )
    fit = base.mark_line(color=COLOURS[0], strokeWidth=2.4, interpolate="linear").encode(x=x, y=y)
    tips = [
        alt.Tooltip("probability:Q", title="stated probability", format=".3f"),
        alt.Tooltip("calibrated:Q", title="observed share", format=".3f"),
    ]
    rug = base.mark_tick(color=INK, opacity=0.35, height=8, thickness=1).encode(
        x=x, y=alt.value("height"), tooltip=tips
    )
    dot = (
        base.transform_filter("datum._single")
        .mark_point(filled=True, size=80, color=COLOURS[0], opacity=1)
        .encode(x=x, y=y, tooltip=tips)
    )
    layers = alt.layer(
        diagonal, band, fit, rug, dot, data=parts.data(parts.rows(table))
    ).properties(width=200, height=180)
    chart = parts.panels(layers, "forecaster", names, 2, 18)
    return parts.finish(
        chart,
        _reliability_words(table, names),
        "reliability diagrams",
        layout={"count": len(names)} | _LAYOUT | {"most": 260},
    )


def _reliability_words(table: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        rows = table.filter(forecaster=name).sort("probability")
        picks = [
            rows.row(round(share * (rows.height - 1)), named=True) for share in (0.1, 0.5, 0.9)
        ]
        picks = picks[:1] if rows.height == 1 else picks
        told = [f"{number(one['probability'])} was {number(one['calibrated'])}" for one in picks]
        said.append(f"{name}: {', '.join(told)}")
    return f"How often events happened against the probability stated, by isotonic regression. {'; '.join(said)}."
