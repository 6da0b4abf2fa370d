"""Small multiples of a task array: every mean and floor is in it, panels stand in order, methods stay apart."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

EIGHT = [f"kin-{inputs}{linear}{noise}" for inputs in (8, 32) for linear in "fn" for noise in "mh"]


def expected_of(toy, names=EIGHT, methods=3, sizes=(64, 128, 1024)):
    frame = pl.concat(
        [
            toy.losses(methods, sizes=sizes, family=f"{name}-sim/dist/std", seed=k)
            for k, name in enumerate(reversed(names))
        ]
    )
    return assess.expected_losses(frame, standard=lambda task, code: 2.0)


@pytest.fixture
def task_array(chapter):
    return chapter("delve/task_array_chart").task_array


def panels(chart):
    return chart.to_dict()["facet"]["sort"]


def test_every_mean_is_in_its_panel(toy, task_array):
    expected = expected_of(toy)
    shown = toy.table(task_array(expected)).filter(kind="loss")
    assert shown.height == expected.height == 8 * 3 * 3
    for line in shown.iter_rows(named=True):
        inputs, linear, noise = line["panel"].split(", ")
        name = f"kin-{inputs.split()[0]}{'n' if 'non' in linear else 'f'}{'h' if 'high' in noise else 'm'}-sim"
        own = expected.filter(
            task=f"{name}/dist/std.{line['training_cases']}", method=line["method"]
        )
        np.testing.assert_allclose(line["value"], own["standardised_mean"].item(), rtol=1e-6)
        np.testing.assert_allclose(
            line["standard_error"], own["standardised_standard_error"].item(), rtol=1e-6
        )


def test_panels_stand_as_in_the_array(toy, task_array):
    result = panels(task_array(expected_of(toy)))
    assert result[0] == "8 inputs, fairly linear, moderate noise"
    assert result[5:] == [
        "32 inputs, fairly linear, high noise",
        "32 inputs, highly non-linear, moderate noise",
        "32 inputs, highly non-linear, high noise",
    ]


def test_a_dataset_without_losses_keeps_its_place(toy, task_array):
    chart = task_array(expected_of(toy, EIGHT[:3]), floors=dict.fromkeys(EIGHT, 0.1))
    assert len(panels(chart)) == 8
    shown = toy.table(chart)
    assert shown.filter(kind="absent").height == 5
    assert shown.filter(kind="floor").height == 3
    assert "3 datasets" in chart.to_dict()["description"]
    assert picture(charts.specification(chart)).count(">no losses</text>") == 5


def test_floors_and_the_best_are_said(toy, task_array):
    chart = task_array(expected_of(toy), floors={"kin-8nm-sim": 0.043})
    words = chart.to_dict()["description"]
    assert words.count("lowest with 64 cases lin-1") == 8
    assert "noise 0.043." in words
    assert any("share of noise" in line for line in chart.to_dict()["title"]["subtitle"])


def test_sixteen_methods_are_told_apart_and_some_stand_out(toy, task_array):
    expected = expected_of(toy, EIGHT[:1], methods=12)
    more = [expected.filter(method="lin-1").with_columns(method=pl.lit(name)) for name in "abcd"]
    chart = task_array(pl.concat([expected, *more]), highlight=["a", "lin-1"])
    spec = chart.to_dict()
    encoding = next(
        layer["encoding"] for layer in spec["spec"]["layer"] if "shape" in layer["encoding"]
    )
    looks = zip(
        encoding["color"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True
    )
    assert len(set(looks)) == 16
    assert next(item for item in spec["params"] if item["name"] == "chosen")["value"] == [
        {"method": "a"},
        {"method": "lin-1"},
    ]
    svg = picture(charts.specification(chart))
    assert all(f">{name}</text>" in svg for name in "abcd")


def test_what_is_beyond_the_axis_is_marked(toy, task_array):
    expected = expected_of(toy, EIGHT[:2]).with_columns(
        pl.when(pl.col("method") == "lin-1")
        .then(7.5)
        .otherwise("standardised_mean")
        .alias("standardised_mean")
    )
    chart = task_array(expected)
    shown = toy.table(chart)
    assert set(shown.filter(method="lin-1")["mark"]) == {"▲"}
    assert set(shown.filter(method="lin-1")["value"]) == {7.5}
    assert any("beyond the axis" in line for line in chart.to_dict()["title"]["subtitle"])


def test_what_has_no_mean_is_left_out(toy, task_array):
    expected = expected_of(toy, EIGHT[:1]).with_columns(
        pl.when((pl.col("method") == "lin-1") & pl.col("task").str.ends_with(".64"))
        .then(None)
        .otherwise("standardised_mean")
        .alias("standardised_mean"),
        pl.when((pl.col("method") == "lin-1") & pl.col("task").str.ends_with(".64"))
        .then(None)
        .otherwise("mean")
        .alias("mean"),
    )
    assert toy.table(task_array(expected)).height == 8


def test_other_tasks_and_unknown_methods_are_refused(toy, task_array):
    with pytest.raises(FaultyInput, match="as kin-8nm"):
        task_array(assess.expected_losses(toy.losses(2)))
    with pytest.raises(FaultyInput, match="no method 'x'"):
        task_array(expected_of(toy, EIGHT[:1]), highlight=["x"])
