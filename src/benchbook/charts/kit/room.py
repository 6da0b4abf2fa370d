"""The room that a chart will take in a page, which keeps it free, so that nothing moves when the chart is drawn."""

from __future__ import annotations

import math
import re
from typing import Any

import altair as alt
import vl_convert

from benchbook.method_names import in_words

_VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_WIDTHS = {"wide": 700, "narrow": 350}
"""What a chart has of a page on a desk and on a telephone."""
_SLIDER = {"wide": 34, "narrow": 56}
_MENU = 30
_LETTER, _SYMBOL = 5.8, 40


def heights(spec: dict[str, Any]) -> dict[str, int]:
    """By name of a width the height of a chart in pixels, with its sliders and its menu, as ``charts.js`` draws it."""
    sliders = sum(isinstance(each.get("bind"), dict) for each in spec.get("params", ()))
    return {
        name: round(_drawn(_legends(_panels(spec, width), width), width))
        + _SLIDER[name] * sliders
        + _MENU
        for name, width in _WIDTHS.items()
    }


def _drawn(spec: dict[str, Any], width: int) -> float:
    own = {**spec, "width": width} if spec.get("width") == "container" else spec
    svg = vl_convert.vegalite_to_svg(own, vl_version=_VEGA_LITE)
    height = re.search(r'<svg[^>]* height="([\d.]+)"', svg)
    return float(height[1]) if height else 0.0


def _panels(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """As many panels side by side, and each as wide, as there is room for."""
    panels = spec.get("usermeta", {}).get("benchbook", {}).get("panels")
    if not panels or "facet" not in spec:
        return dict(spec)
    room, gap, count = width - panels["margin"], panels["gap"], panels["count"]
    columns = max(1, min(count, int((room + gap) // (panels["least"] + gap))))
    columns = math.ceil(count / math.ceil(count / columns))
    each = math.floor((room - (columns - 1) * gap) / columns)
    each = max(panels["least"], min(panels["most"], each))
    return {**spec, "columns": columns, "spec": {**spec["spec"], "width": each}}


def _legends(part: Any, width: int) -> Any:
    """No more names beside each other in a legend than there is room for."""
    if isinstance(part, list):
        return [_legends(each, width) for each in part]
    if not isinstance(part, dict):
        return part
    made = {
        key: inner if key in ("data", "usermeta") else _legends(inner, width)
        for key, inner in part.items()
    }
    domain = (
        (made.get("scale") or {}).get("domain") if isinstance(made.get("scale"), dict) else None
    )
    if isinstance(made.get("legend"), dict) and isinstance(domain, list) and domain:
        longest = max(len(in_words(str(name))) for name in domain)
        fit = max(1, int(width // (_LETTER * longest + _SYMBOL)))
        made["legend"]["columns"] = min(made["legend"].get("columns", 3), fit)
    return made
