"""The look of the book's charts: readable on light and dark paper, and without telling colours apart.

Text and lines take the colour of the text around the chart (``currentColor``), so a page that switches between light
and dark needs no second drawing. The six colours have a contrast of at least 3:1 on white and on the dark page, and
stay at least 0.13 apart in OKLab under simulated protanopia, deuteranopia and tritanopia; shape or dash always repeats
what colour says.
"""

from __future__ import annotations

from typing import Any

COLOURS = ("#009bf2", "#bd2e03", "#3a6f6e", "#d5781b", "#8245bf", "#9f9097")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES = ((1, 0), (6, 3), (2, 3))
INK = "currentColor"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"


def colour(index: int) -> str:
    """Colour of the category at ``index``; they repeat after six."""
    return COLOURS[index % len(COLOURS)]


def shape(index: int) -> str:
    """Shape of the category at ``index``: with its colour, unique up to 36."""
    return SHAPES[(index + index // len(COLOURS)) % len(SHAPES)]


def dash(index: int) -> tuple[int, ...]:
    """Dash of the category at ``index``: solid for the first six, then other patterns."""
    return DASHES[index // len(COLOURS) % len(DASHES)]


def theme() -> dict[str, Any]:
    """The Altair theme: a dictionary with one key, "config"."""
    text = {
        "labelColor": INK,
        "titleColor": INK,
        "labelOpacity": 0.85,
        "labelFontSize": 11,
        "titleFontSize": 12,
    }
    axis = {
        **text,
        "titleFontWeight": 500,
        "titlePadding": 8,
        "domainColor": INK,
        "domainOpacity": 0.45,
        "tickColor": INK,
        "tickOpacity": 0.45,
        "tickSize": 4,
        "gridColor": INK,
        "gridOpacity": 0.12,
        "labelLimit": 140,
    }
    return {
        "config": {
            "background": "transparent",
            "font": FONT,
            "padding": 4,
            "aria": False,
            "view": {"stroke": None, "continuousWidth": 560, "continuousHeight": 300},
            "axis": axis,
            "axisX": {"labelSeparation": 6},
            "legend": {
                **text,
                "titleFontWeight": 500,
                "orient": "top",
                "columns": 3,
                "symbolSize": 90,
                "symbolOpacity": 1,  # faint marks lie over each other, or on a line of theirs; a swatch is alone
                "labelLimit": 150,
                "columnPadding": 14,
            },
            "header": {**text, "titleFontWeight": 500, "labelFontWeight": 600},
            "title": {
                "color": INK,
                "subtitleColor": INK,
                "anchor": "start",
                "fontSize": 14,
                "fontWeight": 600,
                "subtitleFontSize": 12,
                "subtitlePadding": 4,
                "offset": 10,
            },
            "range": {"category": list(COLOURS), "symbol": list(SHAPES)},
            "text": {"color": INK, "fontSize": 11},
            "rule": {"color": INK},
            "line": {"color": COLOURS[0], "strokeWidth": 2},
            "point": {"color": COLOURS[0], "size": 60, "filled": True, "opacity": 1},
            "bar": {"color": COLOURS[0]},
            "tick": {"color": INK, "opacity": 1},
        }
    }
