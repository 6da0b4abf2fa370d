"""Where marks stand: beside each other, as high as their errors reach, on round ticks, and in their panels."""

import polars as pl
import pytest

from benchbook.charts import curves
from benchbook.charts.rasmussen import _round_ticks, _test_lines, _ticks


@pytest.fixture
def task_array(chapter):
    return chapter("delve/task_array_chart")


def test_methods_of_a_task_array_stand_beside_each_other_with_bars_of_one_error(task_array):
    table = pl.DataFrame(
        {
            "task": ["kin-8fm-sim/dist/std.64"] * 2 + ["kin-32nh-sim/dist/std.64"],
            "method": ["a", "b", "a"],
            "drawn_mean": [0.5, 0.9, 0.3],
            "drawn_error": [0.1, None, 0.25],
        }
    )
    lines = task_array._lines(table, ["a", "b"], {}).filter(kind="loss")
    by_method = {(row["method"], row["_order"]): row for row in lines.to_dicts()}
    first, second, far = by_method["a", 0], by_method["b", 0], by_method["a", 7]
    assert [row["_across"] for row in (first, second)] == pytest.approx(
        [64 * 2**-0.0225, 64 * 2**0.0225]
    )
    assert (first["_low"], first["_high"]) == pytest.approx((0.4, 0.6))
    assert (second["_low"], second["_high"]) == pytest.approx((0.9, 0.9))
    assert (far["_low"], far["_high"]) == pytest.approx((0.1, 0.55))  # no lower than a third


@pytest.mark.parametrize(
    ("name", "order"), [("8fm", 0), ("8fh", 1), ("8nm", 2), ("8nh", 3), ("32fm", 4), ("32nh", 7)]
)
def test_panels_stand_by_inputs_linearity_and_noise(name, order, task_array):
    assert task_array._panel(f"kin-{name}-sim/dist/std.64")["_order"] == order


def test_points_of_curves_stand_beside_each_other_with_bars_of_one_error():
    table = pl.DataFrame(
        {
            "method": ["a", "b", "c"],
            "size": [100] * 3,
            "value": [1.0, 2.0, float("inf")],
            "standard_error": [0.25, 0.5, None],
        }
    )
    placed = curves._placed(table, ["a", "b", "c"])
    assert placed["_across"].to_list() == pytest.approx([100 * 2**-0.05, 100.0])
    assert (placed["_low"].to_list(), placed["_high"].to_list()) == ([0.75, 1.5], [1.25, 2.5])


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


def test_cells_are_tinted_the_stronger_the_smaller_p_and_stand_below_each_other():
    tests = pl.DataFrame(
        {
            "task": "toy/t/std.64",
            "method": ["a", "a", "b", "b"],
            "other": ["b", "c", "a", "c"],
            "difference": [-1.0, -1.0, 1.0, None],
            "p": [0.005, 0.085, 0.005, None],
        }
    )
    lines = _test_lines(tests, ["a", "b", "c"])
    assert [(line["mark"], line["_strength"]) for line in lines] == [
        ("1", pytest.approx(10 / 18)),
        ("9", pytest.approx(2 / 18)),
        ("·", 0.0),
        ("?", 0.0),
    ]
    assert [(line["_low"], line["_high"]) for line in lines[:3]] == [
        (230.0, 246.0),
        (246.0, 262.0),
        (214.0, 230.0),
    ]
    says = ["better, p = 0.005", "better, p = 0.085", "worse, p = 0.005", "undefined: no p value"]
    assert [line["_says"] for line in lines] == says
