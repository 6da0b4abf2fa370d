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


@pytest.mark.parametrize(("instances", "cases"), [(8, 4096), (3, 256)])
def test_the_picture_computes_what_the_formula_says(page, terms, instances, cases):
    """Vega's own arithmetic, at the places where the sliders stand, for the method that is shown first."""
    split = page.variance_of(terms.filter(method="supple"), instances, cases)
    total = sum(split.values())
    output = spoken(page.variance_split(TABLE, instances=instances, cases=cases))
    assert float(output[0].split()[-1]) == pytest.approx(total**0.5, rel=0.005)
    assert sorted(output[1:]) == sorted(f"{100 * value / total:.0f} %" for value in split.values())


def test_what_is_refused(page):
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


def test_drawn(page):
    page.variance_split(TABLE, cases=400)
    page.variance_bars(TABLE, instances=8, cases=4096)
