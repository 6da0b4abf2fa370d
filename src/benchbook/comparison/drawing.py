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
from benchbook.comparison.candidates import is_baseline
from benchbook.comparison.outcome import Outcome
from benchbook.comparison.scale import Scale
from benchbook.errors import BenchbookError, Fault, FaultyInput

if TYPE_CHECKING:
    from altair.typing import ChartType

_ROW = 34


@dataclass(frozen=True, repr=False)
class Drawing:
    """A chart with the table that it draws; a notebook shows the chart.

    Attributes:
        table: the numbers. chart: Altair's chart.
    """

    table: pl.DataFrame
    chart: ChartType

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        return self.chart._repr_mimebundle_(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self.table)


def differences(comparison: Outcome) -> Drawing:
    """The difference of every method to the best, with its interval, and the region that does not matter."""
    code = comparison.codes[0]
    scale, rope = comparison.scales[code], comparison.rope[code]
    rows = [
        row
        for row in comparison.rows()
        if row["difference"] is not None and np.isfinite(row["difference"])
    ]
    if comparison.withheld or not rows:
        raise BenchbookError("there is no difference to draw: see the warnings of the comparison")
    columns = ("method", "difference", "diff_low", "diff_high", "verdict")
    table = pl.DataFrame([{name: row[name] for name in columns} for row in rows])
    drawn = (
        table
        if table.height == 1
        else table.filter([not is_baseline(name) for name in table["method"]])
    )
    reference = comparison.reference
    title = f"{'lower' if scale.higher else 'worse'} than {reference} by"
    title += f", {scale.unit}" if scale.unit else ""
    chart = _intervals(drawn, " ".join(columns), title, scale, rope)
    words = "; ".join(
        f"{row['method']} {scale.write(row['difference'])} ("
        f"{'no interval' if row['diff_low'] is None else scale.interval(row['diff_low'], row['diff_high'])})"
        for row in rows
    )
    intervals = "" if table["diff_low"].is_null().all() else " with 95 % intervals"
    return Drawing(
        table,
        parts.finish(chart, f"Differences to {reference}{intervals}: {words}.", "differences"),
    )


def _intervals(
    table: pl.DataFrame, names: str, title: str, scale: Scale, rope: float
) -> alt.LayerChart | alt.FacetChart:
    """Differences with their intervals, a line each, over the region that does not matter.

    Args:
        table: what is shown, by the ``names`` of its columns: of a line, its difference, both ends, and more to show.
    """
    by, middle, low, high, *more = names.split()
    scaled = table.with_columns(pl.col(middle, low, high) * scale.factor)
    y = alt.Y(f"{by}:N", sort=table[by].to_list(), title=None)
    base = alt.Chart(parts.data(parts.rows(scaled)))
    known = alt.Chart(parts.data(parts.rows(scaled.drop_nulls(low))))
    limits = {"low": -rope * scale.factor, "high": rope * scale.factor}
    band = alt.Chart(parts.data([limits])).mark_rect(color=INK, opacity=0.1)
    tooltip = _tooltip(" ".join([by, *more]), f"{middle} {low} {high}")
    return alt.layer(
        band.encode(x=alt.X("low:Q", title=title), x2="high:Q"),
        alt.Chart(parts.data([{"zero": 0}])).mark_rule(color=INK, opacity=0.6).encode(x="zero:Q"),
        known.mark_rule(strokeWidth=2, color=COLOURS[0]).encode(x=f"{low}:Q", x2=f"{high}:Q", y=y),
        base.mark_point(filled=True, size=70, color=COLOURS[0], opacity=1).encode(
            x=f"{middle}:Q", y=y, tooltip=tooltip
        ),
    ).properties(width="container", height=_ROW * table.height)


def segments(comparison: Outcome, method: str | None = None) -> Drawing:
    """The difference of a method in each segment, with its interval; over all of them at the top.

    Raises:
        BenchbookError: no segments were asked for, or none has an interval. FaultyInput: no such method.
    """
    code = comparison.codes[0]
    known = comparison.segments.filter(pl.col("loss") == code)
    names = [name for name in known["method"].unique(maintain_order=True) if not is_baseline(name)]
    if not names:
        raise BenchbookError(
            "no segments: compare(..., by='column') asks for the difference in each"
        )
    chosen = method or min(names, key=lambda name: comparison.mean(code, name) or 0.0)
    if chosen not in names:
        fault = Fault("method", repr(chosen), f"one of {', '.join(names)}")
        raise FaultyInput("plot_segments", [fault])
    own = known.filter(pl.col("method") == chosen)
    other, scale = own["other"][0], comparison.scales[code]
    whole = comparison.pair(chosen, other)
    table = own.select(
        "segment", "cases", "difference", "low", "high", "p_holm", "p_missing_reason"
    )
    drawn = table.filter(pl.col("low").is_not_null()).select("segment", "difference", "low", "high")
    if whole["low"] is not None:
        top = {"segment": "all", **{name: whole[name] for name in ("difference", "low", "high")}}
        drawn = pl.concat([pl.DataFrame([top], schema=drawn.schema), drawn])
    if drawn.is_empty():
        raise BenchbookError("no segment has an interval: see .segments")
    title = f"{chosen}: {'lower' if scale.higher else 'worse'} than {other} by"
    title += f", {scale.unit}" if scale.unit else ""
    words = "; ".join(
        f"{row['segment']} {scale.write(row['difference'])} ({scale.interval(row['low'], row['high'])})"
        for row in drawn.iter_rows(named=True)
    )
    chart = _intervals(drawn, "segment difference low high", title, scale, comparison.rope[code])
    return Drawing(
        table, parts.finish(chart, f"{title}, with 95 % intervals: {words}.", "segments")
    )


def _tooltip(words: str, numbers: str) -> list[alt.Tooltip]:
    return [
        *(alt.Tooltip(f"{name}:N") for name in words.split()),
        *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in numbers.split()),
    ]


def pairs(comparison: Outcome, method: str, other: str, code: str) -> Drawing:
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
    minus = f"{other} minus {method}" if scale.higher else f"{method} minus {other}"
    title = f"{comparison.loss_info[code].title}: {minus}{unit}"
    table = wide.with_columns(pl.col("difference") * scale.factor, repeat=pl.col("repeat") + 1)
    x = alt.X("difference:Q", title=title)
    dots = (
        alt.Chart(parts.data(parts.rows(table.select("repeat", "fold", "difference"))))
        .mark_point(filled=True, size=50, color=COLOURS[0], opacity=0.8)
        .encode(x=x, y=alt.Y("repeat:O", title="repeat"), tooltip=_tooltip("", "fold difference"))
    )
    layers = [alt.Chart(parts.data([{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q"), dots]
    words = f"{minus}: mean difference {scale.write(row['difference'])}"
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


def calibration(comparison: Outcome) -> Drawing:
    """Stated against observed frequencies: of the positive class, or of targets within central intervals."""
    if not comparison.plan.splits:
        raise BenchbookError("there are no predictions, of which calibration would be drawn")
    return _of_classes(comparison) if comparison.data.kind == "class" else _of_numbers(comparison)


def _of_classes(comparison: Outcome) -> Drawing:
    data, fits = comparison.data, comparison.fits
    if data.positive is None:
        raise BenchbookError(
            "calibration is drawn for two classes and for numbers; here are several classes"
        )
    rows = []
    first = comparison.predictions.filter(pl.col("split") < comparison.plan.design.k)
    for name in fits.methods:
        part = first.filter(pl.col("method") == name)
        if is_baseline(name) or name in fits.hard or part.is_empty():
            continue
        tested = part["row"].to_numpy()
        curve = calibrations.reliability(
            part[f"p_{data.positive}"].to_numpy(),
            (data.y[tested] == data.positive).astype(float),
            weights=None if data.weights is None else data.weights[tested],
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
    observed = f"observed frequency{_weighted(comparison)}"
    return _curves(pl.concat(rows), "stated probability", observed, fits.methods)


def _weighted(comparison: Outcome) -> str:
    return "" if comparison.data.weights is None else ", weighted"


def _of_numbers(comparison: Outcome) -> Drawing:
    """The share of targets within the central interval of every level, of methods with a predictive distribution."""
    fits, levels = comparison.fits, np.linspace(0.05, 0.95, 19)
    tested = np.concatenate([split.test for split in comparison.plan.splits])
    weights = comparison.data.weights
    weight = np.ones(len(tested)) if weights is None else weights[tested]
    rows = []
    for name, distributions in fits.distributions.items():
        if is_baseline(name):
            continue
        inside = np.concatenate(
            [
                abs(2.0 * np.asarray(distribution.cdf(comparison.data.y[split.test])) - 1.0)
                for split, distribution in zip(comparison.plan.splits, distributions, strict=True)
            ]
        )
        shares = [np.average(inside <= level, weights=weight) for level in levels]
        rows.append(
            pl.DataFrame(
                {"method": name, "stated": levels, "observed": shares, "cases": len(inside)}
            )
        )
    if not rows:
        raise BenchbookError(
            "no predictive distributions were made: ask for a loss of distributions, losses=['absolute', 'crps']"
        )
    observed = f"observed coverage{_weighted(comparison)}"
    return _curves(pl.concat(rows), "stated coverage", observed, fits.methods)


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
            color=by_method(names),
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


def by_method(names: Sequence[str]) -> alt.Color:
    """The colour of a mark by its method, in the order of ``names``."""
    colours = [colour(index) for index in range(len(names))]
    return alt.Color("method:N", title=None, scale=alt.Scale(domain=list(names), range=colours))


def learning(
    table: pl.DataFrame, title: str, order: Sequence[str], higher: bool = False
) -> Drawing:
    """Mean losses by training-set size, with the interval of each mean.

    Args:
        table: size, method, mean, low, high. title: of the loss. order: of the methods. higher: see ``LossInfo``.
    """
    if table.is_empty():
        raise FaultyInput(
            "learning curve", [Fault("table", "no rows", "a mean for each size and method")]
        )
    if higher:
        table = table.with_columns(-pl.col("mean"), low=-pl.col("high"), high=-pl.col("low"))
    names = [name for name in order if name in set(table["method"])]
    sizes = sorted(set(table["size"].to_list()))
    base = alt.Chart(parts.data(parts.rows(table)))
    x = alt.X(
        "size:Q", title="training cases", scale=alt.Scale(type="log"), axis=alt.Axis(values=sizes)
    )
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    chart = alt.layer(
        base.mark_rule(opacity=0.5).encode(
            x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=by_method(names)
        ),
        base.mark_line(point=True).encode(
            x=x, y=y, color=by_method(names), tooltip=_tooltip("method", "size mean low high")
        ),
    ).properties(width="container", height=300)
    last = table.filter(pl.col("size") == sizes[-1]).sort("mean", descending=higher)
    words = f"Mean {title} by training cases ({sizes[0]} to {sizes[-1]}); at {sizes[-1]} {last['method'][0]} is first."
    return Drawing(table, parts.finish(chart, words, "learning curve"))
