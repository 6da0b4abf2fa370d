"""The variance of a mean loss by its source: bars for three designs, and areas with sliders."""

from typing import Any, Literal

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS
from benchbook.errors import Fault, FaultyInput
from benchbook.words import listed, number

SOURCES = ("training sets", "test cases", "the rest")
_TINTS = (COLOURS[1], COLOURS[0], COLOURS[5])
_COLUMNS = ("method", "sd_instances", "sd_cases", "sd_residual")
_NOW = "datum.variance / (datum.by_instances ? instances : 1) / (datum.by_cases ? {cases} : 1)"
_GRID = 49
_CORNER = 100


def variance_parts(components: pl.DataFrame) -> pl.DataFrame:
    r"""The terms of the variance of a mean loss under the common test scheme, a line each, for every method.

    .. math:: \mathrm{SE}^2 = \sigma_a^2/I + \sigma_b^2/J + \sigma_\varepsilon^2/(IJ)

    Args:
        components: a line a method: method, sd_instances (σ_a), sd_cases (σ_b), sd_residual (σ_ε), all on one scale.

    Returns:
        method, source, variance (σ², undivided), by_instances and by_cases: whether I and J divide it.

    Raises:
        FaultyInput: components that are not to be had.
    """
    faults = [
        Fault("variance components", f"no {name} for {line['method']}", "all three must be numbers")
        for line in components.iter_rows(named=True)
        for name in _COLUMNS[1:]
        if line[name] is None
    ]
    if faults:
        raise FaultyInput(
            "chart data", faults, "Only the common test scheme tells test cases from the rest."
        )
    lines = [
        {
            "method": line["method"],
            "source": source,
            "variance": line[name] ** 2,
            "by_instances": name != "sd_cases",
            "by_cases": name != "sd_instances",
        }
        for line in components.iter_rows(named=True)
        for source, name in zip(SOURCES, _COLUMNS[1:], strict=True)
    ]
    return pl.DataFrame(lines)


def variance_of(terms: pl.DataFrame, instances: int, cases: int) -> dict[str, float]:
    """The terms of one method for I instances and J test cases, by source; their sum is the squared standard error."""
    return {
        line["source"]: line["variance"]
        / (instances if line["by_instances"] else 1)
        / (cases if line["by_cases"] else 1)
        for line in terms.iter_rows(named=True)
    }


def variance_split(
    components: pl.DataFrame,
    *,
    instances: int = 8,
    cases: int = 4096,
    most_instances: int = 32,
    most_cases: int = 16384,
) -> alt.LayerChart | alt.FacetChart:
    """The variance of a mean loss by its source, against test cases; sliders choose instances, cases and method.

    Args:
        components: see ``variance_parts``.
        instances, cases: where the sliders stand at first.
        most_instances, most_cases: where they end.

    Raises:
        FaultyInput: as ``variance_parts``, or numbers at which no slider can stand.
    """
    terms = variance_parts(components)
    _check(instances, cases, most_instances, most_cases)
    methods = list(dict.fromkeys(terms["method"]))
    step = max(1, most_cases // 128)
    grid = np.unique(np.geomspace(step, most_cases, _GRID).round().astype(int))
    top = max(
        sum(variance_of(part, 2, max(cases // 4, 1)).values())
        for _, part in terms.group_by("method", maintain_order=True)
    )
    base = alt.Chart(parts.data(parts.rows(terms))).transform_filter("datum.method == method")
    areas = alt.layer(*_areas(terms, grid, top))
    return parts.finish(
        alt.layer(areas, *_says(base))
        .resolve_scale(y="independent")
        .add_params(
            parts.buttons("method", methods, "method", methods[-1]),
            alt.param(
                name="instances",
                value=instances,
                bind=alt.binding_range(min=2, max=most_instances, step=1, name="task instances I "),
            ),
            alt.param(
                name="cases",
                value=cases,
                bind=alt.binding_range(min=step, max=most_cases, step=step, name="test cases J "),
            ),
        ),
        _words(terms, methods, instances, cases),
        "variance by source",
        height=320,
    )


DESIGNS = (
    ("now", 1, 1),
    ("four times the test cases", 1, 4),
    ("four times the training sets", 4, 1),
)


def variance_bars(
    components: pl.DataFrame, *, instances: int = 8, cases: int = 4096
) -> alt.LayerChart | alt.FacetChart:
    """The variance of each method's mean loss by its source: now, and with four times the cases or training sets.

    Args:
        components: see ``variance_parts``; a method's name stands above its bars.
        instances, cases: training sets and shared test cases now.

    Raises:
        FaultyInput: as ``variance_parts``.
    """
    terms = variance_parts(components)
    bars, labels, told = [], [], []
    for method in dict.fromkeys(terms["method"]):
        labels.append({"row": method, "label": method, "weight": "title"})
        splits = {
            name: variance_of(
                terms.filter(method=method), instances * more_sets, cases * more_cases
            )
            for name, more_sets, more_cases in DESIGNS
        }
        least = min(sum(split.values()) for split in splits.values())
        for name, split in splits.items():
            row, total = f"{method}, {name}", sum(split.values())
            bars += [{"row": row, "source": source, "v": v} for source, v in split.items()]
            weight = "best" if total == least else "plain"
            label = f"{name}: standard error {total**0.5:.3f}"
            labels.append({"row": row, "label": label, "weight": weight})
            shares = [f"{100 * v / total:.0f} % from {source}" for source, v in split.items()]
            told.append(f"{method}, {label}, its square {listed(shares)}")
    y = alt.Y("row:N", sort=[line["row"] for line in labels], axis=None)
    bar = (
        alt.Chart(parts.data(bars))
        .transform_calculate(_order=f"indexof({list(SOURCES)!r}, datum.source)")
        .mark_bar(height=12, yOffset=8)
        .encode(
            x=alt.X("v:Q", title="variance of the mean loss", axis=alt.Axis(tickCount=4)),
            y=y,
            color=_colour(alt.Legend(title=None)),
            order=alt.Order("_order:Q"),
        )
    )
    looks: tuple[tuple[str, int, Literal[400, 600], int], ...] = (
        ("title", 13, 600, 10),
        ("best", 12, 600, 0),
        ("plain", 12, 400, 0),
    )
    text = [
        alt.Chart(parts.data([line for line in labels if line["weight"] == weight]))
        .mark_text(align="left", baseline="bottom", dy=dy, fontSize=size, fontWeight=bold)
        .encode(x=alt.value(0), y=y, text="label:N")
        for weight, size, bold, dy in looks
    ]
    words = f"The variance of the mean loss, bars stacked by source. {'; '.join(told)}."
    return parts.finish(alt.layer(bar, *text), words, "variance by source and design", height=310)


def _check(instances: int, cases: int, most_instances: int, most_cases: int) -> None:
    faults = []
    if not 2 <= instances <= most_instances:
        faults.append(Fault("instances", str(instances), f"it lies between 2 and {most_instances}"))
    if not 1 <= cases <= most_cases:
        faults.append(Fault("cases", str(cases), f"it lies between 1 and {most_cases}"))
    if faults:
        raise FaultyInput("chart of variances", faults)


def _areas(terms: pl.DataFrame, grid: np.ndarray, top: float) -> list[Any]:
    """The terms stacked over the number of test cases, and a rule where the slider stands."""
    over = pl.DataFrame({"cases": grid.tolist()})
    data = parts.data(parts.rows(terms.join(over, how="cross")))
    area = (
        alt.Chart(data)
        .transform_filter("datum.method == method")
        .transform_calculate(
            now=_NOW.format(cases="datum.cases"), _order=f"indexof({list(SOURCES)!r}, datum.source)"
        )
        .mark_area(clip=True, opacity=0.8, line={"strokeWidth": 1})
        .encode(
            x=alt.X(
                "cases:Q",
                title="test cases J (log scale)",
                axis=alt.Axis(grid=False, format="d", tickCount=6),
                scale=alt.Scale(
                    type="log", base=2, domain=[int(grid[0]), int(grid[-1])], nice=False
                ),
            ),
            y=alt.Y(
                "now:Q",
                title="variance of the mean loss",
                stack="zero",
                scale=alt.Scale(domain=[0, top]),
                axis=alt.Axis(tickCount=5, grid=False),
            ),
            color=_colour(),
            order=alt.Order("_order:Q"),
            tooltip=[
                alt.Tooltip("source:N"),
                alt.Tooltip("cases:Q", title="test cases", format=","),
                alt.Tooltip("now:Q", title="variance", format=".3g"),
            ],
        )
    )
    rule = (
        alt.Chart(parts.data([{}]))
        .transform_calculate(cases="cases")
        .mark_rule(strokeDash=[4, 3])
        .encode(x="cases:Q", y=alt.value(_CORNER), y2=alt.value("height"))
    )
    return [area, rule]


def _says(base: alt.Chart) -> list[Any]:
    """The standard error where the sliders stand, and the share of every source, in the upper right corner."""
    now = base.transform_calculate(now=_NOW.format(cases="cases"))
    y = alt.Y("_place:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    right = alt.value("width")
    total = now.transform_aggregate(total="sum(now)").transform_calculate(
        _place="0.95", _text="'standard error ' + format(sqrt(datum.total), '.3r')"
    )
    share = now.transform_joinaggregate(total="sum(now)").transform_calculate(
        _place=f"0.87 - 0.075 * indexof({list(SOURCES)!r}, datum.source)",
        _text="format(100 * datum.now / datum.total, '.0f') + ' %  ' + datum.source",
    )
    return [
        total.mark_text(align="left", dx=-168, fontSize=13, fontWeight=600).encode(
            x=right, y=y, text="_text:N"
        ),
        share.mark_text(align="left", dx=-150, fontSize=12).encode(x=right, y=y, text="_text:N"),
        share.mark_point(shape="square", filled=True, size=90, opacity=1, xOffset=-162).encode(
            x=right, y=y, color=_colour()
        ),
    ]


def _colour(legend: Any = None) -> alt.Color:
    return alt.Color(
        "source:N", legend=legend, scale=alt.Scale(domain=list(SOURCES), range=list(_TINTS))
    )


def _words(terms: pl.DataFrame, methods: list[str], instances: int, cases: int) -> str:
    said = []
    for method in methods:
        split = variance_of(terms.filter(method=method), instances, cases)
        total = sum(split.values())
        shares = [f"{100 * value / total:.0f} % from {source}" for source, value in split.items()]
        said.append(f"{method}: standard error {number(total**0.5)}, its square {listed(shares)}")
    return (
        f"The variance of a mean loss, stacked by source, against the number of test cases; sliders set instances "
        f"and cases, buttons the method. With {instances} instances and {cases} shared test cases, "
        f"{'; '.join(said)}. To the right the stack flattens onto the part that is due to training sets, which "
        "test cases do not lessen."
    )
