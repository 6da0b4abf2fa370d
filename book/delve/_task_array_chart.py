"""Small multiples of a task array: eight panels of learning curves, one for each dataset, its methods linked."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook import tasks
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK, colour, dash, shape
from benchbook.words import counted, listed, loss_label, number, training_cases

_HEIGHT = 150
_TOP = 1.6
_PALE = 0.2
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
_CLICK = (
    "click a method to see it alone, with shift to add it;",
    "double-click to see all; hover over a point",
    "to see its method everywhere",
)
_FLOOR = "dashed line: the share of noise, which no method can beat"
_CUT = "▲: beyond the axis"


def task_array(
    expected: pl.DataFrame,
    *,
    loss: str | None = None,
    methods: Sequence[str] | None = None,
    highlight: Sequence[str] = (),
    floors: Mapping[str, float] | None = None,
    title: str = "",
) -> Any:
    """Expected losses against the number of training cases, a panel for each dataset of an array, on one scale.

    All axes are logarithmic and shared. A click on a method in the legend shows it in all panels, and so does pointing
    at one of its points; the others turn pale. Points with their standard errors are drawn beside each other.

    Args:
        expected: what ``assess.expected_losses`` gives, for tasks of one or several datasets of an array.
        loss: the loss's code; may be left out when there is only one.
        methods: which methods, in the order of the legend.
        highlight: those that stand out at first; all when there are none.
        floors: by dataset, the standardised loss of the best possible function: its share of noise.
        title: what stands above; by default the family.

    Raises:
        FaultyInput: tasks of several families or of no array, or unknown methods.
    """
    code = parts.only_loss(expected, loss, "expected losses")
    expected = expected.filter(pl.col("loss") == code)
    names = parts.pick_methods(expected, methods, "expected losses")
    if highlight:
        parts.pick_methods(expected, highlight, "highlighted methods")
    table, has = parts.on_scale(expected.filter(pl.col("method").is_in(names)), True)
    lines = _lines(table, names, floors or {})
    label = loss_label(code, has)
    family = title or listed(
        list(dict.fromkeys(tasks.place(task).family for task in table["task"]))
    )
    panels = list(dict.fromkeys(lines.sort("_order")["panel"]))
    subtitle = [
        f"{label}, mean ± 1 standard error",
        *_CLICK,
        *([_FLOOR] if floors else []),
        *([_CUT] if lines["mark"].eq("▲").any() else []),
    ]
    layers = _layers(
        names, highlight, label, _reach(lines), sorted(set(lines["training_cases"].drop_nulls()))
    )
    chart = parts.panels(
        alt.layer(*layers, data=parts.data(parts.rows(lines))).properties(
            width=150, height=_HEIGHT
        ),
        "panel",
        panels,
        4,
        {"row": 14, "column": 10},
        labelPadding=3,
        **parts.BY_COMMAS,
    ).properties(title=alt.TitleParams(family, subtitle=subtitle))
    layout = {"count": len(panels), "least": 128, "most": 190, "gap": 10, "margin": 46}
    return parts.finish(
        chart,
        _words(lines, names, family, label, floors or {}),
        f"{family} {code} task array",
        layout=layout,
    )


def _lines(table: pl.DataFrame, names: Sequence[str], floors: Mapping[str, float]) -> pl.DataFrame:
    """A line for every mean, every floor, and every empty panel; a mean that cannot be drawn is left out."""
    step = 0.045 * min(1.0, 6 / len(names))
    order, made = {name: k for k, name in enumerate(names)}, []
    for line in table.sort(pl.col("method").replace_strict(order, return_dtype=pl.Int64)).iter_rows(
        named=True
    ):
        mean, error, size = line["drawn_mean"], line["drawn_error"], training_cases(line["task"])
        if mean is None or not 0 < mean < float("inf"):
            continue
        k, high = order[line["method"]], min(mean + (error or 0.0), _TOP)
        made.append(
            {
                "kind": "loss",
                **_panel(line["task"]),
                "training_cases": size,
                "method": line["method"],
                "value": mean,
                "standard_error": error,
                "mark": "▲" if mean > _TOP else "",
                "_across": size * 2.0 ** (step * (k - (len(names) - 1) / 2)),
                "_drawn": min(mean, _TOP),
                "_low": max(mean - (error or 0.0), mean / 3),
                "_high": high,
                "_dash": list(dash(k)),
            }
        )
    shown = {line["panel"] for line in made}
    for name, share in floors.items():
        panel = _panel(name)
        if panel["panel"] in shown:
            made.append({"kind": "floor", **panel, "value": share, "_drawn": share})
    if len(shown) > 1:
        absent = (
            _panel(f"x-{inputs}{linear}{noise}")
            for inputs in (8, 32)
            for linear in "fn"
            for noise in "mh"
        )
        made += [
            {"kind": "absent", **index, "mark": "no losses"}
            for index in absent
            if index["panel"] not in shown
        ]
    return pl.DataFrame(made, infer_schema_length=None)


def _panel(name: str) -> dict[str, Any]:
    path = tasks.place(name)
    words = f"{path.inputs} inputs, {path.linearity}, {path.noise} noise"
    return {"panel": words, "_order": 4 * (path.inputs > 8) + 2 * path.non_linear + path.noisy}


def _reach(lines: pl.DataFrame) -> tuple[float, float]:
    """Ends of the loss axis: all that is drawn, and half an octave below."""
    drawn = lines["_drawn"].drop_nulls().to_list()
    return min(drawn) / 1.25, min(_TOP, max(drawn) * 1.15)


def _layers(
    names: Sequence[str],
    highlight: Sequence[str],
    label: str,
    reach: tuple[float, float],
    sizes: Sequence[int],
) -> list[Any]:
    """The floor, error bars, curves, and points that are told by colour, shape and dash."""
    first = [{"method": name} for name in highlight]
    chosen = alt.selection_point(
        "chosen", fields=["method"], bind="legend", value=first or alt.Undefined
    )
    over = alt.selection_point(
        "over", fields=["method"], on="pointerover", clear="pointerout", empty=False
    )
    y = alt.Y(
        "_drawn:Q",
        title=None,
        scale=alt.Scale(type="log", domain=list(reach), nice=False),
        axis=alt.Axis(
            values=[tick for tick in _TICKS if reach[0] <= tick <= reach[1]], format="~g"
        ),
    )
    hues, forms = [colour(k) for k in range(len(names))], [shape(k) for k in range(len(names))]
    legend = alt.Legend(title=None, columns=4, symbolType="stroke")
    # The method that is pointed at stands out alone, even where all are chosen.
    lit = (chosen | over) & alt.ParameterPredicate(param="over", empty=True)
    seen = alt.condition(lit, alt.value(1.0), alt.value(_PALE))
    base = (
        alt.Chart()
        .transform_filter("datum.kind === 'loss'")
        .encode(
            x=alt.X(
                "_across:Q",
                title="training cases",
                scale=alt.Scale(type="log", base=2, nice=False, padding=8),
                axis=alt.Axis(
                    values=list(sizes),
                    format="d",
                    grid=False,
                    labelOverlap="greedy",
                    labelFontSize=10,
                ),
            ),
            color=alt.Color(
                "method:N",
                sort=None,
                legend=legend,
                scale=alt.Scale(domain=list(names), range=hues),
            ),
        )
    )
    floor = (
        alt.Chart()
        .transform_filter("datum.kind === 'floor'")
        .mark_rule(strokeDash=[5, 3], opacity=0.6, clip=True)
        .encode(
            y=y,
            tooltip=[
                alt.Tooltip("panel:N"),
                alt.Tooltip("value:Q", title="share of noise", format=".2g"),
            ],
        )
    )
    bars = base.mark_rule(strokeWidth=1.2, clip=True).encode(
        y=alt.Y("_low:Q", title=None),
        y2="_high:Q",
        opacity=alt.condition(lit, alt.value(0.9), alt.value(0.0)),
    )
    curves = base.mark_line(strokeWidth=1.6, clip=True).encode(
        y=y, strokeDash=alt.StrokeDash("_dash:N", scale=None), detail="method:N", opacity=seen
    )
    points = (
        base.mark_point(size=26, filled=True)
        .encode(
            y=y,
            shape=alt.Shape(
                "method:N",
                sort=None,
                legend=legend,
                scale=alt.Scale(domain=list(names), range=forms),
            ),
            opacity=seen,
        )
        .add_params(chosen)
    )
    reaches = (
        base.mark_point(size=160, filled=True, opacity=0, tooltip=True, clip=True)
        .encode(
            y=y,
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("training_cases:Q", title="training cases"),
                alt.Tooltip("value:Q", title=label, format=".3g"),
                alt.Tooltip("standard_error:Q", title="standard error", format=".2g"),
            ],
        )
        .add_params(over)
    )
    absent = (
        alt.Chart()
        .transform_filter("datum.kind === 'absent'")
        .mark_text(opacity=0.7, align="right", dx=-8)
        .encode(x=alt.value("width"), y=alt.value(_HEIGHT / 2), text="mark:N")
    )
    marks = (
        base.transform_filter("datum.mark === '▲'")
        .mark_text(text="▲", fontSize=10, baseline="top", dy=4)
        .encode(y=y, color=alt.value(INK), opacity=seen)
    )
    return [floor, bars, curves, points, marks, reaches, absent]


def _words(
    lines: pl.DataFrame, names: Sequence[str], family: str, label: str, floors: Mapping[str, float]
) -> str:
    drawn = lines.filter(kind="loss")
    panels = list(dict.fromkeys(drawn.sort("_order")["panel"]))
    sentences = [
        f"Learning curves of {counted(len(names), 'method')} ({listed(list(names))}) on {family}, "
        f"{counted(len(panels), 'dataset')}: {label} against the number of training cases."
    ]
    noise = {_panel(name)["panel"]: share for name, share in floors.items()}
    for panel in panels:
        here = drawn.filter(panel=panel)
        ends = [
            here.filter(training_cases=size).sort("value").row(0, named=True)
            for size in (min(here["training_cases"]), max(here["training_cases"]))
        ]
        text = "; ".join(
            f"lowest with {line['training_cases']} cases {line['method']} {number(line['value'])}"
            for line in ends
        )
        sentences.append(
            f"{panel}: {text}" + (f"; noise {number(noise[panel])}." if panel in noise else ".")
        )
    return " ".join(sentences)
