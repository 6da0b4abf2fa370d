"""Expected utilities with their intervals, line by line, and the truth where it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.words import counted

if TYPE_CHECKING:
    from altair.typing import ChartType

    from benchbook.assess.densities import Distribution


def utility_row(
    utility: Distribution, panel: str, row: str, model: str, truth: float | None = None, **more: Any
) -> dict[str, Any]:
    """A line of the table that ``utilities_chart`` draws: a distribution's estimate and its 90 % interval.

    Args:
        utility: the distribution of an expected utility.
        panel, row, model: where it stands, and its colour.
        truth: where it is known.
        more: further columns.
    """
    low, high = utility.interval()
    return {
        **more,
        "panel": panel,
        "row": row,
        "model": model,
        "estimate": utility.estimate,
        "low": low,
        "high": high,
        "truth": truth,
    }


def utilities_chart(
    table: pl.DataFrame,
    title: str,
    name: str,
    *,
    reference: float | None = None,
    fmt: str = ".3g",
    columns: int = 2,
) -> ChartType:
    """A panel for each set, a line for each procedure, an interval and its middle for each model.

    Args:
        table: ``panel``, ``row``, ``model``, ``estimate``, ``low``, ``high``, and ``truth`` (null where not known), in
            the order of the drawing; the ends of an interval may be null.
        title: of the axis, with the unit.
        name: of the files saved.
        reference: a dashed rule through all panels.
        fmt: of the numbers.
        columns: panels side by side.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(
        table, ("panel", "row", "model", "estimate", "low", "high", "truth"), "expected utilities"
    )
    panels, rows, models = (list(dict.fromkeys(table[key])) for key in ("panel", "row", "model"))
    numbers = [
        value
        for key in ("estimate", "low", "high", "truth")
        for value in table[key]
        if value is not None
    ]
    numbers += [] if reference is None else [reference]
    pad = 0.04 * (max(numbers) - min(numbers)) or 1.0
    y = alt.Y(
        "row:N",
        title=None,
        sort=rows,
        axis=alt.Axis(grid=False, domain=False, ticks=False, labelLimit=170),
    )
    shift = alt.YOffset("model:N", sort=models)
    looks = parts.looks("model", models, title=None)
    bars = (
        alt.Chart()
        .transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2, opacity=0.5)
        .encode(x=alt.X("low:Q"), x2="high:Q", y=y, yOffset=shift, color=looks["color"])
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=50, opacity=1)
        .encode(
            x=alt.X(
                "estimate:Q",
                title=title,
                axis=alt.Axis(tickCount=5, format=fmt),
                scale=alt.Scale(
                    domain=[min(numbers) - pad, max(numbers) + pad], nice=False, zero=False
                ),
            ),
            y=y,
            yOffset=shift,
            tooltip=[
                alt.Tooltip("panel:N"),
                alt.Tooltip("row:N"),
                alt.Tooltip("model:N"),
                *(
                    alt.Tooltip(f"{key}:Q", format=fmt)
                    for key in ("estimate", "low", "high", "truth")
                ),
            ],
            **looks,
        )
    )
    ticks = (
        alt.Chart()
        .transform_filter("isValid(datum.truth)")
        .mark_tick(color=INK, thickness=2.5, size=13, opacity=1, orient="vertical")
        .encode(x="truth:Q", y=y, yOffset=shift)
    )
    layers = [bars, ticks, dots]
    if reference is not None:
        lines = (
            alt.Chart()
            .transform_filter("datum.first")
            .mark_rule(strokeDash=[4, 3], color=INK, opacity=0.7)
        )
        layers.insert(0, lines.encode(x=alt.datum(reference)))
    drawn = table.with_columns(first=pl.int_range(pl.len()).over("panel") == 0)
    chart = alt.layer(*layers, data=parts.data(parts.rows(drawn))).properties(
        width=230, height=max(60, (8 + 14 * len(models)) * len(rows))
    )
    chart = parts.panels(chart, "panel", panels, columns, {"column": 24, "row": 18})
    layout = {"count": len(panels), "least": 170, "most": 300, "gap": 24, "margin": 180}
    return parts.finish(chart, _words(table, panels, title, fmt), name, layout=layout)


def _words(table: pl.DataFrame, panels: list[str], title: str, fmt: str) -> str:
    lines = parts.told(table, "panel", panels, lambda row: _line(row, fmt))
    known = " and the truth" if table["truth"].is_not_null().any() else ""
    return f"{title[:1].upper()}{title[1:]}, with 90 % intervals{known}. {lines}."


def _line(row: dict[str, Any], fmt: str) -> str:
    interval = "" if row["low"] is None else f" ({row['low']:{fmt}} to {row['high']:{fmt}})"
    truth = "" if row["truth"] is None else f", truth {row['truth']:{fmt}}"
    return f"{row['row']}, {row['model']}: {row['estimate']:{fmt}}{interval}{truth}"


MOST = 2000
_KINDS = ("trusted", "not trusted", "not fitted")


def k_hat_chart(frame: pl.DataFrame, threshold: float) -> ChartType:
    """k-hat of every case against its number, the threshold a rule; what cannot be trusted has another shape.

    Of more than 2,000 cases those of the largest k-hat are drawn.

    Args:
        frame: ``case``, ``k_hat``, ``effective_draws``, ``reliable``, as ``Loo.frame`` gives it.
        threshold: below it, weights are good.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(frame, ("case", "k_hat", "effective_draws", "reliable"), "leave-one-out")
    shown = (
        frame.with_columns(place=pl.int_range(pl.len()))
        .sort("k_hat", descending=True)
        .head(MOST)
        .sort("place")
    )
    finite = shown["k_hat"].is_finite()
    table = shown.select(
        "case",
        "effective_draws",
        "place",
        k=pl.when(finite).then("k_hat").otherwise(0.0),
        kind=pl.when(~finite)
        .then(pl.lit(_KINDS[2]))
        .when("reliable")
        .then(pl.lit(_KINDS[0]))
        .otherwise(pl.lit(_KINDS[1])),
    )
    low, high = (
        min(-0.2, float(str(table["k"].min()))),
        max(1.05, 1.06 * float(str(table["k"].max()))),
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=40, opacity=0.9)
        .encode(
            x=alt.X("place:Q", title="case", scale=alt.Scale(domain=[-1, len(frame)], nice=False)),
            y=alt.Y("k:Q", title="k-hat", scale=alt.Scale(domain=[low, high], nice=False)),
            tooltip=[
                alt.Tooltip("case:N"),
                alt.Tooltip("k:Q", title="k-hat", format=".2f"),
                alt.Tooltip("effective_draws:Q", title="effective draws", format=".0f"),
            ],
            **parts.looks(
                "kind",
                _KINDS,
                colours=[COLOURS[0], COLOURS[1], COLOURS[5]],
                shapes=[SHAPES[0], SHAPES[2], SHAPES[4]],
                title=None,
            ),
        )
    )
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(threshold))
    return parts.finish(
        alt.layer(rule, dots, data=parts.data(parts.rows(table))),
        _left_out_words(frame, threshold),
        "k-hat of every case",
        height=240,
    )


def _left_out_words(frame: pl.DataFrame, threshold: float) -> str:
    fitted = frame.filter(pl.col("k_hat").is_finite()).sort("k_hat", descending=True)
    worst = (
        "none could be fitted"
        if fitted.is_empty()
        else (f"the largest is {fitted['k_hat'][0]:.2f}, of case {fitted['case'][0]}")
    )
    bad = int((~frame["reliable"]).sum())
    return (
        f"k-hat of {counted(len(frame), 'case')}: {worst}. {len(frame) - bad} can be trusted (below "
        f"{threshold:.2f} or of equal weights), {bad} cannot."
    )
