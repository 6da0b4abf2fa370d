"""A legend above a chart whose lines say the values at which the sliders stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from benchbook.charts.kit.theme import COLOURS, SHAPES

STEP = 19
_NARROW, _AXIS = "width < 340", 36
PATTERNS = ((1, 0), (6, 3), (2, 3), (8, 3, 2, 3), (4, 2), (1, 4))


def looks(names: Sequence[str], field: str) -> dict[str, Any]:
    """Colour and dash of lines by name, without a legend of their own."""
    return {
        "color": alt.Color(
            f"{field}:N",
            legend=None,
            scale=alt.Scale(domain=list(names), range=list(COLOURS[: len(names)])),
        ),
        "strokeDash": alt.StrokeDash(
            f"{field}:N",
            legend=None,
            scale=alt.Scale(
                domain=list(names), range=[list(item) for item in PATTERNS[: len(names)]]
            ),
        ),
    }


def shape(names: Sequence[str], field: str) -> alt.Shape:
    """The shape of marks by name, without a legend of its own."""
    return alt.Shape(
        f"{field}:N",
        legend=None,
        scale=alt.Scale(domain=list(names), range=list(SHAPES[: len(names)])),
    )


def legend(
    base: alt.Chart, names: Sequence[str], field: str, text: str, *, above: int = 0
) -> list[alt.Chart]:
    """A line for each name above the plot: its dash in its colour, its mark, and a text.

    The layers need a y scale of their own (``resolve_scale(y="independent")``).

    Args:
        base: data with one line a name once the sliders are heeded.
        names: in the order of the lines. field: the column they stand in.
        text: an expression of Vega for what a line says.
        above: lines of other text to leave free between the legend and the plot.
    """
    n = len(names)
    scale = alt.Scale(
        domain=[0, n], range=[-STEP * (n + above), -STEP * above], nice=False, zero=False
    )
    y = alt.Y("_line:Q", axis=None, scale=scale)
    lines = base.transform_calculate(
        _line=f"0.4 + indexof({list(names)!r}, datum.{field})", _text=text
    )
    return [
        lines.mark_rule(strokeWidth=2.5).encode(
            x=_across(0), x2=_across(26), y=y, **looks(names, field)
        ),
        lines.mark_point(filled=True, size=55, opacity=1).encode(
            x=_across(13), y=y, shape=shape(names, field), color=looks(names, field)["color"]
        ),
        lines.mark_text(
            align="left", baseline="middle", fontSize=alt.expr(f"{_NARROW} ? 11 : 12")
        ).encode(x=_across(34), y=y, text="_text:N"),
    ]


def _across(place: int) -> Any:
    """A place across the plot; where that is narrow the legend begins above its axis, so that the texts have room."""
    return alt.value(alt.expr(f"{place} - ({_NARROW} ? {_AXIS} : 0)"))
