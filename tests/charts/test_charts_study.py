"""The charts of the study's chapters: their data, their words, that odd tables can be drawn, and what they refuse."""

import math

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.output import picture
from benchbook.charts.planning import planning
from benchbook.errors import FaultyInput


def surface(cases=(256, 512), shares=(0.1, 0.2)):
    return pl.DataFrame([
        {"comparison": name, "share": share, "instances": instances, "cases": size,
         "power": min(1.0, share * math.sqrt(instances * size) / 8), "most": 8192 // (64 + size)}
        for name in ("a − b", "c − d") for share in shares for instances in (2, 4, 8, 16) for size in cases])


def test_power_is_the_tables(toy):
    shown = toy.table(planning(surface()))
    assert shown["power"].to_list() == pytest.approx(surface()["power"].to_list(), rel=1e-7)
    spec = planning(surface(), cases=256).to_dict()
    values = {one["name"]: one["value"] for one in spec["params"] if "value" in one}
    assert values["exponent"] == 8
    assert values["comparison"] == "a − b"


def test_the_limit_of_the_cases_is_drawn_where_it_lies():
    svg = picture(charts.specification(planning(surface(), cases=512)))
    assert "J = 512 test cases each" in svg
    assert "14 instances at most" in svg
    assert "at most" not in picture(charts.specification(planning(surface(), cases=256)))


def test_words_of_power():
    words = planning(surface()).to_dict()["description"]
    assert "With 512 test cases each, a power of 80% is reached for a difference of a − b: 10 %: 8 instances" in words
    slow = surface().with_columns(power=pl.lit(0.1))
    assert "more than 16" in planning(slow).to_dict()["description"]


@pytest.mark.parametrize(("call", "says"), [
    (lambda: planning(surface(), cases=100), "found 100"),
    (lambda: planning(surface(cases=(500, 512))), "a power of two"),
    (lambda: planning(surface(shares=tuple(k / 10 for k in range(1, 9)))), "6 can be told apart"),
    (lambda: planning(surface().drop("most")), "'most' is needed")])
def test_tables_that_cannot_be_drawn_are_refused(call, says):
    with pytest.raises(FaultyInput, match=says):
        call()
