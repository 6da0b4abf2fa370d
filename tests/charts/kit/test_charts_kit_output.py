"""Charts leave the program whole: page, files, CSV; and the theme keeps its promises."""

import io
import itertools
import json
import re

import altair as alt
import numpy as np
import polars as pl
import pytest
import vl_convert
from altair.utils.schemapi import SchemaValidationError
from jsonschema import ValidationError

from benchbook import charts
from benchbook.charts.kit import output, parts
from benchbook.charts.kit.theme import COLOURS, colour, dash, shape
from benchbook.errors import FaultyInput


@pytest.fixture
def book():
    renderer, look = alt.renderers.active, alt.theme.active
    charts.enable()
    yield alt.renderers.get()
    alt.renderers.enable(renderer)
    alt.theme.enable(look)


def simple(values=((1, 2.5), (2, None)), **properties):
    data = parts.data([{"x": x, "y": y, "_place": 7} for x, y in values])
    chart = alt.Chart(data).mark_point().encode(x="x:Q", y="y:Q")
    return parts.finish(chart.properties(**properties), 'Two points, "a" & <b>', "Two points!")


def test_page_holds_picture_words_and_inert_specification(book):
    chart = simple(title="</script>")
    bundle, _ = book(chart.to_dict())
    page = bundle["text/html"]
    room, _, rest = page.partition("><")
    assert re.fullmatch(r'<div class="vega-chart" style="--wide:\d+px; --narrow:\d+px;"', room)
    assert rest.startswith('div class="vega-view" role="img" aria-label="')
    assert 'aria-label="Two points, &quot;a&quot; &amp; &lt;b&gt;"' in page
    assert bundle["text/plain"] == 'Two points, "a" & <b>'
    payload = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL).group(1)
    spec = json.loads(payload)
    assert spec["title"] == "</script>"
    assert spec["usermeta"]["benchbook"]["file"] == "two-points"
    assert spec["config"]["axis"]["labelColor"] == "currentColor"
    assert page.count("<svg ") == 1
    assert 'aria-hidden="true"' in page
    assert "http" not in re.sub(
        r"http://www\.w3\.org/[^\"]*|https://vega\.github\.io/schema[^\"]*", "", page
    )


def test_each_table_stands_where_it_is_drawn_and_faults_of_a_chart_are_still_found(book):
    first, second = (alt.Chart(parts.data([{"x": x}])).mark_point().encode(x="x:Q") for x in (1, 2))
    chart = alt.hconcat(first, alt.layer(second, first, data=parts.data([{"x": 3}])))
    spec = charts.specification(chart)
    assert "datasets" not in spec
    assert spec["hconcat"][0]["data"] == {"values": [{"x": 1}]}
    assert spec["hconcat"][1]["data"] == {"values": [{"x": 3}]}
    assert spec["hconcat"][1]["layer"][0]["data"] == {"values": [{"x": 2}]}
    page = book(chart.to_dict())[0]["text/html"]
    assert page.count('"columns":{"x":') == 4
    with pytest.raises(SchemaValidationError, match="sideways"):
        alt.layer(first, second.mark_point(opacity="sideways")).to_dict()
    with pytest.raises(ValidationError, match="sideways"):
        first.properties(title=alt.TitleParams("x", anchor="sideways")).to_dict()


def test_a_parameter_must_not_be_called_as_one_of_vegas_own(book):
    slider = alt.param(name="width", value=1, bind=alt.binding_range(min=0, max=2))
    points = alt.Chart(parts.data([{"x": 1}])).mark_point().encode(x="x:Q")
    for chart in (
        points.add_params(slider),
        alt.hconcat(points, alt.layer(points, points.add_params(slider))),
    ):
        with pytest.raises(
            FaultyInput, match="parameter: found width; Vega has its own of that name"
        ):
            book(chart.to_dict())


def test_what_is_drawn_must_be_a_column_or_made_of_one(book):
    points = alt.Chart(parts.data([{"x": 1}, {"x": 2}])).mark_point()
    book(points.transform_calculate(y="datum.x").encode(x="x:Q", y="y:Q").to_dict())
    with pytest.raises(FaultyInput, match="column: found y; it is drawn, and the tables have x"):
        book(alt.layer(points.encode(x="x:Q"), points.encode(y="mean(y):Q")).to_dict())


def test_two_pictures_on_a_page_share_no_identifier(book):
    clipped = alt.Chart(parts.data([{"x": 1}])).mark_point(clip=True).encode(x="x:Q")
    pages = [book(clipped.properties(description=str(k)).to_dict())[0]["text/html"] for k in (1, 2)]
    ids = [set(re.findall(r'\bid="([^"]+)"', page)) for page in pages]
    assert ids[0]
    assert not ids[0] & ids[1]
    for page, own in zip(pages, ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", page)) <= own


@pytest.mark.parametrize("width", ["container", 200])
def test_files(tmp_path, width):
    chart = simple(width=width, height=100)
    svg = charts.save(chart, tmp_path / "deep" / "chart.svg").read_text()
    assert re.search(rf'<svg[^>]* width="{"6" if width == "container" else "2"}\d\d"', svg)
    assert charts.save(chart, tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    assert charts.save(chart, tmp_path / "chart.pdf").read_bytes().startswith(b"%PDF")
    page = charts.save(chart, tmp_path / "chart.html").read_text()
    assert "vegaEmbed" in page
    assert not re.search(r"<script[^>]+src=", page)
    with pytest.raises(FaultyInput, match=r"\.svg, \.pdf, \.png or \.html"):
        charts.save(chart, tmp_path / "chart.gif")


def test_csv_is_the_largest_table_without_places(tmp_path):
    rule = alt.Chart(parts.data([{"level": 1}])).mark_rule().encode(y="level:Q")
    points = parts.data([{"x": 1, "y": 2.5, "_place": 7}, {"x": 2, "y": None, "_place": 7}])
    chart = rule + alt.Chart(points).mark_point()
    assert charts.data_csv(chart, tmp_path / "data.csv") == "x,y\n1,2.5\n2,\n"
    assert (tmp_path / "data.csv").read_text() == "x,y\n1,2.5\n2,\n"
    frame = alt.Chart(pl.DataFrame({"a": [1, 2, 3]})).mark_point().encode(x="a:Q")
    assert charts.data_csv(frame) == "a\n1\n2\n3\n"


@pytest.mark.parametrize("first", range(3))
def test_csv_has_the_columns_of_all_lines_whichever_comes_first(first):
    lines = [{"x": 1, "low": 0.5}, {"x": 2, "high": 3, "_place": 1}, {"x": 3, "_place": 2}]
    lines = lines[first:] + lines[:first]
    text = charts.data_csv(alt.Chart(alt.Data(values=lines)).mark_point())
    read = pl.read_csv(io.StringIO(text)).sort("x").select("x", "low", "high").rows()
    assert read == [(1, 0.5, None), (2, None, 3), (3, None, None)]


def test_too_many_lines_are_refused():
    assert len(parts.rows(pl.DataFrame({"x": range(5000)}))) == 5000
    with pytest.raises(FaultyInput, match=r"5001 lines.*\n?.*Aggregate first"):
        parts.rows(pl.DataFrame({"x": range(5001)}))


def test_numbers_are_fit_for_a_page():
    result = parts.rows(pl.DataFrame({"x": [1 / 3, float("nan"), float("inf"), None]}))
    assert result == [{"x": 0.33333333}, {"x": None}, {"x": None}, {"x": None}]


def test_specification_wears_the_theme_without_being_enabled(toy):
    spec = charts.specification(toy.figure(toy.losses(2)))
    assert spec["config"]["background"] == "transparent"
    assert spec["config"]["view"]["stroke"] is None
    own = charts.specification(simple().configure_axis(labelColor="red"))
    assert own["config"]["axis"]["labelColor"] == "red"


def luminance(hue):
    parts_ = np.array([int(hue[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return float(linear(parts_) @ [0.2126, 0.7152, 0.0722])


def linear(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("paper", ["#ffffff", "#14181e"])
def test_colours_have_contrast_on_light_and_dark(paper):
    for hue in COLOURS:
        light, dark = sorted((luminance(hue), luminance(paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3.0, hue


# Machado, Oliveira and Fernandes (2009), severity 1.
SIGHT = {
    "usual": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}


def oklab(rgb):
    cones = np.cbrt(
        np.clip(rgb, 0, 1)
        @ np.array(
            [
                [0.4122214708, 0.2119034982, 0.0883024619],
                [0.5363325363, 0.6806995451, 0.2817188376],
                [0.0514459929, 0.1073969566, 0.6299787005],
            ]
        )
    )
    return cones @ np.array(
        [
            [0.2104542553, 1.9779984951, 0.0259040371],
            [0.793617785, -2.428592205, 0.7827717662],
            [-0.0040720468, 0.4505937099, -0.808675766],
        ]
    )


@pytest.mark.parametrize("sight", sorted(SIGHT))
def test_colours_stay_apart_for_every_eye(sight):
    seen = [
        oklab(
            linear(np.array([int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)]))
            @ np.array(SIGHT[sight]).T
        )
        for c in COLOURS
    ]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
    assert nearest > (0.11 if sight == "tritanopia" else 0.13)


def test_shapes_and_colours_together_are_unique():
    looks = {(colour(k), shape(k)) for k in range(36)}
    assert len(looks) == 36
    assert dash(0) == (1, 0)
    assert dash(6) != dash(0)


def test_a_swatch_is_no_paler_than_marks_that_lie_over_each_other(book):
    lines = [{"x": x, "y": x, "of": of} for of in "ab" for x in range(3)]
    base = alt.Chart(parts.data(lines)).encode(x="x:Q", y="y:Q", color="of:N")
    chart = alt.layer(base.mark_area(opacity=0.13), base.mark_point(filled=True))
    drawn = vl_convert.vegalite_to_vega(output.specification(chart), vl_version="6.4")
    assert [legend for legend in drawn["legends"] if "opacity" in str(legend)] == []
