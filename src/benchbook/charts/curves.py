"""Curves over the number of training cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import colour, dash, shape
from benchbook.words import counted, listed, loss_label, number, training_cases

if TYPE_CHECKING:
    from altair.typing import ChartType

_HEIGHT = 320


def learning_curve(
    expected: pl.DataFrame,
    *,
    loss: str | None = None,
    methods: Sequence[str] | None = None,
    standardised: bool = True,
    logarithmic: bool = False,
) -> ChartType:
    """Expected loss, plus and minus one standard error, against the number of training cases (doubling scale).

    Args:
        expected: what ``assess.expected_losses`` gives, for the sizes of one prototask.
        loss: the loss's code; may be left out when there is only one.
        methods: which methods, in the order of the legend.
        standardised: draw standardised losses, where the table has them.
        logarithmic: a logarithmic loss axis; only for losses that are all positive.

    Raises:
        FaultyInput: a table of several prototasks or losses, or without what is needed.
    """
    parts.need(expected, ("task", "method", "loss", "mean", "standard_error"), "expected losses")
    code = parts.only_loss(expected, loss, "expected losses")
    expected = expected.filter(pl.col("loss") == code)
    family = parts.only_family(list(dict.fromkeys(expected["task"])), "expected losses")
    names = parts.pick_methods(expected, methods, "expected losses")
    table, has = parts.on_scale(expected.filter(pl.col("method").is_in(names)), standardised)
    size = pl.col("task").map_elements(training_cases, return_dtype=pl.Int64)
    table = table.with_columns(size=size).select(
        "size", "method", value=pl.col("drawn_mean"), standard_error=pl.col("drawn_error")
    )
    label = loss_label(code, has)
    chart = alt.layer(*_curves(table, names, label, logarithmic)).properties(
        title=family, width="container", height=_HEIGHT, autosize=parts.FIT
    )
    return parts.finish(
        chart, _curve_words(table, names, family, label), f"{family} {code} learning curve"
    )


def _curves(table: pl.DataFrame, names: Sequence[str], label: str, logarithmic: bool) -> list[Any]:
    """Bars, lines and points; a series is told by colour, shape and dash, and stands out when chosen in the legend."""
    table, names = _placed(table, names), list(names)
    positive = bool(table.select((pl.col("_low").fill_null(pl.col("value")) >= 0).all()).item())
    chosen = alt.selection_point("chosen", fields=["method"], bind="legend")
    scale = alt.Scale(type="log") if logarithmic else alt.Scale(zero=positive)
    y = alt.Y("value:Q", title=label, scale=scale)
    base = alt.Chart(parts.data(parts.rows(table))).encode(
        x=alt.X(
            "_across:Q",
            title="training cases",
            scale=alt.Scale(type="log", base=2, nice=False, padding=14),
            axis=alt.Axis(
                values=sorted(set(table["size"])), format="d", grid=False, labelOverlap=True
            ),
        ),
        color=alt.Color(
            "method:N",
            sort=None,
            legend=alt.Legend(title=None),
            scale=alt.Scale(domain=names, range=[colour(k) for k in range(len(names))]),
        ),
        opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.12)),
    )
    # In the first layer, whose legend is the one that is drawn; a selection in another would not hear its clicks.
    bars = (
        base.mark_rule(strokeWidth=1.5)
        .encode(y=alt.Y("_low:Q", title=label), y2="_high:Q")
        .add_params(chosen)
    )
    lines = base.mark_line(strokeWidth=2).encode(
        y=y, strokeDash=alt.StrokeDash("_dash:N", scale=None)
    )
    points = base.mark_point(size=70, filled=True).encode(
        y=y,
        shape=alt.Shape(
            "method:N",
            sort=None,
            legend=alt.Legend(title=None),
            scale=alt.Scale(domain=names, range=[shape(k) for k in range(len(names))]),
        ),
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("size:Q", title="training cases"),
            alt.Tooltip("value:Q", title=label, format=".4g"),
            alt.Tooltip("standard_error:Q", title="standard error", format=".2g"),
        ],
    )
    return [bars, lines, points]


def _placed(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Methods stand a little beside each other, so that their error bars can be distinguished."""
    step = 0.05 * min(1.0, 6 / len(names))
    shift = {name: 2.0 ** (step * (k - (len(names) - 1) / 2)) for k, name in enumerate(names)}
    dashes = {name: list(dash(k)) for k, name in enumerate(names)}
    method = pl.col("method")
    return table.filter(pl.col("value").is_finite()).with_columns(
        _across=pl.col("size") * method.replace_strict(shift, return_dtype=pl.Float64),
        _dash=method.replace_strict(dashes, return_dtype=pl.List(pl.Int64)),
        _low=pl.col("value") - pl.col("standard_error"),
        _high=pl.col("value") + pl.col("standard_error"),
    )


def _curve_words(table: pl.DataFrame, names: Sequence[str], family: str, label: str) -> str:
    lines = [
        f"Learning curves of {counted(len(names), 'method')} ({listed(list(names))}) on {family}: {label} against "
        "the number of training cases."
    ]
    for size in sorted(set(table["size"])):
        here = table.filter((pl.col("size") == size) & pl.col("value").is_not_null()).sort("value")
        if here.is_empty():
            continue
        best, worst = here.row(0, named=True), here.row(-1, named=True)
        text = f"{size}: lowest {best['method']} {number(best['value'])}"
        if best["standard_error"] is not None:
            text += f" ± {number(best['standard_error'])}"
        lines.append(
            text
            + (f", highest {worst['method']} {number(worst['value'])}." if here.height > 1 else ".")
        )
    return " ".join(lines)
