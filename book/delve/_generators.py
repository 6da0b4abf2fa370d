"""The charts of the chapter on generators: a search by bisection, shares that are whole numbers, quantile pairs."""

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS
from benchbook.words import counted, number

_FIRST, _LAST, _WIDTH = 0.5, 6.5, 0.05
_SIDE = 150


def search_path(steps: pl.DataFrame) -> alt.FacetChart:
    """What each step of a bisection tried and found, a panel for each search; numbers count the steps.

    Args:
        steps: panel, step (from 1), constant (what was tried), found and wanted (what it gives, and what it shall
            give), a line a step; the last line of a panel is where the search ends.
    """
    panels = parts.names(steps, "panel")
    last = pl.col("step") == pl.col("step").max().over("panel")
    table = steps.with_columns(
        relative=pl.col("found") / pl.col("wanted"),
        end=last,
        _number=pl.when(pl.col("step") <= 4)
        .then(pl.col("step").cast(pl.String))
        .otherwise(pl.lit("")),
    )
    x = alt.X(
        "constant:Q",
        title="constant that is sought",
        scale=alt.Scale(nice=True),
        axis=alt.Axis(tickCount=4, grid=False),
    )
    y = alt.Y(
        "relative:Q",
        title="share found / share wanted",
        scale=alt.Scale(domainMin=0),
        axis=alt.Axis(tickCount=5),
    )
    tips = [
        alt.Tooltip("step:Q"),
        alt.Tooltip("constant:Q", format=".4g"),
        alt.Tooltip("found:Q", format=".2%"),
        alt.Tooltip("wanted:Q", format=".2%"),
    ]
    base = alt.Chart()
    wanted = base.mark_rule(strokeDash=[4, 3], opacity=0.6).encode(y=alt.datum(1.0))
    curve = base.mark_line(strokeWidth=1, opacity=0.5, color=COLOURS[0]).encode(x=x, y=y)
    tried = base.mark_point(size=36, filled=True, color=COLOURS[0]).encode(x=x, y=y, tooltip=tips)
    end = (
        base.transform_filter("datum.end")
        .mark_point(size=110, filled=True, shape="diamond", color=COLOURS[1])
        .encode(x=x, y=y, tooltip=tips)
    )
    numbers = base.mark_text(align="left", dx=6, dy=6, fontSize=10).encode(
        x=x, y=y, text="_number:N"
    )
    chart = parts.panels(
        alt.layer(
            wanted, curve, tried, end, numbers, data=parts.data(parts.rows(table))
        ).properties(width=150, height=150),
        "panel",
        panels,
        4,
        14,
        **parts.BY_COMMAS,
    ).resolve_scale(x="independent")
    layout = {"count": len(panels), "least": 128, "most": 190, "gap": 14, "margin": 50}
    return parts.finish(chart, _search_said(steps, panels), "search for constants", layout=layout)


def _search_said(steps: pl.DataFrame, panels: list[str]) -> str:
    said = [
        f"Bisection for {counted(len(panels), 'constant')}: the value tried at each step, and the share it gives "
        "over the share wanted."
    ]
    for name in panels:
        last = steps.filter(panel=name).sort("step").row(-1, named=True)
        said.append(
            f"{name}: after {counted(last['step'], 'step')} {number(last['constant'])}, which gives "
            f"{100 * last['found']:.2f} % where {100 * last['wanted']:.2f} % is wanted."
        )
    return " ".join(said)


def whole_numbers(counts: pl.DataFrame) -> alt.FacetChart:
    """Histograms of small counts that need not be whole, a panel for each source; rules stand at whole numbers.

    Args:
        counts: panel and count, a line a case; only counts between 0.5 and 6.5 are drawn.
    """
    panels = parts.names(counts, "panel")
    edges = np.arange(_FIRST, _LAST + _WIDTH / 2, _WIDTH).round(4)
    lines = []
    for name in panels:
        found = np.histogram(counts.filter(panel=name)["count"].to_numpy(), edges)[0]
        lines += [
            {"panel": name, "from": float(left), "to": float(left + _WIDTH), "cases": int(cases)}
            for left, cases in zip(edges, found, strict=False)
            if cases
        ]
    whole = list(range(1, int(_LAST) + 1))
    bars = (
        alt.Chart(parts.data(lines))
        .mark_rect(color=COLOURS[0])
        .encode(
            x=alt.X(
                "from:Q",
                title="share × supposed number of customers",
                scale=alt.Scale(domain=[_FIRST, _LAST], nice=False),
                axis=alt.Axis(values=whole, format="d", gridDash=[4, 3], gridOpacity=0.5),
            ),
            x2="to:Q",
            y=alt.Y("cases:Q", title="cases", axis=alt.Axis(tickCount=4)),
            y2=alt.datum(0),
            tooltip=[alt.Tooltip("from:Q", format=".2f"), alt.Tooltip("cases:Q")],
        )
    )
    chart = parts.panels(
        bars.properties(width=320, height=130), "panel", panels, 2, 14, labelFontSize=11
    )
    layout = {"count": len(panels), "least": 260, "most": 360, "gap": 14, "margin": 50}
    return parts.finish(
        chart, _counts_said(counts, panels), "whole numbers of customers", layout=layout
    )


def nearly_whole(counts: np.ndarray, within: float = 0.15) -> float:
    """Share of the counts between 0.5 and 3.5 that are so near to a whole number; 2 x ``within`` if they are not."""
    small = counts[(counts > _FIRST) & (counts < 3.5)]
    return float(np.mean(np.abs(small - small.round()) < within))


def _counts_said(counts: pl.DataFrame, panels: list[str]) -> str:
    said = [
        f"Histograms of supposed customer counts from {_FIRST} to {_LAST}, {counted(len(panels), 'panel')}."
    ]
    for name in panels:
        share = nearly_whole(counts.filter(panel=name)["count"].to_numpy())
        said.append(
            f"{name}: of the counts below 3.5, {100 * share:.0f} % are within 0.15 of a whole number, where "
            "30 % would be by chance."
        )
    return " ".join(said)


def quantile_pairs(pairs: pl.DataFrame, across: str, up: str) -> alt.FacetChart:
    """Quantiles against quantiles, a panel for each dataset; equal distributions lie on the dashed line.

    The axes are on a square-root scale, on which small shares stay apart.

    Args:
        pairs: panel, level (between 0 and 1), across and up (the two quantiles, not negative).
        across, up: what the two are.
    """
    panels = parts.names(pairs, "panel")
    most = float(max(pairs["across"].to_list() + pairs["up"].to_list()))
    scale = alt.Scale(type="sqrt", domain=[0, most], nice=False)
    axis = alt.Axis(
        values=[tick for tick in (0, 0.05, 0.2, 0.5, 0.8) if tick <= most], grid=False, format="~g"
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=24, color=COLOURS[0])
        .encode(
            x=alt.X("across:Q", title=across, scale=scale, axis=axis),
            y=alt.Y("up:Q", title=up, scale=scale, axis=axis),
            tooltip=[
                alt.Tooltip("level:Q", title="share of cases below", format=".1%"),
                alt.Tooltip("across:Q", title=across, format=".3g"),
                alt.Tooltip("up:Q", title=up, format=".3g"),
            ],
        )
    )
    line = (
        alt.Chart()
        .mark_rule(opacity=0.7, strokeDash=[4, 3])
        .encode(x=alt.datum(0), y=alt.datum(0), x2=alt.value("width"), y2=alt.value(0))
    )
    chart = parts.panels(
        alt.layer(line, dots, data=parts.data(parts.rows(pairs))).properties(
            width=_SIDE, height=_SIDE
        ),
        "panel",
        panels,
        4,
        12,
        labelFontSize=11,
    )
    layout = {"count": len(panels), "least": 128, "most": 190, "gap": 12, "margin": 50}
    return parts.finish(
        chart, _quantiles_said(pairs, panels, across, up), "quantiles", layout=layout
    )


def _quantiles_said(pairs: pl.DataFrame, panels: list[str], across: str, up: str) -> str:
    said = [
        f"Quantiles of {up} against {across}, {counted(len(panels), 'dataset')}; the dashed line is where both "
        "distributions agree."
    ]
    for name in panels:
        here = pairs.filter(panel=name).sort("level")
        middle = here.row((here["level"] - 0.5).abs().arg_min() or 0, named=True)
        last = here.row(-1, named=True)
        said.append(
            f"{name}: median {number(middle['up'])} against {number(middle['across'])}, "
            f"largest {number(last['up'])} against {number(last['across'])}."
        )
    return " ".join(said)
