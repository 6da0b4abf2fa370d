"""Rasmussen's figure with the differences behind a cell: its data, its drawing, and what it refuses."""

import re

import numpy as np
import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts import chosen_pair
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput


def read(svg):
    """The letters of a picture, the lines of a text beside each other."""
    return re.sub(r"</tspan><tspan[^>]*>", " ", svg)


def drawn(toy, frame, **options):
    expected, pairs = assess.assessment(frame, standard=lambda task, code: 2.0)
    return charts.rasmussen(expected, pairs, means=assess.instance_means(frame), **options)


def test_lines_are_of_the_methods_and_tasks_that_are_drawn(toy):
    means = assess.instance_means(toy.losses(3))
    expected = pl.DataFrame({"task": ["toy/t/std.64"]})
    names = ["lin-1", "knn-cv-1"]
    drawn = chosen_pair.lines(means, expected, names, ("lin-1", "knn-cv-1"), False)
    assert {(line["method"], line["training_cases"]) for line in drawn} == {
        (name, 64) for name in names
    }
    assert len(drawn) == 2 * 4


def test_losses_that_are_not_standardised_stay_as_they_are(toy):
    frame = toy.losses(2)
    shown = toy.table(drawn(toy, frame, standardised=False)).filter(kind="instance")
    np.testing.assert_allclose(
        sorted(shown["mean"]), sorted(assess.instance_means(frame)["mean"]), rtol=1e-7
    )


def test_dots_stand_at_the_differences(toy):
    """The mean difference over the largest one is where the line is drawn, in the strip's 38 pixels either way."""
    frame = toy.losses(2, sizes=(64,))
    wide = assess.instance_means(frame).pivot("method", index="instance", values="mean")
    gap = (wide["lin-1"] - wide["knn-cv-1"]).to_numpy()
    svg = picture(charts.specification(drawn(toy, frame)))
    places = sorted(
        float(y)
        for y in re.findall(r'transform="translate\([\d.]+,([\d.]+)\)"[^>]*stroke="#bd2e03"', svg)
    )
    wanted = np.sort(-38.0 * gap / np.abs(gap).max())
    np.testing.assert_allclose(np.array(places) - places[0], wanted - wanted[0], atol=0.01)


def test_equal_losses_are_drawn(toy):
    frame = toy.losses(1, sizes=(64,))
    twin = pl.concat([frame, frame.with_columns(method=pl.lit("base-1"))])
    assert "lin-1 − base-1" in read(picture(charts.specification(drawn(toy, twin))))


def test_a_pair_wider_than_its_panel_stands_in_two_lines(toy):
    for width, lines in ((60, ["knn-cv-1 −", "lin-1"]), (200, ["knn-cv-1 − lin-1"])):
        spec = charts.specification(
            drawn(toy, toy.losses(2, sizes=(64,)), pair=("knn-cv-1", "lin-1"))
        )
        spec["spec"]["width"] = width
        result = re.findall(
            r">([^<>]*knn-cv-1 −[^<>]*)<(?:/tspan><tspan[^>]*>([^<]*)<)?", picture(spec)
        )
        assert [line for line in result[0] if line] == lines


@pytest.mark.parametrize(
    ("pair", "says"), [(("lin-1", "cart-1"), "'cart-1'"), (("lin-1", "lin-1"), "lin-1 twice")]
)
def test_a_pair_that_is_none_is_refused(toy, pair, says):
    with pytest.raises(FaultyInput, match=says):
        drawn(toy, toy.losses(2), pair=pair)
