"""Rasmussen's figure: a rectangle for each training-set size, a column for each method, and who is better than whom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from benchbook.charts import chosen_pair
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.method_names import in_words
from benchbook.words import counted, listed, loss_label, number, p_value, training_cases

if TYPE_CHECKING:
    from altair.typing import ChartType

_HEIGHT = 190.0
_HEAD = 24.0
_STEP = 16.0
_GAP = 10
_LEGEND = (
    "grid: 100 p, rounded up, where the method of",
    "the column is better than that of the row",
)
_CLICK = "click a cell: its differences are below, a dot an instance"
_RARE = {"?": "?: undefined", "▲": "▲: beyond the axis", "∞": "∞: infinite loss in some case"}


def digit(p: float | None, better: bool) -> str:
    """The mark for "the column's method is better than the row's": 100 p rounded up, "·", or "?" when p is undefined.

    1 means p ≤ 0.01, 9 means 0.08 < p ≤ 0.09; a dot stands for p > 0.09, and wherever the row's method is the better
    one.

    Source: Neal (1998), section 5.4.
    """
    if p is None:
        return "?"
    # 100 * 0.07 is a little more than 7 in binary.
    rounded = max(math.ceil(100.0 * p - 1e-9), 1)
    return str(rounded) if better and rounded <= 9 else "·"


def rasmussen(
    expected: pl.DataFrame,
    comparisons: pl.DataFrame,
    *,
    loss: str | None = None,
    methods: Sequence[str] | None = None,
    standardised: bool = True,
    top: float | None = None,
    means: pl.DataFrame | None = None,
    pair: tuple[str, str] | None = None,
) -> ChartType:
    """Expected losses with their standard errors, and the p values of all pairs, at every training-set size.

    Each rectangle is a task, headed by its number of training cases. In it every method has a column: the horizontal
    line is the expected loss, the vertical one reaches one standard error up and down. Below stands the grid of
    comparisons: a digit in the column of method A and the row of method B says that A is significantly better than B.

    Args:
        expected: what ``assess.expected_losses`` gives, for the sizes of one prototask.
        comparisons: what ``assess.comparisons`` gives for the same.
        loss: the loss's code; may be left out when there is only one.
        methods: which methods, in the order of their columns.
        standardised: draw standardised losses, where the table has them.
        top: upper end of the loss axis; losses beyond are drawn as a triangle at the top. Left out, it is chosen so
            that one very bad method does not press all others flat.
        means: what ``assess.instance_means`` gives for the same; then the differences behind the cell that is clicked
            are drawn below, one dot an instance, with their mean, its standard error and the p value.
        pair: the column and the row of the cell shown first; by default those of the first two methods.

    Raises:
        FaultyInput: tables of several prototasks or losses, or without what is needed.

    Source: Neal (1998), section 5.4, after Rasmussen (1996).
    """
    parts.need(expected, ("task", "method", "loss", "mean", "standard_error"), "expected losses")
    parts.need(
        comparisons,
        ("task", "method", "other", "loss", "difference", "p"),
        "comparisons",
        empty=True,
    )
    code = parts.only_loss(expected, loss, "expected losses")
    expected, comparisons = (
        table.filter(pl.col("loss") == code) for table in (expected, comparisons)
    )
    family = parts.only_family(list(dict.fromkeys(expected["task"])), "expected losses")
    names = parts.pick_methods(expected, methods, "expected losses")
    expected, has = parts.on_scale(expected.filter(pl.col("method").is_in(names)), standardised)
    expected = expected.rename({"drawn_mean": "_mean", "drawn_error": "_error"}).with_columns(
        _size=pl.col("task").map_elements(training_cases, return_dtype=pl.Int64)
    )
    wanted = pl.col("method").is_in(names) & pl.col("other").is_in(names)
    comparisons = comparisons.filter(
        wanted & pl.col("task").is_in(expected["task"].unique().to_list())
    )
    ticks = _ticks(expected, top)
    label = loss_label(code, has)
    lines = _mean_lines(expected, names, ticks) + _test_lines(comparisons, names)
    sizes = sorted({line["training_cases"] for line in lines})
    if means is not None:
        pair = pair or (names[0], names[1])
        lines += chosen_pair.lines(means.filter(pl.col("loss") == code), expected, names, pair, has)
    rows = parts.rows(pl.DataFrame(lines, infer_schema_length=None))
    data = parts.data(
        [{name: value for name, value in row.items() if value is not None} for row in rows]
    )
    chart = _figure(data, names, ticks, sizes, pair if means is not None else None)
    legend = [
        f"{label}: mean ± 1 standard error",
        *_LEGEND,
        *([_CLICK] if means is not None else []),
        *(text for mark, text in _RARE.items() if any(line["mark"] == mark for line in lines)),
    ]
    chart = chart.properties(title=alt.TitleParams(family, subtitle=legend))
    # Two digits beside two digits need 13 pixels a column; the frame of a panel is 6 wider than the panel.
    layout = {
        "count": len(sizes),
        "least": _least(len(names)),
        "most": max(40 * len(names), 110),
        "gap": _GAP + 6,
        "margin": 18 + _label_width(names, means is not None),
    }
    words = _words(expected, comparisons, names, family, label)
    if means is not None and pair:
        words += f" Below the grids, {pair[0]} minus {pair[1]} on every instance; a click on a cell chooses another."
    return parts.finish(chart, words, f"{family} {code} assessment", layout=layout)


def _ticks(expected: pl.DataFrame, top: float | None) -> list[float]:
    """Round tick values whose first and last are the ends of the axis."""
    finite = expected.filter(pl.col("_mean").is_finite())
    reach = (finite["_mean"] + finite["_error"].fill_null(0.0)).to_list() or [1.0]
    foot = (finite["_mean"] - finite["_error"].fill_null(0.0)).to_list() or [0.0]
    high = max(reach)
    if top is not None:
        high = top
    elif min(foot) >= 0.0:
        ordered = sorted(reach)
        limit = 3.0 * ordered[3 * len(ordered) // 4]
        high = max(value for value in ordered if value <= limit)
    low = min(0.0, *foot)
    return _round_ticks(low, high if high > low else low + 1.0)


def _round_ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(
        factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= raw * 0.999
    )
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{k * step:.10g}") for k in range(first, max(last, first + 1) + 1)]


def _down(value: float, ticks: Sequence[float]) -> float:
    """Pixels from the top of the rectangle, kept within it."""
    share = (value - ticks[0]) / (ticks[-1] - ticks[0])
    return _HEIGHT * (1.0 - min(max(share, 0.0), 1.0))


def _mean_lines(
    expected: pl.DataFrame, names: Sequence[str], ticks: Sequence[float]
) -> list[dict[str, Any]]:
    lines = []
    for line in _ordered(expected, names).iter_rows(named=True):
        mean, error = line["_mean"], line["_error"]
        shown = {
            "training_cases": line["_size"],
            "kind": "expected loss",
            "method": line["method"],
            "other": None,
            "mean": mean,
            "standard_error": error,
            "p": None,
            "mark": _sign(mean, ticks),
            "_column": names.index(line["method"]) + 1,
            "_middle": _HEIGHT + _HEAD / 2,
            "_y": None,
            "_low": None,
            "_high": None,
            "_strength": 0.0,
            "_says": _says(line),
        }
        if mean is not None and not shown["mark"]:
            shown["_y"] = _down(mean, ticks)
            if error is not None:
                shown["_low"], shown["_high"] = (
                    _down(mean - error, ticks),
                    _down(mean + error, ticks),
                )
        lines.append(shown)
    return lines


def _ordered(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Lines by training-set size, then by the order of the methods' columns."""
    size = pl.col("task").map_elements(training_cases, return_dtype=pl.Int64)
    places = {name: k for k, name in enumerate(names)}
    keys = [
        pl.col(name).replace_strict(places, return_dtype=pl.Int64)
        for name in ("method", "other")
        if name in table.columns
    ]
    return table.sort(size, *keys) if table.height else table


def _sign(mean: float | None, ticks: Sequence[float]) -> str:
    """What stands at the top of the column instead of a mean that cannot be drawn."""
    if mean is None:
        return "?"
    if math.isinf(mean):
        return "∞" if mean > 0 else "?"
    return "▲" if mean > ticks[-1] else ""


def _says(line: Mapping[str, Any]) -> str:
    if line["_error"] is not None:
        return f"{number(line['_mean'])} ± {number(line['_error'])}"
    return f"{number(line['_mean'])}; {line.get('reason') or 'standard error undefined'}"


def _test_lines(comparisons: pl.DataFrame, names: Sequence[str]) -> list[dict[str, Any]]:
    lines = []
    for line in _ordered(comparisons, names).iter_rows(named=True):
        mark = digit(line["p"], line["difference"] is not None and line["difference"] < 0)
        middle = _HEIGHT + _HEAD + (names.index(line["other"]) + 0.5) * _STEP
        lines.append(
            {
                "training_cases": training_cases(line["task"]),
                "kind": "comparison",
                "method": line["method"],
                "other": line["other"],
                "mean": None,
                "standard_error": None,
                "p": line["p"],
                "mark": mark,
                "_column": None,
                "_middle": middle,
                "_y": None,
                "_low": middle - _STEP / 2,
                "_high": middle + _STEP / 2,
                "_strength": (11 - int(mark)) / 18 if mark.isdigit() else 0.0,
                "_says": _verdict(line),
                "_p": p_value(line["p"]),
            }
        )
    return lines


def _verdict(line: Mapping[str, Any]) -> str:
    if line["p"] is None:
        return f"undefined: {line.get('reason') or 'no p value'}"
    word = "better" if line["difference"] < 0 else "worse" if line["difference"] > 0 else "as good"
    return f"{word}, p = {line['p']:.2g}"


def _figure(
    data: alt.Data,
    names: Sequence[str],
    ticks: Sequence[float],
    sizes: Sequence[int],
    pair: tuple[str, str] | None,
) -> ChartType:
    """The panels share one scale in pixels from the top, so that rectangle and grid are one view with one axis."""
    count = len(names)
    bottom = _HEIGHT + _HEAD + count * _STEP
    height = bottom + (chosen_pair.DEPTH if pair else 0.0)
    over = alt.selection_point(
        "over", fields=["method"], on="pointerover", clear="pointerout", empty=False
    )
    x = alt.X("method:N", scale=alt.Scale(type="band", domain=list(names), padding=0), axis=None)
    scale = alt.Scale(domain=[0, height], reverse=True, nice=False)
    axis = _axis(names, ticks, chosen_pair.labels(bottom) if pair else {})
    layers = [
        *_rectangle(over, x, bottom),
        *_grid(x, scale, axis, chosen_pair.parameter(pair) if pair else None),
        *_means(x, scale),
    ]
    panel = alt.layer(*layers)
    if pair:
        panel = alt.layer(*layers, *chosen_pair.layers(bottom, scale)).resolve_scale(
            x="independent"
        )
    return panel.properties(width=count * (16 if count > 6 else 22), height=height).facet(
        facet=alt.Facet(
            "training_cases:O",
            sort=list(sizes),
            header=alt.Header(
                title="training cases", labelFontSize=12, labelPadding=4, titlePadding=2
            ),
        ),
        columns=len(sizes),
        spacing={"column": _GAP, "row": 18},
        data=data,
    )


_SIZE = alt.Tooltip("training_cases:O", title="training cases")
_SAYS = alt.Tooltip("_says:N", title="result")


def _lines_of(kind: str) -> alt.Chart:
    return alt.Chart().transform_filter(alt.datum.kind == kind)


def _rectangle(over: alt.Parameter, x: alt.X, bottom: float) -> list[alt.Chart]:
    """The frame, and a column over rectangle and grid that lights up for the method pointed at, in every panel."""
    frame = (
        alt.Chart()
        .transform_filter("datum._column === 1")
        .mark_rect(fillOpacity=0, stroke=INK, strokeOpacity=0.5)
    )
    column = (
        _lines_of("expected loss")
        .mark_rect(fill=INK)
        .encode(
            x=x,
            y=alt.value(0),
            y2=alt.value(bottom),
            tooltip=["method:N", _SAYS, _SIZE],
            fillOpacity=alt.condition(over, alt.value(0.1), alt.value(0.0)),
        )
    )
    return [
        frame.encode(x=alt.value(0), x2=alt.value("width"), y=alt.value(0), y2=alt.value(_HEIGHT)),
        column.add_params(over),
    ]


def _grid(
    x: alt.X, scale: alt.Scale, axis: alt.Axis, pair: alt.Parameter | None
) -> list[alt.Chart]:
    """The grid of comparisons: a tinted cell, the stronger the smaller p, and its mark; a frame around the pair."""
    near = "indexof(over.method || [], datum.method) >= 0 || indexof(over.method || [], datum.other) >= 0"
    tests = _lines_of("comparison").encode(
        x=x, tooltip=["method:N", alt.Tooltip("other:N", title="against"), _SAYS, _SIZE]
    )
    cells = tests.mark_rect(
        fill=COLOURS[0],
        stroke=INK,
        strokeOpacity=0.12,
        strokeWidth=0.5,
        cursor="default" if pair is None else "pointer",
    ).encode(
        y=alt.Y("_low:Q", scale=scale, axis=axis),
        y2="_high:Q",
        fillOpacity=alt.FillOpacity("_strength:Q", scale=None),
    )
    if pair is not None:
        cells = cells.encode(
            strokeOpacity=alt.condition(pair, alt.value(0.95), alt.value(0.12)),
            strokeWidth=alt.condition(pair, alt.value(2.0), alt.value(0.5)),
        ).add_params(pair)
    marks = tests.mark_text(fontSize=11).encode(
        y=alt.Y("_middle:Q", scale=scale),
        text="mark:N",
        opacity=alt.condition(f"datum.mark === '·' && !({near})", alt.value(0.65), alt.value(1.0)),
    )
    return [cells, marks]


def _means(x: alt.X, scale: alt.Scale) -> list[alt.Chart]:
    """Numbers of the columns, expected losses with their standard errors, and signs for what cannot be drawn."""
    means = _lines_of("expected loss").encode(x=x, tooltip=["method:N", _SAYS, _SIZE])
    return [
        means.mark_text(fontSize=10, opacity=0.75).encode(
            y=alt.Y("_middle:Q", scale=scale), text="_column:N"
        ),
        means.mark_tick(thickness=2.5, color=COLOURS[0]).encode(y=alt.Y("_y:Q", scale=scale)),
        means.mark_rule(strokeWidth=1.5).encode(y=alt.Y("_low:Q", scale=scale), y2="_high:Q"),
        means.mark_text(baseline="top", dy=2, fontSize=10).encode(y=alt.value(0), text="mark:N"),
    ]


def _axis(names: Sequence[str], ticks: Sequence[float], below: Mapping[float, str]) -> alt.Axis:
    """Losses along the rectangle, "better than" between, and the methods' names along the rows of the grid."""
    labels = {round(_down(tick, ticks), 4): f"{tick:g}" for tick in ticks}
    between = _HEIGHT + _HEAD / 2
    labels[between] = "better than"
    for row, name in enumerate(names):
        labels[_HEIGHT + _HEAD + (row + 0.5) * _STEP] = f"{name}\u2002{row + 1}"
    labels |= below
    values = list(labels)
    text = (
        "".join(f"abs(datum.value-{value!r})<0.01?{label!r}:" for value, label in labels.items())
        + "''"
    )
    rectangle = f"datum.value < {_HEIGHT + 1}"
    return alt.Axis(
        values=values,
        labelExpr=text,
        title=None,
        domain=False,
        tickCount=10 * len(values),
        labelLimit=_longest(len(names)),
        minExtent=_label_width(names, bool(below)),
        tickOpacity={"condition": {"test": rectangle, "value": 0.5}, "value": 0},
        gridOpacity={"condition": {"test": rectangle, "value": 0.12}, "value": 0},
        labelOpacity={
            "condition": {"test": f"datum.value == {between}", "value": 0.6},
            "value": 0.9,
        },
    )


def _label_width(names: Sequence[str], pair: bool) -> int:
    """Pixels for the labels at the left, in any font: the picture is laid out with one and seen with another."""
    labels = [f"{in_words(name)}  {len(names)}" for name in names] + (
        list(chosen_pair.labels(0.0).values()) if pair else []
    )
    return round(min(8 + 6.2 * max(map(len, labels)), _longest(len(names)) + 8))


def _longest(methods: int) -> int:
    """Pixels for the longest label: as many as a telephone has beside a panel of so many methods."""
    return min(182, max(170, 326 - _least(methods)))


def _least(methods: int) -> int:
    """Pixels for the rows of a panel of so many methods on a telephone."""
    return (10 if methods <= 10 else 13) * methods


def _words(
    expected: pl.DataFrame, comparisons: pl.DataFrame, names: Sequence[str], family: str, label: str
) -> str:
    tasks = expected.sort("_size").partition_by("_size", maintain_order=True)
    lines = [
        f"Expected {label} of {counted(len(names), 'method')} ({listed(list(names))}) on {family}, with standard "
        "errors, and the p values of all pairs."
    ]
    for table in tasks:
        lines.append(_task_words(table, comparisons.filter(pl.col("task") == table["task"][0])))
    return " ".join(lines)


def _task_words(table: pl.DataFrame, tests: pl.DataFrame) -> str:
    size, ordered = table["_size"][0], table.drop_nulls("_mean").sort("_mean")
    if ordered.is_empty():
        return f"{size} training cases: no mean is defined."
    best = ordered.row(0, named=True)
    values = "; ".join(
        f"{line['method']} {number(line['_mean'])}"
        + (f" ± {number(line['_error'])}" if line["_error"] is not None else "")
        for line in ordered.iter_rows(named=True)
    )
    beaten = tests.filter(
        (pl.col("method") == best["method"]) & (pl.col("difference") < 0) & (pl.col("p") <= 0.05)
    )
    over = (
        f"better at the 0.05 level than {listed(beaten['other'].to_list())}"
        if beaten.height
        else ("not significantly better than any")
    )
    instances = f", {counted(best['instances'], 'instance')}" if best.get("instances") else ""
    return f"{size} training cases{instances}: {values}. Lowest: {best['method']}, {over}."
