"""The results of others on the nine sets, as the source has them and as losses."""

import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.datasets.printed import deep_ensembles, mc_dropout, wine_twins


def test_every_split_of_every_set_has_both_losses():
    result = mc_dropout().group_by("task", "loss").len()
    assert set(result["task"]) == set(tasks.available("uci-*/splits/*"))
    for task, count in result.select("task", "len").rows():
        assert count == tasks.get(task).instances


def test_errors_are_squared_and_likelihoods_turned():
    """The first line of the source: split 0 of Boston has a root mean squared error of 2.7457."""
    first = mc_dropout().filter(task="uci-boston/splits/holdout-20", split=0)
    assert dict(first.select("loss", "mean").rows()) == {
        "S": pytest.approx(2.7456764186182667**2),
        "NLPD": pytest.approx(2.443888536053014),
    }
    assert first["mean"].dtype == pl.Float64


def test_the_twins_are_the_repeated_wines(real_data):
    real_data("uci-wine")
    wines = datasets.load("uci-wine").cases
    counted = (
        wines.with_row_index("case")
        .with_columns(
            group=pl.col("case").min().over(wines.columns), size=pl.len().over(wines.columns)
        )
        .filter(pl.col("size") > 1)
    )
    assert wine_twins().rows() == counted.select("case", "group").sort("case").rows()


def test_the_printed_ensembles_are_of_the_tasks_there_are():
    result = deep_ensembles()
    assert set(result["task"]) == set(tasks.available("uci-*/splits/*"))
    assert result.filter(task="uci-boston/splits/holdout-20").row(0) == (
        "uci-boston/splits/holdout-20",
        2.41,
        0.25,
    )
