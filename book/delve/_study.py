"""The charts of the chapter on the study: its questions, its tasks one by one, and re-created beside original data."""

from collections.abc import Mapping, Sequence
from typing import Any

import _neal_digits as neal_digits
import altair as alt
import polars as pl

from benchbook.assess import Ratios
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, listed, number, p_value

_KINDS = ("re-created", "DELVE's own")
_TALL = 150
_FINE, _COARSE = (
    (0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4),
    (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0),
)
_SIDE = 200


def questions(asked: Mapping[str, tuple[Ratios, Ratios]]) -> Any:
    """A panel for each question: the ratio of expected losses on every task, by dataset, on both kinds of data.

    Args:
        asked: a few words for each question, its answer on the re-created datasets and on DELVE's own.
    """
    lines = [
        {
            "question": name,
            "dataset": line["dataset"].removesuffix("-sim"),
            "kind": kind,
            "training cases": line["training_cases"],
            "ratio": line["ratio"],
            "significant": "p ≤ 0.05" if (line["p"] or 1.0) <= 0.05 else "p > 0.05",
        }
        for name, both in asked.items()
        for kind, one in zip(_KINDS, both, strict=True)
        for line in one.lines.iter_rows(named=True)
    ]
    names = list(dict.fromkeys(line["dataset"] for line in lines))
    tips: list[Any] = [
        "dataset:N",
        "kind:N",
        "training cases:O",
        alt.Tooltip("ratio:Q", format=".3f"),
        "significant:N",
    ]
    dots = alt.Chart().encode(
        x=alt.X(
            "ratio:Q",
            title="ratio of expected losses",
            scale=alt.Scale(type="log", domain=[0.3, 4.2], nice=False),
            axis=alt.Axis(values=[0.3, 0.5, 1, 2, 4], format="~g", grid=False, labelOverlap=False),
        ),
        y=alt.Y("dataset:N", sort=names, title=None, axis=alt.Axis(grid=True)),
        yOffset=alt.YOffset("kind:N", sort=list(_KINDS)),
        tooltip=tips,
        **parts.looks("kind", _KINDS, title=None),
    )
    panel = (
        alt.layer(
            alt.Chart().mark_rule(color=INK, opacity=0.6).encode(x=alt.datum(1.0)),
            dots.transform_filter("datum.significant == 'p ≤ 0.05'").mark_point(
                size=42, filled=True, opacity=0.9
            ),
            dots.transform_filter("datum.significant != 'p ≤ 0.05'").mark_point(
                size=36, filled=False, opacity=0.9
            ),
        )
        .properties(width=150, height=alt.Step(17))
        .facet(
            facet=alt.Facet(
                "question:N", sort=list(asked), header=alt.Header(title=None, labelAnchor="start")
            ),
            columns=len(asked),
            spacing=12,
            data=parts.data(lines),
        )
    )
    layout = {"count": len(asked), "least": 130, "most": 170, "gap": 12, "margin": 90}
    return parts.finish(panel, _questions_said(asked), "the questions of the study", layout=layout)


def _questions_said(asked: Mapping[str, tuple[Ratios, Ratios]]) -> str:
    said = []
    for name, both in asked.items():
        counts = [
            f"{kind}: {one.better.height} tasks significantly below one, {one.worse.height} above, of "
            f"{one.lines.height}"
            for kind, one in zip(_KINDS, both, strict=True)
        ]
        said.append(f"{name} ({'; '.join(counts)})")
    return f"Ratios of expected losses by dataset for {len(asked)} questions. {'. '.join(said)}."


def advantage(lines: pl.DataFrame, method: str, other: str) -> Any:
    """Ratios of expected losses with their 95 % intervals; below the line at one, ``method`` is better.

    A filled mark says that p ≤ 0.05, an open one that it is above.

    Args:
        lines: a line a task: dataset, training_cases, ratio, low, high, p (the last three may be null).
        method, other: the two methods, for the words.
    """
    low, high = _ends(lines)
    shown = lines.with_columns(
        _low=pl.col("low").clip(low, high),
        _high=pl.col("high").clip(low, high),
        _at=pl.col("ratio").clip(low, high),
        _clear=pl.col("p").fill_null(1.0) <= 0.05,
        _says=pl.col("p").map_elements(p_value, pl.String, skip_nulls=False),
    )
    sizes, datasets = (sorted(set(shown["training_cases"])), parts.names(shown, "dataset"))
    ticks = _FINE if low > 0.6 and high < 1.7 else _COARSE
    x = alt.X("training_cases:O", title=None, sort=sizes, axis=alt.Axis(labelAngle=-90, grid=False))
    dots = alt.Chart().encode(
        x=x,
        y=alt.Y(
            "_at:Q",
            title=None,
            scale=alt.Scale(type="log", domain=[low, high], nice=False),
            axis=alt.Axis(
                values=[tick for tick in ticks if low <= tick <= high],
                format="~g",
                labelOverlap=False,
                grid=True,
            ),
        ),
        tooltip=[
            alt.Tooltip("dataset:N"),
            alt.Tooltip("training_cases:O", title="training cases"),
            alt.Tooltip("ratio:Q", format=".3f"),
            alt.Tooltip("low:Q", title="from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
            alt.Tooltip("_says:N", title="test"),
        ],
    )
    panel = alt.layer(
        alt.Chart().mark_rule(color=INK, opacity=0.6).encode(y=alt.datum(1.0)),
        alt.Chart()
        .mark_rule(strokeWidth=1.5)
        .encode(x=x, y=alt.Y("_low:Q", title=None), y2="_high:Q"),
        dots.transform_filter("datum._clear").mark_point(
            size=48, filled=True, opacity=1, color=COLOURS[0]
        ),
        dots.transform_filter("!datum._clear").mark_point(
            size=48, filled=True, opacity=1, color=COLOURS[5], shape="diamond"
        ),
    )
    title = alt.TitleParams(
        f"{method} over {other}",
        subtitle=[
            f"ratio of expected losses, 95 % interval; below 1 {method} is better",
            "across: training cases; disc: p ≤ 0.05, grey diamond: above",
        ],
    )
    chart = (
        panel.properties(width=92, height=_TALL)
        .facet(
            facet=alt.Facet(
                "dataset:N",
                sort=datasets,
                header=alt.Header(title=None, labelFontSize=10, labelPadding=3),
            ),
            columns=len(datasets),
            spacing={"column": 8, "row": 14},
            data=parts.data(parts.rows(shown)),
        )
        .properties(title=title)
    )
    layout = {"count": len(datasets), "least": 84, "most": 150, "gap": 8, "margin": 44}
    return parts.finish(
        chart, _ratios_said(lines, method, other), f"{method} over {other}", layout=layout
    )


def _ends(lines: pl.DataFrame) -> tuple[float, float]:
    """Ends of the axis: what the ratios and most of their intervals need, no less than 0.8 to 1.25."""
    low, high = 0.8, 1.25
    for line in lines.iter_rows(named=True):
        low, high = min(low, 0.93 * line["ratio"]), max(high, line["ratio"] / 0.93)
        if line["low"] is not None and line["low"] > 0.5 * line["ratio"]:
            low = min(low, 0.97 * line["low"])
        if line["high"] is not None and line["high"] < 2.0 * line["ratio"]:
            high = max(high, line["high"] / 0.97)
    return low, high


def _ratios_said(lines: pl.DataFrame, method: str, other: str) -> str:
    said = []
    for (dataset,), part in lines.group_by("dataset", maintain_order=True):
        values = [
            f"{line['training_cases']}: {number(line['ratio'])} ({p_value(line['p'])})"
            for line in part.sort("training_cases").iter_rows(named=True)
        ]
        said.append(f"{dataset}, {listed(values)}")
    return (
        f"Expected loss of {method} as a multiple of that of {other}, by dataset and number of training cases. "
        f"{'; '.join(said)}."
    )


def side_by_side(points: pl.DataFrame, groups: Mapping[str, Sequence[str]], unit: str) -> Any:
    """A mark for each method and number of training cases; on the diagonal both datasets say the same.

    Args:
        points: dataset, training_cases, method, recreated, original (expected losses as multiples of ``unit``'s).
        groups: kinds of methods, six at most, each with a colour and a shape; methods in none are not drawn.
        unit: the method whose loss is one.
    """
    kind = {name: group for group, names in groups.items() for name in names}
    shown = points.filter(pl.col("method").is_in(list(kind))).with_columns(
        kind=pl.col("method").replace_strict(kind, return_dtype=pl.String),
        _first=pl.int_range(pl.len()).over("dataset") == 0,
    )
    names, datasets = (
        [name for name in groups if name in set(shown["kind"])],
        parts.names(shown, "dataset"),
    )
    values = [*shown["recreated"].to_list(), *shown["original"].to_list()]
    ends = [0.9 * min(values), max(values) / 0.9]
    scale = alt.Scale(type="log", domain=ends, nice=False)
    axis = alt.Axis(tickCount=4, format="~g", grid=False)
    dots = (
        alt.Chart()
        .mark_point(size=46, filled=True, opacity=0.85)
        .encode(
            x=alt.X("original:Q", title="DELVE's own data", scale=scale, axis=axis),
            y=alt.Y("recreated:Q", title="re-created", scale=scale, axis=axis),
            **parts.looks("kind", names, legend=alt.Legend(title=None, columns=3, labelLimit=220)),
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("dataset:N"),
                alt.Tooltip("training_cases:O", title="training cases"),
                alt.Tooltip("original:Q", format=".3f"),
                alt.Tooltip("recreated:Q", format=".3f"),
            ],
        )
    )
    line = (
        alt.Chart()
        .transform_filter("datum._first")
        .transform_calculate(_a=str(ends[0]), _b=str(ends[1]))
        .mark_rule(color=INK, opacity=0.45)
        .encode(x="_a:Q", y="_a:Q", x2="_b:Q", y2="_b:Q")
    )
    chart = (
        alt.layer(line, dots)
        .properties(width=_SIDE, height=_SIDE)
        .facet(
            facet=alt.Facet("dataset:N", sort=datasets, header=alt.Header(title=None)),
            columns=len(datasets),
            spacing={"column": 14, "row": 18},
            data=parts.data(parts.rows(shown)),
        )
    )
    title = alt.TitleParams(f"expected loss, that of {unit} being 1", anchor="start")
    layout = {"count": len(datasets), "least": 150, "most": 260, "gap": 14, "margin": 60}
    return parts.finish(
        chart.properties(title=title),
        _points_said(shown, unit),
        "re-created and original",
        layout=layout,
    )


def _points_said(shown: pl.DataFrame, unit: str) -> str:
    said = []
    for (dataset,), part in shown.group_by("dataset", maintain_order=True):
        apart = part.select((pl.col("recreated") / pl.col("original")).log().abs().exp())[
            "recreated"
        ]
        middle, most = (number(float(str(value))) for value in (apart.median(), apart.max()))
        said.append(
            f"{dataset}: {counted(part.height, 'mark')}, the median a factor of {middle} off the diagonal, the "
            f"furthest {most}"
        )
    named = listed(parts.names(shown, "dataset"))
    return (
        f"Expected losses, that of {unit} being 1, on re-created data against those on DELVE's own, for every "
        f"method and number of training cases of {named}. {'. '.join(said)}."
    )


_CELL = 11
_SAID = {
    neal_digits.SAME: COLOURS[0],
    neal_digits.OPPOSITE: COLOURS[1],
    "only one has a digit": COLOURS[5],
}


def digits_beside(pairs: pl.DataFrame) -> Any:
    """A panel for each grid that can be told: Neal's digits on the left, ours on the right, coloured by what both say.

    Args:
        pairs: as ``neal_digits.cells`` gives it.
    """
    lines = [
        line
        for (_, _), grid in pairs.group_by("dataset", "training_cases", maintain_order=True)
        for line in _grid(grid)
    ]
    wide, high = (max(line[edge] for line in lines) for edge in ("_to", "_down"))
    x, y = (
        alt.X("_x:Q", scale=alt.Scale(domain=[0, wide], nice=False), axis=None),
        alt.Y("_y:Q", scale=alt.Scale(domain=[-1.3, high], reverse=True, nice=False), axis=None),
    )
    frames = alt.Chart().transform_filter("datum.digit === ''")
    digits = alt.Chart().transform_filter("datum.digit !== ''")
    tips = ["who:N", "better:N", "worse:N", "digit:N", "together:N"]
    looks = alt.Color(
        "together:N",
        scale=alt.Scale(domain=list(_SAID), range=list(_SAID.values())),
        legend=alt.Legend(title=None, columns=3, symbolType="square"),
    )
    panel = alt.layer(
        frames.mark_rect(fillOpacity=0, stroke=INK, strokeOpacity=0.5).encode(
            x=x, y=y, x2="_to:Q", y2="_down:Q"
        ),
        frames.mark_text(align="left", baseline="middle", dy=-7, fontSize=10).encode(
            x=x, y=y, text="who:N"
        ),
        digits.mark_rect(opacity=0.55).encode(
            x=x, y=y, x2="_to:Q", y2="_down:Q", color=looks, tooltip=tips
        ),
        digits.mark_text(fontSize=9, dx=_CELL / 2, dy=_CELL / 2).encode(
            x=x, y=y, text="digit:N", tooltip=tips
        ),
    ).properties(width=wide * _CELL, height=(high + 1.3) * _CELL)
    titles = list(dict.fromkeys(line["grid"] for line in lines))
    chart = panel.facet(
        facet=alt.Facet("grid:N", sort=titles, header=alt.Header(title=None, labelAnchor="start")),
        columns=3,
        spacing={"column": 14, "row": 8},
        data=parts.data(lines),
    )
    layout = {"count": 3, "least": 170, "most": 290, "gap": 14, "margin": 20}
    return parts.finish(chart, _digits_said(pairs), "digits of 1998 and ours", layout=layout)


def _grid(grid: pl.DataFrame) -> list[dict[str, Any]]:
    """The two frames of a panel and what stands in them."""
    names = list(dict.fromkeys([*grid["method"], *grid["other"]]))
    title = f"{grid['dataset'][0]}, {grid['training_cases'][0]:,} cases"
    lines = []
    for who, start in (("his", 0), ("our", len(names) + 1)):
        said = {"his": "Neal, 1998", "our": "re-created"}[who]
        box = {"_x": start, "_y": 0, "_to": start + len(names), "_down": len(names)}
        lines.append({"grid": title, "who": said, "digit": "", **box})
        for line in grid.filter(pl.col(who) != 0).iter_rows(named=True):
            better, worse = (line["method"], line["other"])[:: 1 if line[who] > 0 else -1]
            column, row = start + names.index(better), names.index(worse)
            lines.append(
                {
                    "grid": title,
                    "who": said,
                    "better": better,
                    "worse": worse,
                    "digit": str(abs(line[who])),
                    "together": line["said"] if line["said"] in _SAID else list(_SAID)[-1],
                    "_x": column,
                    "_y": row,
                    "_to": column + 1,
                    "_down": row + 1,
                }
            )
    return lines


def _digits_said(pairs: pl.DataFrame) -> str:
    said = []
    kinds = list(dict.fromkeys(pairs["said"].sort(descending=True)))
    for (dataset, size), grid in pairs.group_by("dataset", "training_cases", maintain_order=True):
        each = [f"{name} {grid.filter(said=name).height}" for name in kinds]
        said.append(f"{dataset} with {size} cases: {listed(each)}")
    return f"Digits of Neal's figures beside ours, pairs of methods by what both say. {'. '.join(said)}."
