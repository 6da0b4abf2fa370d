"""Learning curves and paired differences, also where losses are infinite or equal, and what is refused."""

import numpy as np
import polars as pl
from refusals import refused

from benchbook import assess, charts
from benchbook.errors import FaultyInput


def test_drawn(toy):
    charts.learning_curve(assess.expected_losses(toy.losses(12)))
    frame, one = toy.losses(2), toy.losses(1)
    first = (pl.col("method") == "lin-1") & (pl.col("case") == 0)
    at_first = pl.when(first & pl.col("task").str.ends_with(".64"))
    below = assess.expected_losses(one).with_columns(mean=0.25, standard_error=0.5)
    charts.learning_curve(below, standardised=False)
    infinite = frame.with_columns(value=at_first.then(np.inf).otherwise(pl.col("value")))
    charts.learning_curve(assess.expected_losses(infinite))
    twins = pl.concat([one, one.with_columns(method=pl.lit("copy"))])
    means, tests = assess.instance_means(twins), assess.comparisons(twins)
    charts.paired_differences(means, tests, "lin-1", "copy")
    families = pl.concat([frame, toy.losses(2, sizes=(64,), family="toy/u/std")])
    means, tests = assess.instance_means(families), assess.comparisons(families)
    charts.paired_differences(means, tests, "knn-cv-1", "lin-1")
    means = assess.instance_means(toy.losses(2, sizes=(64,)))
    equal = pl.when(pl.col("instance") < 3).then(1.0).otherwise("mean")
    charts.paired_instances(means.with_columns(mean=equal), "lin-1", "knn-cv-1")


def test_what_is_refused(toy):
    frame = toy.losses(2)
    means, pairs = assess.instance_means(frame), assess.comparisons(frame)
    refused(FaultyInput, "one task", charts.paired_instances, means, "lin-1", "knn-cv-1")
    refused(FaultyInput, "no method 'x'", charts.paired_differences, means, pairs, "x", "lin-1")
    apart = means.filter((pl.col("method") == "lin-1") == (pl.col("instance") < 2))
    words = ("lin-1", "knn-cv-1")
    refused(FaultyInput, "share no instance", charts.paired_differences, apart, pairs, *words)
