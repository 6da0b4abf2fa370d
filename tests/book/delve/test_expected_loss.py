"""The chart of where the uncertainty of a mean loss comes from: its terms, its sliders, its words."""

import re

import polars as pl
import pytest

from benchbook import charts
from benchbook.assess import variance_of_mean
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

TABLE = pl.DataFrame(
    {
        "method": ["stiff", "supple"],
        "sd_instances": [0.01, 0.05],
        "sd_cases": [0.9, 0.6],
        "sd_residual": [0.3, 0.5],
    }
)


@pytest.fixture(scope="module")
def terms(page):
    return page.variance_parts(TABLE)


def spoken(chart):
    return re.findall(r"standard error [0-9.]+|\d+ %", picture(charts.specification(chart)))


@pytest.mark.parametrize(("instances", "cases"), [(2, 1), (8, 4096), (31, 77)])
@pytest.mark.parametrize("row", [0, 1])
def test_terms_are_those_of_the_simulated_losses(page, terms, instances, cases, row):
    """The same numbers as ``assess.variance_of_mean``, which simulation has confirmed."""
    name, *sds = TABLE.row(row)
    split = page.variance_of(terms.filter(method=name), instances, cases)
    expected = variance_of_mean(instances, cases, *sds, "common")
    assert list(split) == list(page.SOURCES)
    assert list(split.values()) == pytest.approx(
        [expected["training sets"], expected["test cases"], expected["rest"]]
    )


def test_each_medicine_cures_its_own_ill(page, terms):
    part = terms.filter(method="supple")
    first, more, wider = (page.variance_of(part, *size) for size in ((4, 100), (8, 100), (4, 200)))
    assert more["training sets"] == first["training sets"] / 2
    assert more["test cases"] == first["test cases"]
    assert wider["training sets"] == first["training sets"]
    assert wider["test cases"] == first["test cases"] / 2
    assert more["the rest"] == wider["the rest"] == first["the rest"] / 2


@pytest.mark.parametrize(("instances", "cases"), [(8, 4096), (3, 256)])
def test_the_picture_computes_what_the_formula_says(page, terms, instances, cases):
    """Vega's own arithmetic, at the places where the sliders stand, for the method that is shown first."""
    split = page.variance_of(terms.filter(method="supple"), instances, cases)
    total = sum(split.values())
    output = spoken(page.variance_split(TABLE, instances=instances, cases=cases))
    assert float(output[0].split()[-1]) == pytest.approx(total**0.5, rel=0.005)
    assert sorted(output[1:]) == sorted(f"{100 * value / total:.0f} %" for value in split.values())


def test_sliders_and_buttons_reach_every_choice(page):
    params = {
        param["name"]: param for param in charts.specification(page.variance_split(TABLE))["params"]
    }
    assert params["method"]["bind"]["options"] == ["stiff", "supple"]
    assert (params["instances"]["bind"]["min"], params["instances"]["bind"]["max"]) == (2, 32)
    bind = params["cases"]["bind"]
    assert params["cases"]["value"] % bind["step"] == 0
    assert bind["max"] % bind["step"] == 0


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match="'sd_cases' is needed"):
        page.variance_split(TABLE.drop("sd_cases"))
    with pytest.raises(FaultyInput, match=r"no sd_cases for stiff(.|\n)*common test scheme"):
        page.variance_parts(TABLE.with_columns(sd_cases=pl.lit(None, dtype=pl.Float64)))
    with pytest.raises(FaultyInput, match=r"between 2 and 32(.|\n)*between 1 and 16384"):
        page.variance_split(TABLE, instances=1, cases=0)
    for instances, cases in ((2, 1), (32, 16384)):  # the ends of both sliders
        assert (
            f"With {instances} instances"
            in page.variance_split(TABLE, instances=instances, cases=cases).description
        )
    for instances, cases in ((33, 16384), (32, 16385)):
        with pytest.raises(FaultyInput, match="it lies between"):
            page.variance_split(TABLE, instances=instances, cases=cases)


def test_bars_have_the_sources_of_the_formula_and_mark_the_better_design(page):
    """Test cases help the stiff method, training sets the supple one; the bars are the terms of the variance."""
    spec = charts.specification(page.variance_bars(TABLE, instances=8, cases=4096))
    bars, titles, best, plain = (layer["data"]["values"] for layer in spec["layer"])
    expected = variance_of_mean(32, 4096, 0.05, 0.6, 0.5, "common")
    row = [bar for bar in bars if bar["row"] == "supple, four times the training sets"]
    assert [bar["v"] for bar in row] == pytest.approx(
        [expected["training sets"], expected["test cases"], expected["rest"]]
    )
    assert [line["label"] for line in titles] == ["stiff", "supple"]
    assert [line["row"] for line in best] == [
        "stiff, four times the test cases",
        "supple, four times the training sets",
    ]
    assert len(plain) == 4


def test_the_axis_reaches_the_largest_variance_of_two_instances_and_a_quarter_of_the_cases(
    page, terms
):
    chart = charts.specification(page.variance_split(TABLE, cases=400))
    domains = re.findall(r"'domain': \[0, ([0-9.e-]+)\]", str(chart))
    largest = max(
        sum(page.variance_of(part, 2, 100).values()) for _, part in terms.group_by("method")
    )
    assert pytest.approx(largest) in [float(text) for text in domains]
