"""Charts as light as they can be in a page: nothing unseen in the picture, and no name twice in the data."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from typing import Any
from xml.etree import ElementTree

_SVG = "http://www.w3.org/2000/svg"
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_NUMBERS = (
    "d",
    "transform",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "width",
    "height",
    "points",
    "cx",
    "cy",
    "r",
    "opacity",
    "fill-opacity",
    "stroke-opacity",
)
_SHAPES = {f"{{{_SVG}}}{name}" for name in ("path", "line", "rect", "circle")}
_PATH, _TEXT = f"{{{_SVG}}}path", f"{{{_SVG}}}text"
_UNUSED = ("role", "aria-roledescription", "aria-label", "aria-hidden", "pointer-events", "class")
_HANDED_DOWN = (
    "fill",
    "fill-opacity",
    "font-family",
    "font-size",
    "font-weight",
    "stroke",
    "stroke-dasharray",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
)
_OF_TEXT = ("font-family", "font-size", "font-weight", "text-anchor")
_DEFAULTS = {"transform": "translate(0,0)", "opacity": "1", "x2": "0", "y2": "0"}
_MOVED = re.compile(r"translate\(([^,()]+),([^,()]+)\)")
_ROUND = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0")
_GROUPS = {f"{{{_SVG}}}{name}" for name in ("svg", "g")}
_FEW = 0.5
"""A column is written as its distinct values when there are at most this many of them for each line."""
_PLACES = string.digits + string.ascii_uppercase + string.ascii_lowercase


def picture(svg: str) -> str:
    """An SVG of Vega's without what nobody sees or hears: shapes without paint, long numbers, and roles.

    The picture is hidden from screen readers, which read the description of the chart instead.
    """
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(svg)
    for parent in root.iter():
        for child in list(parent):
            if parent.tag in _GROUPS and _unseen(
                child
            ):  # the shapes of a clipPath have no paint, and count
                parent.remove(child)
    for node in root.iter():
        for name in _UNUSED:
            node.attrib.pop(name, None)
        for name in _NUMBERS:
            if name in node.attrib:
                node.attrib[name] = _LONG.sub(
                    lambda match: _short(float(match[0])), node.attrib[name]
                )
        for name, value in _DEFAULTS.items():
            if node.get(name) == value:
                del node.attrib[name]
        _shorten(node)
    _share(root)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _shorten(node: ElementTree.Element) -> None:
    """Circles are written as circles, places of circles and texts as such, and faint paint as what can be shared."""
    if node.tag == _PATH and (circle := _ROUND.fullmatch(node.get("d", ""))):
        node.tag = f"{{{_SVG}}}circle"
        del node.attrib["d"]
        node.set("r", circle[1])
    places = {_TEXT: ("x", "y"), f"{{{_SVG}}}circle": ("cx", "cy")}.get(node.tag)
    if (
        places
        and not len(node)
        and not {*places} & {*node.attrib}
        and (index := _MOVED.fullmatch(node.get("transform", "")))
    ):  # a tspan counts from the place of its text
        del node.attrib["transform"]
        node.attrib |= dict(zip(places, index.groups(), strict=True))
    painted = [
        name for name in ("fill", "stroke") if node.get(name, "none") not in ("none", "transparent")
    ]
    if node.tag in {*_SHAPES, _TEXT} and "opacity" in node.attrib and len(painted) == 1:
        faint = f"{painted[0]}-opacity"
        node.set(faint, _short(float(node.attrib.pop("opacity")) * float(node.get(faint, "1"))))


def _share(node: ElementTree.Element) -> None:
    """Say once, of a group, what is the same in most of its members; the others say what they have instead."""
    for child in node:
        _share(child)
    if node.tag not in _GROUPS:
        return
    for index, child in reversed(list(enumerate(node))):
        if child.tag in _GROUPS and not child.attrib:
            node[index : index + 1] = list(child)
    texts = [child for child in node if child.tag == _TEXT or child.find(f".//{_TEXT}") is not None]
    for name in _HANDED_DOWN:
        members = texts if name in _OF_TEXT else list(node)
        values = Counter(child.get(name) for child in members)
        if values and None not in values:  # a member that says nothing has what is above the group
            [(common, _)] = values.most_common(1)
            for child in members:
                if child.get(name) == common:
                    del child.attrib[name]
            node.set(name, str(common))


def _unseen(node: ElementTree.Element) -> bool:
    """Whether a text is empty, or a shape has no paint: it is transparent, or there to be pointed at.

    Vega's groups hand no paint down.
    """
    if node.tag == _TEXT:
        return not len(node) and not node.text
    painted = any(
        node.get(name, "none") not in ("none", "transparent") and node.get(f"{name}-opacity") != "0"
        for name in ("fill", "stroke")
    )
    return node.tag in _SHAPES and (
        node.get("opacity") == "0" or node.get("display") == "none" or not painted
    )


def _short(number: float) -> str:
    """A hundredth of a pixel is enough; shares and factors below one keep three digits."""
    text = f"{number:.2f}" if abs(number) >= 1 else f"{number:.3f}"
    return text.rstrip("0").rstrip(".")


def columns(part: Any) -> Any:
    """A specification whose tables stand there column by column; the page's ``charts.js`` makes lines of them again.

    ``{"values": [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}, {"a": 3}]}`` becomes ``{"columns": {"a": [1, 2, 3], "b":
    {"of": ["x"], "at": "00-"}}, "lines": 3}``: of every line the place of its value, a digit or letter, and a dash
    where a line has none. More values than digits and letters have their places in a list, with -1 for the dash.
    """
    if isinstance(part, list):
        return [columns(each) for each in part]
    if not isinstance(part, dict):
        return part
    table = part.get("values")
    if isinstance(table, list) and table and all(isinstance(line, dict) for line in table):
        rest = {key: value for key, value in part.items() if key != "values"}
        names = dict.fromkeys(name for line in table for name in line)
        return rest | {
            "columns": {name: _column(name, table) for name in names},
            "lines": len(table),
        }
    return {key: columns(value) for key, value in part.items()}


def _column(name: str, table: list[dict[str, Any]]) -> Any:
    keys = [json.dumps(line[name]) if name in line else None for line in table]
    distinct = {
        key: index
        for index, key in enumerate(dict.fromkeys(key for key in keys if key is not None))
    }
    if None not in keys and len(distinct) > _FEW * len(keys):
        return [line[name] for line in table]
    places = [-1 if key is None else distinct[key] for key in keys]
    written = (
        "".join("-" if position < 0 else _PLACES[position] for position in places)
        if len(distinct) <= len(_PLACES)
        else ""
    )
    return {"of": [json.loads(key) for key in distinct], "at": written or places}
