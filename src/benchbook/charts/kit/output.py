"""Charts out of the program: into the book's pages, into files, and their data as CSV."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import altair as alt
import vl_convert
from altair.utils.schemapi import disable_debug_mode

from benchbook.charts.kit import light, naming, room
from benchbook.charts.kit.theme import theme
from benchbook.errors import Fault, FaultyInput
from benchbook.files import atomic
from benchbook.method_names import NAMES

if TYPE_CHECKING:
    from altair.typing import ChartType

_STATIC_WIDTH = 640
_TAKEN = (
    "autosize",
    "background",
    "cursor",
    "datum",
    "event",
    "height",
    "item",
    "padding",
    "parent",
    "width",
)
_VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


def enable() -> None:
    """Use the book's theme, and draw charts in pages without a network: the renderer named "book".

    A chart becomes an SVG picture with its alternative text, and beside it the specification as inert JSON. The page's
    ``charts.js`` replaces the picture by the live chart; where that script is absent the picture stays. A chart is held
    against Altair's schema when it is drawn, and not each of its parts when that is made besides.
    """
    disable_debug_mode()
    _said.clear()
    alt.theme.register("benchbook", enable=True)(lambda: cast("alt.theme.ThemeConfig", theme()))
    alt.renderers.register("book", _render)
    alt.renderers.enable("book")


def specification(chart: ChartType) -> dict[str, Any]:
    """The Vega-Lite specification of a chart under the book's theme, whatever theme is enabled."""
    spec = inlined(chart.to_dict())
    own = {
        key: value
        for key, value in spec.get("config", {}).items()
        if key != "view" or len(value) > 2
    }
    spec["config"] = {**theme()["config"], **own}
    return spec


def inlined(spec: dict[str, Any]) -> dict[str, Any]:
    """A specification as Altair makes it, with each table where it is drawn instead of apart and by name."""
    tables = spec.get("datasets", {})

    def put(part: object) -> object:
        if isinstance(part, list):
            return [put(each) for each in part]
        if not isinstance(part, dict):
            return part
        if part.keys() == {"name"} and part["name"] in tables:
            return {"values": tables[part["name"]]}
        return {key: put(value) for key, value in part.items()}

    return {key: put(value) for key, value in spec.items() if key != "datasets"}


def picture(spec: dict[str, Any]) -> str:
    """The chart as a static SVG picture.

    Raises:
        FaultyInput: a parameter has a name that Vega gives to something of its own, which would then stand for it; or a
            mark is drawn from a column that no table has, and would be missing.
    """
    parameters = {each["name"] for several in _under(spec, "params") for each in several}
    faults = [
        Fault("parameter", name, "Vega has its own of that name; call it otherwise")
        for name in sorted(parameters & set(_TAKEN))
    ]
    tables = [rows for rows in _under(spec, "values") if rows == [] or isinstance(rows[0], dict)]
    if tables and all(tables):
        made = [
            text for item in _under(spec, "as") for text in ([item] if item is str(item) else item)
        ]
        has = {name for rows in tables for row in rows for name in row} | set(made)
        channels = [each for every in _under(spec, "encoding") for each in every.values()]
        drawn = {each["field"] for each in channels if isinstance(each, dict) and "field" in each}
        faults += [
            Fault("column", str(name), f"it is drawn, and the tables have {', '.join(sorted(has))}")
            for name in sorted(drawn - has)
        ]
    if faults:
        raise FaultyInput("chart", faults)
    return str(vl_convert.vegalite_to_svg(_static(spec), vl_version=_VEGA_LITE))


def _under(part: object, key: str) -> Iterator[Any]:
    """What stands below a key anywhere in a chart but in the lines of its tables."""
    if isinstance(part, dict):
        if key in part:
            yield part[key]
        for name, inner in part.items():
            if name != "values":
                yield from _under(inner, key)
    elif isinstance(part, list):
        for inner in part:
            yield from _under(inner, key)


def _static(spec: dict[str, Any]) -> dict[str, Any]:
    """A chart that fills its container gets a width of its own, since a file has no container."""
    return {**spec, "width": _STATIC_WIDTH} if spec.get("width") == "container" else spec


def _render(spec: dict[str, Any], **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
    spec, codes = naming.named(inlined(spec))
    words = str(spec.get("description", "Chart"))
    drawn = {
        name: part for name, part in light.columns(spec).items() if name != "description"
    }  # said once, beside it
    payload = json.dumps(drawn, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    svg = _unique_ids(light.picture(picture(spec)), payload + words)
    rooms = " ".join(f"--{name}:{height}px;" for name, height in room.heights(spec).items())
    page = (
        f'<div class="vega-chart" style="{rooms}">'
        f'<div class="vega-view" role="img" aria-label="{html.escape(words)}">{svg}</div>'
        f'<script type="application/json">{payload}</script></div>{_key(codes)}'
    )
    return {"text/html": page, "text/plain": words}, {}


_said: set[str] = set()
"""The codes that a chart of this page has told already."""


def _key(codes: list[str]) -> str:
    """The code of each method of a chart beside its name, once a page."""
    told = " · ".join(
        f"{html.escape(NAMES[code])} <code>{code}</code>" for code in codes if code not in _said
    )
    _said.update(codes)
    return f'<p class="bb-codes">{told}</p>' if told else ""


def _unique_ids(svg: str, content: str) -> str:
    """Make the picture's identifiers its own, let it shrink to the page, and leave speaking to what is around it."""
    mark = hashlib.sha256(content.encode()).hexdigest()[:8]
    svg = re.sub(r'\bid="([^"]+)"', rf'id="\1-{mark}"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#\1-{mark})", svg)
    return svg.replace("<svg ", '<svg aria-hidden="true" style="max-width:100%;height:auto" ', 1)


def save(
    chart: ChartType, path: str | Path, *, background: str = "white", scale: float = 2.0
) -> Path:
    """Save a chart as .svg, .pdf, .png or .html; the HTML page is interactive and needs no network.

    Args:
        chart: an Altair chart.
        path: where to; the ending says what to write.
        background: colour of the paper; text and lines are black on it.
        scale: pixels of a PNG per pixel of the chart.

    Raises:
        FaultyInput: any other ending.
    """
    path, spec = Path(path), specification(chart) | {"background": background}
    if path.suffix not in (".svg", ".pdf", ".png", ".html"):
        raise FaultyInput(
            "saving a chart",
            [Fault("path", str(path), "it must end with .svg, .pdf, .png or .html")],
        )
    with atomic(path) as scratch:
        if path.suffix == ".svg":
            scratch.write_text(picture(spec), encoding="utf8")
        elif path.suffix == ".pdf":
            scratch.write_bytes(vl_convert.vegalite_to_pdf(_static(spec), vl_version=_VEGA_LITE))
        elif path.suffix == ".png":
            scratch.write_bytes(
                vl_convert.vegalite_to_png(_static(spec), vl_version=_VEGA_LITE, scale=scale)
            )
        else:
            scratch.write_text(
                vl_convert.vegalite_to_html(spec, vl_version=_VEGA_LITE, bundle=True),
                encoding="utf8",
            )
    return path


def _tables(part: object) -> Iterator[list[dict[str, Any]]]:
    """Every table that stands in a specification."""
    if isinstance(part, dict):
        if isinstance(part.get("data"), dict) and isinstance(part["data"].get("values"), list):
            yield part["data"]["values"]
        inner = [value for name, value in part.items() if name != "data"]
        yield from (table for value in inner for table in _tables(value))
    elif isinstance(part, list):
        yield from (table for inner in part for table in _tables(inner))


def data_csv(chart: ChartType | dict[str, Any], path: str | Path | None = None) -> str:
    """The data of a chart as CSV: its largest table, without the columns that only place things on paper.

    Args:
        chart: an Altair chart, or its specification.
        path: also write it there.
    """
    spec = chart if isinstance(chart, dict) else specification(chart)
    lines = max(_tables(spec), key=len, default=[])
    columns = list(
        dict.fromkeys(name for line in lines for name in line if not name.startswith("_"))
    )
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    if path is not None:
        with atomic(path) as scratch:
            scratch.write_text(text.getvalue(), encoding="utf8")
    return text.getvalue()
