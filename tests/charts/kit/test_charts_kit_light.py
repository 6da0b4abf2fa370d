"""A chart in a page is lighter than Vega writes it, and is seen as before."""

import json
import re
from pathlib import Path

import altair as alt
import pytest
import vl_convert

from benchbook import charts
from benchbook.charts.kit import light, output, parts

SVG = '<svg xmlns="http://www.w3.org/2000/svg">'


def facets():
    """A chart with all that is taken away: shapes to be pointed at, shared paint, clipped lines, long numbers."""
    lines = [
        {"x": x / 7, "y": x * x / 49, "kind": kind} for x in range(8) for kind in ("one", "two")
    ]
    base = alt.Chart(parts.data(lines)).encode(
        x="x:Q", y=alt.Y("y:Q", scale=alt.Scale(domain=[0, 0.5]))
    )
    drawn = alt.layer(
        base.mark_line(clip=True),
        base.mark_point(opacity=0),
        base.mark_text(dy=-6).encode(text="y:Q"),
    )
    return charts.specification(drawn.properties(width=120, height=80).facet("kind:N"))


def shapes(svg):
    return len(re.findall(r"<(?:path|line|rect|circle)\b", svg))


def painted(svg):
    """The picture in black at a scale at which a hundredth of a pixel is nothing."""
    return vl_convert.svg_to_png(svg.replace("currentColor", "black"), scale=1)


def test_the_picture_is_shorter_and_looks_the_same(monkeypatch):
    monkeypatch.setattr(
        light, "_short", repr
    )  # the same numbers, so that the same pixels are painted
    heavy = output.picture(facets())
    made = light.picture(heavy)
    assert len(made) < 0.8 * len(heavy)
    assert shapes(made) <= shapes(heavy) - 16
    assert re.findall(r"<text[^>]*>([^<]*)", made) == re.findall(r"<text[^>]*>([^<]*)", heavy)
    assert painted(made) == painted(heavy)
    assert painted(made) != painted(made.replace("clip-path", "no-clip"))


def test_numbers_are_rounded_to_what_is_seen():
    svg = (
        f'{SVG}<g class="a" role="b"><path transform="translate(62.456709,-0.00012)" '
        'd="M2.739,0A-2.7394,1e-7,0L0.123456,12.999" fill="red" opacity="1"/></g></svg>'
    )
    made = light.picture(svg)
    assert 'transform="translate(62.46,-0)"' in made
    assert 'd="M2.74,0A-2.74,1e-7,0L0.123,13"' in made
    assert "role" not in made
    assert "opacity" not in made


@pytest.mark.parametrize(
    ("paint", "seen"),
    [
        ('fill="red"', True),
        ('fill="none" stroke="red"', True),
        ('fill="red" fill-opacity="0" stroke="red"', True),
        ("", False),
        ('fill="transparent" stroke="none"', False),
        ('fill="red" opacity="0"', False),
        ('fill="red" display="none"', False),
        ('fill="red" fill-opacity="0" stroke="blue" stroke-opacity="0"', False),
    ],
)
def test_what_has_no_paint_is_left_out(paint, seen):
    made = light.picture(
        f'{SVG}<g><path d="M0,0h1" {paint}/><path d="M5,5h1" fill="red"/></g></svg>'
    )
    assert ('d="M0,0h1"' in made) == seen
    assert 'd="M5,5h1"' in made


def test_circles_texts_and_faint_paint_are_written_shortly():
    disc = "M1.58,0A1.58,1.58,0,1,1,-1.58,0A1.58,1.58,0,1,1,1.58,0"
    svg = (
        f'{SVG}<g><path transform="translate(8,9)" d="{disc}" fill="red" opacity="0.5" fill-opacity="0.5"/>'
        f'<path d="{disc.replace("-", "+")}" fill="red"/><path d="{disc}" fill="red" stroke="blue" opacity="0.5"/>'
        '<text transform="translate(1,2)" fill="red">a</text><text transform="translate(1,2)" fill="red"/>'
        '<text transform="translate(1,2) rotate(9)" fill="red">b</text>'
        '<text transform="translate(1,2)" fill="red">c<tspan x="0" dy="9">d</tspan></text></g></svg>'
    )
    made = light.picture(svg)
    assert '<circle fill-opacity="0.25" r="1.58" cx="8" cy="9"/>' in made
    assert made.count("<circle") == 2
    assert (
        '<circle stroke="blue" opacity="0.5" r="1.58"/>' in made
    )  # of paint and line, which lie on each other
    assert '<text x="1" y="2">a</text>' in made
    assert made.count("<text") == 3
    assert made.count("transform=") == 2


def test_what_only_texts_need_is_said_once_for_all_of_them():
    svg = (
        f'{SVG}<g transform="translate(1,1)"><path d="M0,0h9" stroke="red"/></g>'
        '<g><text font-size="9px">a</text></g>'
        '<g transform="translate(2,2)"><text font-size="9px">b</text></g></svg>'
    )
    made = light.picture(svg)
    assert made.count("font-size") == 1
    assert '<svg xmlns="http://www.w3.org/2000/svg" font-size="9px">' in made


def test_the_shape_that_clips_is_kept():
    clip = '<defs><clipPath id="c"><rect width="9" height="9"/></clipPath></defs>'
    svg = f'{SVG}{clip}<g clip-path="url(#c)"><path d="M0,0" stroke="red"/></g></svg>'
    assert '<clipPath id="c"><rect' in light.picture(svg)


def test_a_group_says_what_most_of_its_members_have_and_the_others_what_they_have_instead():
    shapes_of = [
        f'<path d="M{x},0h9v9h-9Z" fill="red" fill-opacity="{paint}" stroke="blue"/>'
        for x, paint in zip(range(0, 50, 10), ("0.2", "1", "0.2", "0.7", "0.2"), strict=True)
    ]
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="60" height="10"><g>{"".join(shapes_of)}</g></svg>'
    made = light.picture(svg)
    assert made.count("fill-opacity") == 3
    assert made.count("stroke=") == 1
    assert painted(made) == painted(svg)
    bare = svg.replace(' stroke="blue"/></g>', "/></g>")
    assert painted(light.picture(bare)) == painted(bare) != painted(svg)


def test_places_are_read_as_they_are_written():
    script = Path(__file__).parents[3] / "book" / "_static" / "charts.js"
    assert f'var PLACES = "{PLACES}";' in script.read_text(encoding="utf8")


PLACES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def lines_of(part):
    """What ``inLines`` of charts.js does."""
    if isinstance(part, list):
        return [lines_of(each) for each in part]
    if not isinstance(part, dict):
        return part
    made = {name: lines_of(value) for name, value in part.items()}
    if "lines" not in part or "columns" not in part:
        return made
    lines = [{} for _ in range(made.pop("lines"))]
    for name, column in made.pop("columns").items():
        for index, line in enumerate(lines):
            if isinstance(column, list):
                line[name] = column[index]
                continue
            at = column["at"][index]
            at = PLACES.find(at) if isinstance(at, str) else at
            if at >= 0:
                line[name] = column["of"][at]
    return made | {"values": lines}


@pytest.mark.parametrize(
    "table",
    [
        [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}, {"a": 3}],
        [{"a": 1, "b": None}, {"b": 1.0}, {"a": True}, {"a": 1.0}, {}],
        [{"a": [1, 2], "b": {"c": 1}}, {"a": [1, 2], "b": {"c": 1}}],
        [{"a": 1}] * 9,
        [{"a": value % 62} for value in range(200)],
        [{"a": value % 63} if value % 5 else {} for value in range(200)],
        [],
    ],
)
def test_columns_hold_what_the_lines_held(table):
    spec = {
        "data": {"values": table, "format": {"type": "json"}},
        "axis": {"values": [1, 2]},
        "layer": [{"n": None}],
    }
    made = lines_of(light.columns(spec))
    assert made == spec
    for line, back in zip(table, made["data"]["values"], strict=True):
        assert {name: type(back[name]) for name in back} == {
            name: type(line[name]) for name in line
        }


def test_a_chart_of_many_lines_is_half_as_long():
    spec = facets()
    long, short = (len(json.dumps(each)) for each in (spec["data"], light.columns(spec)["data"]))
    assert short < 0.6 * long
