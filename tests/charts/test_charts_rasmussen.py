"""Rasmussen's figure: the rule for its digits, its words, and that every odd case can be drawn."""

import math
import re

import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput


@pytest.mark.parametrize(
    ("p", "better", "wanted"),
    [
        (0.0, True, "1"),
        (0.004, True, "1"),
        (0.01, True, "1"),
        (0.0100001, True, "2"),
        (0.07, True, "7"),
        (0.0700001, True, "8"),
        (0.08, True, "8"),
        (0.0801, True, "9"),
        (0.09, True, "9"),
        (0.0901, True, "·"),
        (0.5, True, "·"),
        (1.0, True, "·"),
        (0.001, False, "·"),
        (None, True, "?"),
        (None, False, "?"),
    ],
)
def test_digit_is_100_p_rounded_up(p, better, wanted):
    assert charts.digit(p, better) == wanted


def test_every_digit_marks_its_hundredth():
    for hundredth in range(1, 10):
        assert charts.digit(hundredth / 100, True) == str(hundredth)
        assert charts.digit(hundredth / 100 - 0.005, True) == str(hundredth)


def test_marks_stand_in_the_better_methods_column(toy):
    frame = toy.losses(3)
    _, pairs = assess.assessment(frame)
    marks = toy.table(toy.figure(frame)).filter(kind="comparison")
    assert marks.height == pairs.height == 12
    for line in pairs.iter_rows(named=True):
        size = int(line["task"].rsplit(".", 1)[1])
        shown = marks.filter(training_cases=size, method=line["method"], other=line["other"])
        assert shown["mark"].to_list() == [charts.digit(line["p"], line["difference"] < 0)]
        if shown["mark"][0] != "·":
            assert line["mean"] < line["other_mean"]
    assert "1" in marks["mark"].to_list()


@pytest.mark.parametrize(("name", "letters"), [("mlp-bgd-2", 13), ("forest-quantiles-1", 21)])
def test_labels_at_the_left_have_room_in_wide_fonts_too(toy, name, letters):
    frame = toy.losses(3).with_columns(pl.col("method").replace("mlp-bgd-1", name))
    svg = picture(toy.figure(frame, means=assess.instance_means(frame)).to_dict())
    assert float(re.search(r"translate\((\d+)", svg)[1]) > 6.2 * letters + 7


@pytest.mark.parametrize("methods", [1, 2, 3, 10, 12])
def test_any_number_of_methods_is_drawn_and_named(toy, methods):
    chart = toy.figure(toy.losses(methods))
    svg = picture(charts.specification(chart))
    for row, name in enumerate(toy.names[:methods], start=1):
        assert f">{name}\u2002{row}</text>" in svg
    layout = chart.to_dict()["usermeta"]["benchbook"]["panels"]
    assert layout["count"] == 2
    # On a telephone two panels of ten methods stand side by side, and one of more, whose numbers have two digits.
    count = 2 if methods <= 10 else 1
    assert layout["margin"] + count * layout["least"] + (count - 1) * layout["gap"] <= 352


def test_methods_stand_in_the_order_asked_for(toy):
    chart = toy.figure(toy.losses(4), methods=["base-1", "lin-1"])
    assert toy.table(chart)["method"].unique(maintain_order=True).to_list() == ["base-1", "lin-1"]
    assert ">base-1\u20021</text>" in picture(charts.specification(chart))


def test_what_cannot_be_drawn_is_marked(toy):
    frame = toy.losses(4)
    mask = (pl.col("task") == "toy/t/std.64") & (pl.col("case") == 3)
    frame = frame.with_columns(
        value=pl.when(mask & (pl.col("method") == "base-1"))
        .then(math.inf)
        .when((pl.col("method") == "mlp-bgd-1") & (pl.col("task") == "toy/t/std.128"))
        .then(50.0 * pl.col("value"))
        .otherwise(pl.col("value"))
    )
    frame = pl.concat(
        [frame, frame.filter(pl.col("method") == "lin-1").with_columns(method=pl.lit("lin-copy"))]
    )
    chart = toy.figure(frame)
    shown = toy.table(chart)
    means = shown.filter(kind="expected loss")
    assert means.filter(method="base-1", training_cases=64)["mark"].to_list() == ["∞"]
    assert means.filter(method="mlp-bgd-1", training_cases=128)["mark"].to_list() == ["▲"]
    tests = shown.filter(kind="comparison")
    assert set(tests.filter(method="lin-1", other="lin-copy")["mark"]) == {"?"}
    assert set(tests.filter(method="base-1", training_cases=64)["mark"]) == {"?"}
    spec = chart.to_dict()
    assert "base-1 infinite" in spec["description"]
    assert {"?: undefined", "▲: beyond the axis"} <= set(spec["title"]["subtitle"])
    assert ">∞</text>" in picture(charts.specification(chart))
    everything = toy.figure(frame, top=100.0)
    assert "▲" not in toy.table(everything)["mark"].to_list()


def test_negative_losses_are_drawn_from_their_own_floor(toy):
    frame = toy.losses(3, loss="L").with_columns(pl.col("value") - 9.0)
    chart = toy.figure(frame, standardised=False)
    svg = picture(charts.specification(chart))
    assert ">-8</text>" in svg
    assert ">0</text>" not in svg
    assert "▲" not in set(toy.table(chart)["mark"].drop_nulls())


def test_tables_that_do_not_fit_are_refused(toy):
    both = pl.concat([toy.losses(2), toy.losses(2, family="other/t/std")])
    with pytest.raises(FaultyInput, match="other/t/std, toy/t/std"):
        toy.figure(both)
    with pytest.raises(FaultyInput, match="say which with loss="):
        toy.figure(pl.concat([toy.losses(2), toy.losses(2, loss="A")]))
    with pytest.raises(FaultyInput, match="must end with the number of training cases"):
        toy.figure(toy.losses(2, sizes=(64,)).with_columns(task=pl.lit("toy/t/std")))
    with pytest.raises(FaultyInput, match="no method 'gp-mc-1'"):
        toy.figure(toy.losses(2), methods=["lin-1", "gp-mc-1"])
    expected, pairs = assess.assessment(toy.losses(2))
    with pytest.raises(FaultyInput, match="a column 'mean' is needed"):
        charts.rasmussen(expected.drop("mean"), pairs)
    with pytest.raises(FaultyInput, match="there must be something to draw"):
        charts.rasmussen(expected.clear(), pairs)


def test_one_of_several_losses_can_be_chosen(toy):
    frame = pl.concat([toy.losses(2), toy.losses(2, loss="A")])
    assert "absolute error" in toy.figure(frame, loss="A").to_dict()["description"]
