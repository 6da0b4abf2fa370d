"""The power chart of the chapter on planning: its data, its words, and what it refuses."""

import math

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput


def drawn(chart):
    return pl.read_csv(charts.data_csv(chart).encode(), infer_schema_length=None)


def surface(cases=(256, 512), shares=(0.1, 0.2)):
    return pl.DataFrame(
        [
            {
                "comparison": name,
                "share": share,
                "instances": instances,
                "cases": size,
                "power": min(1.0, share * math.sqrt(instances * size) / 8),
                "most": 8192 // (64 + size),
            }
            for name in ("a − b", "c − d")
            for share in shares
            for instances in (2, 4, 8, 16)
            for size in cases
        ]
    )


def test_power_is_the_tables(page):
    shown = drawn(page.planning(surface()))
    assert shown["power"].to_list() == pytest.approx(surface()["power"].to_list(), rel=1e-7)
    spec = page.planning(surface(), cases=256).to_dict()
    values = {item["name"]: item["value"] for item in spec["params"] if "value" in item}
    assert values["exponent"] == 8
    assert values["comparison"] == "a − b"


def test_the_limit_of_the_cases_is_drawn_where_it_lies(page):
    svg = picture(charts.specification(page.planning(surface(), cases=512)))
    assert "J = 512 test cases each" in svg
    assert "14 instances at most" in svg
    assert "at most" not in picture(charts.specification(page.planning(surface(), cases=256)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda page: page.planning(surface(), cases=100), "found 100"),
        (lambda page: page.planning(surface(cases=(500, 512))), "a power of two"),
        (
            lambda page: page.planning(surface(shares=tuple(k / 10 for k in range(1, 9)))),
            "6 can be distinguished",
        ),
        (lambda page: page.planning(surface().drop("most")), "'most' is needed"),
    ],
)
def test_tables_that_cannot_be_drawn_are_refused(page, call, says):
    with pytest.raises(FaultyInput, match=says):
        call(page)
