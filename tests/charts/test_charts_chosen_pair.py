"""Rasmussen's figure with the differences behind a cell: its data, its drawing, and what it refuses."""

import re

import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput


def drawn(toy, frame, **options):
    expected, pairs = assess.assessment(frame, standard=lambda task, code: 2.0)
    return charts.rasmussen(expected, pairs, means=assess.instance_means(frame), **options)


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


def test_drawn(toy):
    drawn(toy, toy.losses(2), standardised=False)
    drawn(toy, toy.losses(3), methods=["lin-1", "knn-cv-1"])
    frame = toy.losses(1, sizes=(64,))
    drawn(toy, pl.concat([frame, frame.with_columns(method=pl.lit("base-1"))]))
