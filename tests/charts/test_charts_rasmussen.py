"""Rasmussen's figure: the rule for its digits, its words, and that every odd case can be drawn."""

import math
import re

import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts.kit.output import picture
from benchbook.charts.rasmussen import _round_ticks, _task_words, _ticks


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
    # On a telephone two panels of few methods stand side by side, and one of ten and more, beside their names.
    count = 2 if methods < 10 else 1
    assert layout["margin"] + count * layout["least"] + (count - 1) * layout["gap"] <= 352


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, 12.4, [0.0, 2.5, 5.0, 7.5, 10.0, 12.5]),
        (0.0, 5.0, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        (-1.0, 23.0, [-5.0, 0.0, 5.0, 10.0, 15.0, 20.0, 25.0]),
        (0.0, 48.0, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    ],
)
def test_ticks_are_round(low, high, ticks):
    assert _round_ticks(low, high) == ticks


def test_an_axis_ends_before_what_is_far_from_three_quarters_of_the_means():
    means = [0.4] * 6 + [0.9, 3.0]
    frame = pl.DataFrame({"_mean": means, "_error": [0.1] * 8})
    assert _ticks(frame, None)[-1] == 1.0
    assert _ticks(frame, 4.0)[-1] == 4.0
    near = frame.with_columns(_mean=pl.Series([0.4] * 6 + [0.9, 2.8]))
    assert _ticks(near, None)[-1] == 3.0


def test_drawn(toy):
    frame = toy.losses(4)
    toy.figure(frame, methods=["base-1", "lin-1"])
    mask = (pl.col("task") == "toy/t/std.64") & (pl.col("case") == 3)
    frame = frame.with_columns(
        value=pl.when(mask & (pl.col("method") == "base-1"))
        .then(math.inf)
        .when((pl.col("method") == "mlp-bgd-1") & (pl.col("task") == "toy/t/std.128"))
        .then(50.0 * pl.col("value"))
        .otherwise(pl.col("value"))
    )
    copy = frame.filter(method="lin-1").with_columns(method=pl.lit("lin-copy"))
    toy.figure(pl.concat([frame, copy]))
    toy.figure(frame, top=100.0)
    toy.figure(toy.losses(3, loss="L").with_columns(pl.col("value") - 9.0), standardised=False)
    toy.figure(pl.concat([toy.losses(2), toy.losses(2, loss="A")]), loss="A")


@pytest.mark.parametrize(
    ("p", "difference", "said"),
    [
        (0.05, -1.0, "better at the 0.05 level than b"),
        (0.051, -1.0, "not significantly better than any"),
        (0.01, 1.0, "not significantly better than any"),
    ],
)
def test_the_lowest_is_better_than_those_that_it_beats_at_the_level(p, difference, said):
    table = pl.DataFrame(
        {
            "_size": 64,
            "method": ["b", "a", "c"],
            "_mean": [2.0, 1.0, None],
            "_error": [0.5, None, None],
            "instances": [4, 8, 4],
        }
    )
    pair = {"method": ["a", "b"], "other": ["b", "a"], "difference": [difference, -difference]}
    words = _task_words(table, pl.DataFrame(pair | {"p": p}))
    assert words == f"64 training cases, 8 instances: a 1; b 2 ± 0.5. Lowest: a, {said}."
    empty = table.with_columns(_mean=pl.lit(None, pl.Float64))
    assert _task_words(empty, pl.DataFrame()) == "64 training cases: no mean is defined."
