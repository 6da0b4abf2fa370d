"""What every chart shares: data small enough to draw, the choice of tasks and loss, and the finishing touches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import altair as alt
import polars as pl
from altair.typing import ChartType

from benchbook.charts.kit.theme import COLOURS, DASHES, SHAPES
from benchbook.errors import Fault, FaultyInput
from benchbook.words import family, slug, training_cases

Drawn = TypeVar("Drawn", bound=ChartType)
MOST_ROWS = 5000
FIT = alt.AutoSizeParams(type="fit-x", contains="padding")


def rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The lines of a table as a chart's specification holds them: at most 5000, numbers to 8 digits, no nan.

    Raises:
        FaultyInput: the table is longer than a page should carry.
    """
    if table.height > MOST_ROWS:
        rule = f"a chart carries at most {MOST_ROWS}, as they are written into the page"
        raise FaultyInput(
            "chart data",
            [Fault("table", f"{table.height} lines", rule)],
            "Aggregate first: means per instance, bins, or quantiles.",
        )
    return [
        {name: _plain(value) for name, value in line.items()}
        for line in table.iter_rows(named=True)
    ]


def _plain(value: object) -> Any:
    if isinstance(value, float):
        return float(f"{value:.8g}") if math.isfinite(value) else None
    return value


class _Lines(alt.InlineData):
    """Inline data that is the same in a chart and in its copies, of which Altair makes one for every word added."""

    def __deepcopy__(self, _: object = None) -> _Lines:
        return self


def data(lines: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    """Inline data for a chart; put in afterwards, as Altair would check every line against Vega-Lite's schema."""
    made = _Lines(values=[])
    made.values = [dict(line) for line in lines]
    return made


BY_COMMAS = {"labelExpr": "split(datum.label, ', ')", "labelFontSize": 11}
"""A panel's name over several lines, one for each of its parts with commas between them."""


def panels(
    chart: ChartType,
    column: str,
    order: Sequence[Any],
    columns: int,
    spacing: int | Mapping[str, int],
    **header: Any,
) -> alt.FacetChart:
    """A chart for each value of a column, side by side in ``columns`` columns, its name above on the left.

    ``header`` has what ``alt.Header`` takes besides, such as ``labelFontSize``.
    """
    look = alt.Header(labelAnchor="start", **header)
    facet = alt.Facet(f"{column}:N", title=None, sort=order, header=look)
    drawn: Any = chart  # some charts of several panels have no facets
    return cast(alt.FacetChart, drawn.facet(facet, columns=columns, spacing=spacing))


def finish(
    chart: Drawn,
    description: str,
    name: str,
    *,
    height: float | None = None,
    layout: Mapping[str, Any] | None = None,
) -> Drawn:
    """Give a chart its alternative text, the name of its files, and how the page may lay it out.

    Args:
        chart: an Altair chart.
        description: what there is to see, from the data.
        name: becomes the name of files saved from the page.
        height: in pixels, of a chart that is as wide as the page.
        layout: for charts of several panels: how many, their least and largest width, the gap and the margin, in
            pixels; the page chooses how many stand side by side.
    """
    drawn: Any = chart
    if height is not None:
        drawn = drawn.properties(width="container", height=height, autosize=FIT)
    about = {"file": slug(name), **({"panels": dict(layout)} if layout else {})}
    return cast(Drawn, drawn.properties(description=description, usermeta={"benchbook": about}))


def need(table: pl.DataFrame, columns: Sequence[str], what: str, *, empty: bool = False) -> None:
    """Refuse a table that lacks columns, naming all of them, or that has no lines unless ``empty`` is allowed."""
    faults = [
        Fault(what, ", ".join(table.columns) or "no columns", f"a column {name!r} is needed")
        for name in columns
        if name not in table.columns
    ]
    if not faults and table.is_empty() and not empty:
        faults = [Fault(what, "no lines", "there must be something to draw")]
    if faults:
        raise FaultyInput("chart data", faults)


def names(table: pl.DataFrame, column: str) -> list[Any]:
    """The values of a column in the order found; refuses a table without lines or that column."""
    need(table, (column,), "table")
    return list(dict.fromkeys(table[column]))


def ends(values: pl.Series) -> tuple[float, float]:
    """The least and the largest number of a column, for an axis or words."""
    return float(str(values.min())), float(str(values.max()))


def looks(
    field: str,
    categories: Sequence[Any],
    *,
    colours: Sequence[str] = COLOURS,
    shapes: Sequence[str] = SHAPES,
    **options: Any,
) -> dict[str, Any]:
    """The channels ``color`` and ``shape`` that say a category twice; ``options`` are those of both."""
    return {
        "color": alt.Color(f"{field}:N", scale=_scale(categories, colours), **options),
        "shape": alt.Shape(f"{field}:N", scale=_scale(categories, shapes), **options),
    }


def strokes(field: str, categories: Sequence[Any], **options: Any) -> dict[str, Any]:
    """The channels ``color`` and ``strokeDash`` of lines, likewise."""
    dashes = [list(dash) for dash in DASHES]
    return {
        "color": alt.Color(f"{field}:N", scale=_scale(categories, COLOURS), **options),
        "strokeDash": alt.StrokeDash(f"{field}:N", scale=_scale(categories, dashes), **options),
    }


def _scale(categories: Sequence[Any], values: Sequence[Any]) -> alt.Scale:
    """The values in turn, one for each category."""
    chosen = [values[place % len(values)] for place in range(len(categories))]
    return alt.Scale(domain=list(categories), range=chosen)


def told(
    table: pl.DataFrame, column: str, order: Sequence[Any], text: Callable[[dict[str, Any]], str]
) -> str:
    """Words such as "a: this, that; b: those": of each value of a column, the text of its lines."""
    return "; ".join(
        f"{value}: {', '.join(map(text, table.filter(pl.col(column) == value).to_dicts()))}"
        for value in order
    )


def one_of(value: object, known: Sequence[Any], what: str) -> None:
    """Refuse a value that is none of those known; numbers may differ by rounding."""
    near = isinstance(value, float) and any(abs(value - each) < 1e-9 for each in known)
    if not near and value not in known:
        shown = [f"{each:g}" if isinstance(each, float) else str(each) for each in (value, *known)]
        raise FaultyInput("chart data", [Fault(what, shown[0], f"one of {', '.join(shown[1:])}")])


def slider(name: str, value: float, places: Sequence[float], label: str) -> alt.Parameter:
    """A parameter that goes through evenly spaced places, from ``value`` on.

    Raises:
        FaultyInput: the value is not one of the places.
    """
    one_of(value, places, name)
    step = round(places[1] - places[0], 9) if len(places) > 1 else 1.0
    bind = alt.binding_range(min=places[0], max=places[-1], step=step, name=f"{label} ")
    return alt.param(name=name, value=value, bind=bind)


def buttons(name: str, options: Sequence[Any], label: str, value: object = None) -> alt.Parameter:
    """A parameter with a button for each option, the first one at first.

    Raises:
        FaultyInput: the value that is asked for is none of the options.
    """
    value = options[0] if value is None else value
    one_of(value, options, name)
    bind = alt.binding_radio(options=list(options), name=f"{label} ")
    return alt.param(name=name, value=value, bind=bind)


def only_loss(table: pl.DataFrame, loss: str | None, what: str) -> str:
    """The loss to draw: the one given, or the only one there is."""
    losses = sorted(set(table["loss"].cast(pl.String)))
    if loss is None and len(losses) == 1:
        return str(losses[0])
    if loss in losses:
        return str(loss)
    rule = f"it has {', '.join(losses)}: say which with loss=..."
    raise FaultyInput(
        "chart data", [Fault(what, repr(loss) if loss else f"{len(losses)} losses", rule)]
    )


def only_family(tasks: Sequence[str], what: str) -> str:
    """The one task name, without training-set size, that all tasks share.

    Raises:
        FaultyInput: tasks of several families, or one that does not end with its number of training cases.
    """
    faults = [
        Fault(
            what,
            f"task {task!r}",
            "its name must end with the number of training cases, as in std.128",
        )
        for task in tasks
        if training_cases(task) is None
    ]
    families = sorted({family(task) for task in tasks})
    if len(families) > 1:
        faults.append(
            Fault(
                what,
                ", ".join(families),
                "one figure shows one of them: filter the table by task first",
            )
        )
    if faults:
        raise FaultyInput("chart data", faults)
    return families[0]


def pick_methods(table: pl.DataFrame, methods: Sequence[str] | None, what: str) -> list[str]:
    """The methods to draw, in the order given or found."""
    result = list(dict.fromkeys(table["method"].cast(pl.String)))
    faults = [
        Fault(what, f"no method {name!r}", f"it has {', '.join(result)}")
        for name in methods or ()
        if name not in result
    ]
    if faults:
        raise FaultyInput("chart data", faults)
    return list(methods) if methods else result


def on_scale(expected: pl.DataFrame, standardised: bool) -> tuple[pl.DataFrame, bool]:
    """Add ``drawn_mean`` and ``drawn_error``: standardised when that is wanted and known for every mean there is.

    Returns:
        The table, and whether the standard scale was taken.
    """
    has = standardised and "standardised_mean" in expected.columns
    if has:
        known = pl.col("standardised_mean").is_not_null() | pl.col("mean").is_null()
        has = bool(expected.select(known.all()).item())
    mean, error = (
        ("standardised_mean", "standardised_standard_error") if has else ("mean", "standard_error")
    )
    return expected.with_columns(drawn_mean=pl.col(mean), drawn_error=pl.col(error)), has
