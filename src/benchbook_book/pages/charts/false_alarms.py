"""How often tests cry wolf, how often they see a wolf that is there, and why the first grows with patience."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS
from benchbook.errors import Fault, FaultyInput
from benchbook.words import listed

_RATE = ("test", "rate", "standard_error")
_VARIANCE = ("resamples", "quantity", "simulated", "formula")
_SHARE = alt.Axis(format="~%", tickCount=6)


def alarm_rates(
    rates: pl.DataFrame, *, tests: Sequence[str] | None = None, level: float = 0.05
) -> alt.LayerChart | alt.FacetChart:
    """Share of datasets in which each test finds a difference that is not there, against its number of training sets.

    Args:
        rates: what ``assess.false_alarms`` gives, for methods that are equal.
        tests: which tests, six at most, in the order of their colours; all by default.
        level: what the tests promise, drawn as a line across.

    Raises:
        FaultyInput: a table without lines or columns that are needed, an unknown test, or more than six.
    """
    shown, names = _chosen(rates, (*_RATE, "resamples"), tests)
    ticks = shown["resamples"].unique().sort().to_list()
    x = alt.X(
        "resamples:Q",
        title="training sets that the test uses (log scale)",
        scale=alt.Scale(type="log", domain=[0.9 * ticks[0], 1.15 * ticks[-1]], nice=False),
        axis=alt.Axis(values=ticks, grid=False, labelOverlap="greedy"),
    )
    tips = [alt.Tooltip("resamples:Q", title="training sets")]
    if "training_cases" in shown.columns:
        tips.append(alt.Tooltip("training_cases:Q", title="cases in each"))
    ends = (
        shown.sort("resamples")
        .group_by("test", maintain_order=True)
        .last()
        .filter(pl.col("resamples") < ticks[-1])
    )
    layers = [*_curves(shown, names, x, "datasets with a false alarm", tips), _promise(level)]
    if ends.height:
        halt = alt.Chart(parts.data(parts.rows(ends))).mark_text(
            align="left", baseline="top", dx=-4, dy=6
        )
        layers.append(halt.encode(x=x, y="rate:Q", text=alt.value("no cases left for more")))
    chart = alt.layer(*layers).properties(
        title=_promised(level), width="container", height=360, autosize=parts.FIT
    )
    return parts.finish(chart, _alarm_words(shown, names, level), "false alarms")


def power_curves(
    rates: pl.DataFrame, *, tests: Sequence[str] | None = None, level: float = 0.05
) -> alt.LayerChart | alt.FacetChart:
    """Share of datasets in which each test finds a difference, against how large the difference is.

    At an advantage of zero this is the share of false alarms, beyond it the power.

    Args:
        rates: what ``assess.false_alarms`` gives, with a column ``advantage``; one line a test and advantage.
        tests: which tests, six at most, in the order of their colours; all by default.
        level: what the tests promise for an advantage of zero.

    Raises:
        FaultyInput: a table without lines or columns that are needed, an unknown test, or more than six.
    """
    shown, names = _chosen(rates, (*_RATE, "advantage"), tests)
    layers = [
        *_curves(
            shown,
            names,
            alt.X(
                "advantage:Q",
                title="advantage δ of the better method",
                axis=alt.Axis(grid=False, tickCount=6),
                scale=alt.Scale(nice=False, padding=8),
            ),
            "datasets with a difference found",
            [alt.Tooltip("advantage:Q", title="advantage δ")],
        ),
        _promise(level),
    ]
    chart = alt.layer(*layers).properties(
        title=_promised(level), width="container", height=320, autosize=parts.FIT
    )
    return parts.finish(chart, _power_words(shown, names), "power of tests")


def believed_variance(variances: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """The variance of a mean over overlapping training sets, and what a t test takes it to be.

    Args:
        variances: resamples, quantity (what the variance is, two of them), simulated (drawn as marks) and formula
            (drawn as lines), both as multiples of the variance of a single difference.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(variances, _VARIANCE, "variances")
    names = list(dict.fromkeys(variances["quantity"]))
    ticks = variances["resamples"].unique().sort().to_list()
    data = parts.data(parts.rows(variances))
    x = alt.X(
        "resamples:Q",
        title="resamples averaged (log scale)",
        axis=alt.Axis(values=ticks, grid=False),
        scale=alt.Scale(type="log", domain=[0.9 * ticks[0], 1.15 * ticks[-1]], nice=False),
    )
    colour, shape = _looks(names, "quantity", 1)
    y = "variance, one difference having 1"
    line = (
        alt.Chart(data)
        .mark_line(strokeWidth=1.5, interpolate="monotone")
        .encode(x=x, y=alt.Y("formula:Q", title=y), color=colour)
    )
    dots = (
        alt.Chart(data)
        .mark_point(size=70, filled=True, opacity=1)
        .encode(
            x=x,
            y=alt.Y("simulated:Q", title=y, scale=alt.Scale(domainMin=0)),
            color=colour,
            shape=shape,
            tooltip=[
                alt.Tooltip("quantity:N"),
                alt.Tooltip("resamples:Q", title="resamples"),
                alt.Tooltip("simulated:Q", format=".3f"),
                alt.Tooltip("formula:Q", format=".3f"),
            ],
        )
    )
    return parts.finish(
        alt.layer(line, dots),
        _variance_words(variances, names),
        "variance of a mean difference",
        height=260,
    )


def _chosen(
    rates: pl.DataFrame, columns: Sequence[str], tests: Sequence[str] | None
) -> tuple[pl.DataFrame, list[str]]:
    """The lines of the tests to draw, and their names in order."""
    parts.need(rates, columns, "rates")
    result = list(dict.fromkeys(rates["test"]))
    names = list(tests) if tests is not None else result
    faults = [
        Fault("tests", repr(name), f"it is one of {', '.join(result)}")
        for name in names
        if name not in result
    ]
    if len(names) > len(COLOURS):
        rule = f"{len(COLOURS)} can be distinguished: choose with tests=..."
        faults.append(Fault("tests", f"{len(names)} of them", rule))
    if faults:
        raise FaultyInput("chart data", faults)
    return rates.filter(pl.col("test").is_in(names)), names


def _looks(names: Sequence[str], column: str, across: int) -> tuple[alt.Color, alt.Shape]:
    """Colour and shape that say the same, with a legend so many columns wide that a telephone can show it."""
    looks = parts.looks(
        column,
        names,
        legend=alt.Legend(title=None, columns=across, symbolType="stroke", labelLimit=260),
    )
    return looks["color"], looks["shape"]


def _curves(
    shown: pl.DataFrame, names: Sequence[str], x: alt.X, title: str, tips: list[alt.Tooltip]
) -> list[alt.Chart]:
    """Lines with their marks, and a bar of one standard error up and down."""
    low, high = (
        (pl.col("rate") - pl.col("standard_error")).clip(0.0),
        pl.col("rate") + pl.col("standard_error"),
    )
    says = pl.format(
        "{} % ± {}", (100.0 * pl.col("rate")).round(1), (100.0 * pl.col("standard_error")).round(1)
    )
    data = parts.data(parts.rows(shown.with_columns(_low=low, _high=high, _says=says)))
    colour, shape = _looks(names, "test", 2)
    y = alt.Y("rate:Q", title=title, axis=_SHARE, scale=alt.Scale(domainMin=0))
    base = alt.Chart(data)
    every = [alt.Tooltip("test:N"), *tips, alt.Tooltip("_says:N", title="rate ± standard error")]
    return [
        base.mark_line().encode(x=x, y=y, color=colour),
        base.mark_rule(strokeWidth=1.5).encode(
            x=x, y=alt.Y("_low:Q", title=title), y2="_high:Q", color=colour
        ),
        base.mark_point(size=70, filled=True, opacity=1).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=every
        ),
    ]


def _promise(level: float) -> alt.Chart:
    """A line across at the level."""
    base = alt.Chart(parts.data([{"_level": level}])).encode(y="_level:Q")
    return base.mark_rule(strokeDash=[4, 3], opacity=0.8)


def _promised(level: float) -> alt.TitleParams:
    """What the line is, above the plot: beside it there is no place that no test's line may cross."""
    return alt.TitleParams(
        f"Dashes: {100.0 * level:g} % is what the tests promise", fontSize=11, fontWeight="normal"
    )


def _alarm_words(shown: pl.DataFrame, names: Sequence[str], level: float) -> str:
    sentences = []
    for name in names:
        lines = shown.filter(test=name).sort("resamples").to_dicts()
        first, last = lines[0], lines[-1]
        sentences.append(
            f"{name}: {first['rate']:.1%} with {first['resamples']} training sets"
            + (f", {last['rate']:.1%} with {last['resamples']}" if len(lines) > 1 else "")
        )
    beginning = (
        f"How often {listed(names)} tell equal methods apart at {level:.0%}, by training sets. "
    )
    return beginning + f"{'. '.join(sentences)}."


def _power_words(shown: pl.DataFrame, names: Sequence[str]) -> str:
    sentences = []
    for name in names:
        lines = shown.filter(test=name).sort("advantage").iter_rows(named=True)
        sentences.append(
            f"{name}: "
            + ", ".join(f"{line['rate']:.0%} at {line['advantage']:g}" for line in lines)
        )
    return f"How often {listed(names)} find a difference, against how large it is. {'. '.join(sentences)}."


def _variance_words(variances: pl.DataFrame, names: Sequence[str]) -> str:
    sentences = []
    for name in names:
        lines = variances.filter(quantity=name).sort("resamples").to_dicts()
        sentences.append(
            f"{name}: {lines[0]['simulated']:.2f} with {lines[0]['resamples']} resamples, "
            f"{lines[-1]['simulated']:.3f} with {lines[-1]['resamples']}"
        )
    apart = variances.select((pl.col("simulated") - pl.col("formula")).abs().max()).item()
    sentences.append(f"The lines are formulas, and no simulated mark is more than {apart:.2f} off")
    return f"Variance of a mean of loss differences, that of one being 1, against how many. {'. '.join(sentences)}."
