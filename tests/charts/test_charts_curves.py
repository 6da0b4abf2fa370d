"""Learning curves and paired differences: what they show is what the tables hold."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.errors import FaultyInput


def test_learning_curve_tells_twelve_methods_apart_without_colour_alone(toy):
    chart = charts.learning_curve(assess.expected_losses(toy.losses(12)))
    encoding = next(
        layer["encoding"] for layer in chart.to_dict()["layer"] if "shape" in layer["encoding"]
    )
    looks = list(
        zip(encoding["color"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True)
    )
    assert len(set(looks)) == 12
    assert len({hue for hue, _ in looks}) == 6
    assert encoding["color"]["scale"]["domain"] == toy.names


def test_learning_curve_leaves_out_what_is_infinite_and_says_so(toy):
    frame = toy.losses(2).with_columns(
        value=pl.when(
            (pl.col("method") == "lin-1")
            & (pl.col("case") == 0)
            & pl.col("task").str.ends_with(".64")
        )
        .then(np.inf)
        .otherwise(pl.col("value"))
    )
    chart = charts.learning_curve(assess.expected_losses(frame))
    assert toy.table(chart).height == 3
    assert "highest lin-1 infinite" in chart.to_dict()["description"]


def test_undefined_comparison_is_drawn_with_its_reason(toy):
    frame = toy.losses(1)
    frame = pl.concat([frame, frame.with_columns(method=pl.lit("copy"))])
    chart = charts.paired_differences(
        assess.instance_means(frame), assess.comparisons(frame), "lin-1", "copy"
    )
    assert "p undefined" in chart.to_dict()["description"]


def test_paired_instances_join_the_two_methods(toy):
    means = assess.instance_means(toy.losses(2, sizes=(64,)))
    chart = charts.paired_instances(means, "lin-1", "knn-cv-1")
    assert toy.table(chart).height == 8
    assert "lower on 4 of them" in chart.to_dict()["description"]
    with pytest.raises(FaultyInput, match="this chart shows one task"):
        charts.paired_instances(assess.instance_means(toy.losses(2)), "lin-1", "knn-cv-1")


def test_equal_losses_are_lower_for_neither(toy):
    means = assess.instance_means(toy.losses(2, sizes=(64,)))
    equal = pl.when(pl.col("instance") < 3).then(1.0).otherwise("mean")
    chart = charts.paired_instances(means.with_columns(mean=equal), "lin-1", "knn-cv-1")
    assert "lower on 1 of them" in chart.to_dict()["description"]


def test_methods_that_are_not_there_are_named(toy):
    frame = toy.losses(2)
    means, pairs = assess.instance_means(frame), assess.comparisons(frame)
    with pytest.raises(FaultyInput, match="no method 'x'"):
        charts.paired_differences(means, pairs, "x", "lin-1")
    apart = means.filter((pl.col("method") == "lin-1") == (pl.col("instance") < 2))
    with pytest.raises(FaultyInput, match="they share no instance"):
        charts.paired_differences(apart, pairs, "lin-1", "knn-cv-1")
