"""Pictures of a comparison: intervals of differences, differences fold by fold, calibration, and learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl

from benchbook import charts  # noqa: F401  (its theme)
from benchbook.assess import calibration as calibrations
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, colour
from benchbook.comparison.candidates import CONSTANT
from benchbook.errors import BenchbookError, Fault, FaultyInput

if TYPE_CHECKING:
    from benchbook.comparison.result import Comparison

_ROW = 34


@dataclass(frozen=True, repr=False)
class Drawing:
    """A chart with the table that it draws; a notebook shows the chart.

    Attributes:
        table: the numbers. chart: Altair's chart.
    """

    table: pl.DataFrame
    chart: Any

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        return self.chart._repr_mimebundle_(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self.table)


def differences(comparison: Comparison) -> Drawing:
    """The difference of every method to the best, with its interval, and the region that does not matter."""
    code = comparison.codes[0]
    scale, rope = comparison.scales[code], comparison.rope[code]
    rows = [
        row
        for row in comparison.rows()
        if row["difference"] is not None and row["diff_low"] is not None
    ]
    if comparison.severe or not rows:
        raise BenchbookError("no difference has an interval: see the warnings of the comparison")
    columns = ("method", "difference", "diff_low", "diff_high", "verdict")
    table = pl.DataFrame([{name: row[name] for name in columns} for row in rows])
    drawn = table if table.height == 1 else table.filter(pl.col("method") != CONSTANT)
    best = comparison.rows()[0]["method"]
    title = f"worse than {best} by, {scale.unit}" if scale.unit else f"worse than {best} by"
    y = alt.Y("method:N", sort=drawn["method"].to_list(), title=None)
    scaled = drawn.with_columns(pl.col("difference", "diff_low", "diff_high") * scale.factor)
    base = alt.Chart(parts.data(parts.rows(scaled)))
    band = alt.Chart(
        parts.data([{"low": -rope * scale.factor, "high": rope * scale.factor}])
    ).mark_rect(color=INK, opacity=0.1)
    chart = alt.layer(
        band.encode(x=alt.X("low:Q", title=title), x2="high:Q"),
        alt.Chart(parts.data([{"zero": 0}])).mark_rule(color=INK, opacity=0.6).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=2, color=COLOURS[0]).encode(
            x="diff_low:Q", x2="diff_high:Q", y=y
        ),
        base.mark_point(filled=True, size=70, color=COLOURS[0], opacity=1).encode(
            x="difference:Q",
            y=y,
            tooltip=_tooltip("method verdict", "difference diff_low diff_high"),
        ),
    ).properties(width="container", height=_ROW * drawn.height)
    words = "; ".join(
        f"{row['method']} {scale.write(row['difference'])} ({scale.interval(row['diff_low'], row['diff_high'])})"
        for row in rows
    )
    return Drawing(
        table,
        parts.finish(chart, f"Differences to {best} with 95 % intervals: {words}.", "differences"),
    )


def _tooltip(words: str, numbers: str) -> list[alt.Tooltip]:
    return [
        *(alt.Tooltip(f"{name}:N") for name in words.split()),
        *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in numbers.split()),
    ]


def pairs(comparison: Comparison, method: str, other: str, code: str) -> Drawing:
    """The difference of two methods on every test set, a dot each, with the mean and its interval."""
    row = comparison.verdicts.pair(code, method, other)
    wide = (
        comparison.fold_losses.filter(
            pl.col("loss") == code, pl.col("method").is_in([method, other])
        )
        .pivot("method", index=["split", "repeat", "fold"], values="value")
        .with_columns(difference=pl.col(method) - pl.col(other))
    )
    scale = comparison.scales[code]
    unit = f", {scale.unit}" if scale.unit else ""
    title = f"{comparison.loss_info[code].title}: {method} minus {other}{unit}"
    table = wide.with_columns(pl.col("difference") * scale.factor, repeat=pl.col("repeat") + 1)
    x = alt.X("difference:Q", title=title)
    dots = (
        alt.Chart(parts.data(parts.rows(table.select("repeat", "fold", "difference"))))
        .mark_point(filled=True, size=50, color=COLOURS[0], opacity=0.8)
        .encode(x=x, y=alt.Y("repeat:O", title="repeat"), tooltip=_tooltip("", "fold difference"))
    )
    layers = [alt.Chart(parts.data([{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q"), dots]
    words = f"{method} minus {other}: mean difference {scale.write(row['difference'])}"
    if row["low"] is not None:
        ends = {"low": row["low"] * scale.factor, "high": row["high"] * scale.factor}
        band = alt.Chart(parts.data([ends])).mark_rect(color=COLOURS[1], opacity=0.15)
        layers.insert(0, band.encode(x=alt.X("low:Q", title=title), x2="high:Q"))
        words += f", 95 % interval {scale.interval(row['low'], row['high'])}"
    chart = alt.layer(*layers).properties(
        width="container", height=30 + 26 * table["repeat"].n_unique()
    )
    return Drawing(
        wide, parts.finish(chart, f"{words}; one dot a test set.", f"{method} minus {other}")
    )


def calibration(comparison: Comparison) -> Drawing:
    """Stated against observed frequencies: of the positive class, or of targets within central intervals."""
    return _of_classes(comparison) if comparison.data.kind == "class" else _of_numbers(comparison)


def _of_classes(comparison: Comparison) -> Drawing:
    data, fits = comparison.data, comparison.fits
    if data.positive is None:
        raise BenchbookError(
            "calibration is drawn for two classes and for numbers; here are several classes"
        )
    rows = []
    first = comparison.predictions.filter(pl.col("split") < comparison.plan.design.k)
    for name in fits.methods:
        part = first.filter(pl.col("method") == name)
        if name in (CONSTANT, *fits.hard) or part.is_empty():
            continue
        positive = data.y[part["row"].to_numpy()] == data.positive
        curve = calibrations.reliability(
            part[f"p_{data.positive}"].to_numpy(), positive.astype(float)
        )
        rows.append(
            curve.select(
                pl.lit(name).alias("method"),
                stated="probability",
                observed="calibrated",
                cases="cases",
            )
        )
    if not rows:
        raise BenchbookError("no method states probabilities")
    return _curves(pl.concat(rows), "stated probability", "observed frequency", fits.methods)


def _of_numbers(comparison: Comparison) -> Drawing:
    """The share of targets within the central interval of every level, of methods with a predictive distribution."""
    fits, levels = comparison.fits, np.linspace(0.05, 0.95, 19)
    rows = []
    for name, distributions in fits.distributions.items():
        if name == CONSTANT:
            continue
        inside = np.concatenate(
            [
                abs(2.0 * np.asarray(distribution.cdf(comparison.data.y[split.test])) - 1.0)
                for split, distribution in zip(comparison.plan.splits, distributions, strict=True)
            ]
        )
        shares = [(inside <= level).mean() for level in levels]
        rows.append(
            pl.DataFrame(
                {"method": name, "stated": levels, "observed": shares, "cases": len(inside)}
            )
        )
    if not rows:
        raise BenchbookError(
            "no predictive distributions were made: ask for a loss of distributions, losses=['absolute', 'crps']"
        )
    return _curves(pl.concat(rows), "stated coverage", "observed coverage", fits.methods)


def _curves(table: pl.DataFrame, x: str, y: str, order: Sequence[str]) -> Drawing:
    names = [name for name in order if name in set(table["method"])]
    diagonal = alt.Chart(parts.data([{"a": 0, "b": 0}, {"a": 1, "b": 1}])).mark_line(
        color=INK, strokeDash=[4, 3], opacity=0.6
    )
    lines = (
        alt.Chart(parts.data(parts.rows(table)))
        .mark_line(point=True, interpolate="linear")
        .encode(
            x=alt.X("stated:Q", title=x, scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("observed:Q", title=y, scale=alt.Scale(domain=[0, 1])),
            color=_colours(names),
            tooltip=_tooltip("method", "stated observed cases"),
        )
    )
    chart = alt.layer(diagonal.encode(x="a:Q", y="b:Q"), lines).properties(width=320, height=320)
    gaps = table.group_by("method", maintain_order=True).agg(
        gap=((pl.col("stated") - pl.col("observed")).abs() * pl.col("cases")).sum()
        / pl.col("cases").sum()
    )
    words = "; ".join(f"{name} {gap:.3f}" for name, gap in gaps.rows())
    return Drawing(
        table,
        parts.finish(chart, f"{y} against {x}; mean distance from it: {words}.", "calibration"),
    )


def _colours(names: Sequence[str]) -> alt.Color:
    colours = [colour(index) for index in range(len(names))]
    return alt.Color("method:N", title=None, scale=alt.Scale(domain=list(names), range=colours))


def learning(table: pl.DataFrame, title: str, order: Sequence[str]) -> Drawing:
    """Mean losses by training-set size, with the interval of each mean.

    Args:
        table: size, method, mean, low, high. title: of the loss. order: of the methods.
    """
    if table.is_empty():
        raise FaultyInput(
            "learning curve", [Fault("table", "no rows", "a mean for each size and method")]
        )
    names = [name for name in order if name in set(table["method"])]
    sizes = sorted(set(table["size"].to_list()))
    base = alt.Chart(parts.data(parts.rows(table)))
    x = alt.X(
        "size:Q", title="training cases", scale=alt.Scale(type="log"), axis=alt.Axis(values=sizes)
    )
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    chart = alt.layer(
        base.mark_rule(opacity=0.5).encode(
            x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=_colours(names)
        ),
        base.mark_line(point=True).encode(
            x=x, y=y, color=_colours(names), tooltip=_tooltip("method", "size mean low high")
        ),
    ).properties(width="container", height=300)
    last = table.filter(pl.col("size") == sizes[-1]).sort("mean")
    words = f"Mean {title} by training cases ({sizes[0]} to {sizes[-1]}); at {sizes[-1]} {last['method'][0]} is first."
    return Drawing(table, parts.finish(chart, words, "learning curve"))
