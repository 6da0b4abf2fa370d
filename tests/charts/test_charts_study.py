"""The charts of the study's chapters: their data, their words, that odd tables can be drawn, and what they refuse."""

import math

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.advantage import advantage
from benchbook.charts.agreement import agreement
from benchbook.charts.evidence import evidence
from benchbook.charts.output import picture
from benchbook.charts.planning import planning
from benchbook.errors import FaultyInput

SIZES = (64, 128)
TASK = "kin-8nm-sim/dist/std.64"


def ratios(values=(0.5, 1.02), p=(0.001, 0.6)):
    return pl.DataFrame([
        {"dataset": dataset, "training_cases": size, "ratio": value, "low": 0.9 * value, "high": 1.1 * value, "p": one}
        for dataset in ("kin-8nm-sim", "bank-8nm-sim") for size, value, one in zip(SIZES, values, p, strict=True)])


def points():
    return pl.DataFrame([
        {"dataset": dataset, "training_cases": 64, "method": name, "recreated": value, "original": 1.1 * value}
        for dataset in ("kin-8nm", "bank-8nm") for name, value in (("lin-1", 1.0), ("mlp-mc-3", 0.3))])


def comparisons():
    return pl.DataFrame([
        {"statement": key, "method": "a", "other": "b", "task": TASK, "factor": factor, "ratio": ratio, "p": 0.01,
         "mark": mark}
        for key, factor, ratio, mark in (("one", 1.0, 0.7, "for"), ("one", 1.0, 1.3, "against"),
                                         ("two", 0.8, 0.6, "open"), ("two", 0.8, 99.0, "against"))])


def surface(cases=(256, 512), shares=(0.1, 0.2)):
    return pl.DataFrame([
        {"comparison": name, "share": share, "instances": instances, "cases": size,
         "power": min(1.0, share * math.sqrt(instances * size) / 8), "most": 8192 // (64 + size)}
        for name in ("a − b", "c − d") for share in shares for instances in (2, 4, 8, 16) for size in cases])


ORDER = [("one", "first label", "reproduced"), ("two", "second label", "undecided"), ("none", "third", "not tested")]
GROUPS = {"lines": ("lin-1",), "samplers": ("mlp-mc-3",), "trees": ("forest-1",)}


def test_ratios_are_the_tables(toy):
    shown = toy.table(advantage(ratios(), "a", "b"))
    assert shown["ratio"].to_list() == ratios()["ratio"].to_list()
    assert shown["p"].to_list() == ratios()["p"].to_list()


def test_an_interval_beyond_the_axis_ends_there():
    lines = ratios().with_columns(low=pl.lit(1e-6), high=pl.lit(1e6))
    spec = advantage(lines, "a", "b").to_dict()
    low, high = spec["spec"]["layer"][2]["encoding"]["y"]["scale"]["domain"]
    assert 0.3 < low < 0.5
    assert 1.25 <= high < 2
    drawn = next(iter(spec.get("datasets", {"": spec["data"].get("values")}).values()))
    assert [line["_low"] for line in drawn] == pytest.approx([low] * 4)
    assert [line["_high"] for line in drawn] == pytest.approx([high] * 4)


def test_what_has_no_p_is_drawn_as_open():
    lines = ratios().with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64),
                                  p=pl.lit(None, pl.Float64))
    chart = advantage(lines, "a", "b")
    assert "p undefined" in chart.to_dict()["description"]
    assert picture(charts.specification(chart)).count("<path") > 4


def test_words_of_ratios():
    words = advantage(ratios(), "mlp-mc-3", "lin-1").to_dict()["description"]
    assert "Expected loss of mlp-mc-3 as a multiple of that of lin-1" in words
    assert "kin-8nm-sim, 64: 0.5 (p = 0.001) and 128: 1.02 (p = 0.6)" in words


def test_losses_side_by_side_are_the_tables(toy):
    shown = toy.table(agreement(points(), GROUPS, "base-1"))
    assert shown["recreated"].to_list() == points()["recreated"].to_list()
    words = agreement(points(), GROUPS, "base-1").to_dict()["description"]
    assert "that of base-1 being 1" in words
    assert "kin-8nm: 2 marks, the median a factor of 1.1 off the diagonal" in words


def test_methods_in_no_group_are_not_drawn(toy):
    assert toy.table(agreement(points(), {"lines": ("lin-1",)}, "x"))["method"].unique().to_list() == ["lin-1"]


def test_evidence_is_the_tables_and_stays_on_the_paper(toy):
    chart = evidence(comparisons(), ORDER)
    shown = toy.table(chart)
    assert shown["ratio"].to_list() == comparisons()["ratio"].to_list()
    svg = picture(charts.specification(chart))
    assert ">first label</text>" in svg
    assert ">undecided</text>" in svg
    assert ">third</text>" not in svg
    spec = chart.to_dict()
    drawn = max(spec["datasets"].values(), key=len) if "datasets" in spec else spec["layer"][-1]["data"]["values"]
    assert [line["_x"] for line in drawn] == pytest.approx([0.7, 1.3, 0.75, 4.0])


def test_words_of_evidence():
    words = evidence(comparisons(), ORDER).to_dict()["description"]
    assert "first label: reproduced, 1 for, 1 against" in words
    assert "second label: undecided, 1 open, 1 against" in words


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
    (lambda: advantage(ratios().head(0), "a", "b"), "no lines"),
    (lambda: advantage(ratios().drop("p"), "a", "b"), "'p' is needed"),
    (lambda: agreement(points(), {"x": ("cart-1",)}, "lin-1"), "no lines"),
    (lambda: evidence(comparisons().drop("mark"), ORDER), "'mark' is needed"),
    (lambda: planning(surface(), cases=100), "found 100"),
    (lambda: planning(surface(cases=(500, 512))), "a power of two"),
    (lambda: planning(surface(shares=tuple(k / 10 for k in range(1, 9)))), "6 can be told apart"),
    (lambda: planning(surface().drop("most")), "'most' is needed")])
def test_tables_that_cannot_be_drawn_are_refused(call, says):
    with pytest.raises(FaultyInput, match=says):
        call()
