"""The best run of a search and what is near it, laid beside Tables 5 and 6."""

import polars as pl
import pytest

from benchbook.pages.proben1_search_tables import RUNS, beside, found

# Table 5: cancer3 4+4l, 2.679 / 2.145, 2 others within 5 %, 12 within 10 %.
ERRORS = [2.7, 2.8, 2.83, 2.84, 2.95, 3.5, *[4.0] * 30]
TOPOLOGIES = ["8+8l", "4+4l", "2l", "16l", "32l", "4l", *["24s"] * 30]


def search(dataset="cancer3", count=RUNS):
    return pl.DataFrame({"dataset": dataset, "topology": TOPOLOGIES[:count], "validation_error": ERRORS[:count],
                         "test_error": [2.1, 2.0, 2.3, 2.6, 9.0, 9.0, *[9.0] * 30][:count],
                         "relevant_epochs": [100, 60, 300, 5, 5, 5, *[5] * 30][:count]})


def test_the_best_run_and_its_neighbours():
    line = found(search().sample(fraction=1.0, shuffle=True, seed=3)).row(0, named=True)
    assert (line["topology"], line["validation_error"], line["test_error"]) == ("8+8l", 2.7, 2.1)
    assert (line["others_within_5"], line["others_within_10"]) == (2, 4)
    assert (line["epochs_least"], line["epochs_largest"]) == (60, 300)
    assert (line["others_test_error_least"], line["others_test_error_largest"]) == (2.0, 2.3)


def test_a_best_run_alone_has_no_range_of_others():
    alone = search().with_columns(validation_error=pl.when(pl.col("topology") == "8+8l").then(1.0).otherwise(5.0))
    line = found(alone).row(0, named=True)
    assert line["others_within_5"] == 0
    assert line["others_test_error_least"] is None
    assert beside(alone)["overlap"].to_list() == [False]


def test_beside_the_print():
    line = beside(search()).row(0, named=True)
    assert line["printed_topology"] == "4+4l"
    assert line["ratio"] == pytest.approx(2.7 / 2.679)
    assert line["candidate"]
    assert line["in_range"]
    assert line["overlap"]
    far = search().with_columns(pl.col("test_error") + 5.0)
    assert not beside(far)["in_range"].item()
    assert not beside(far)["overlap"].item()


def test_an_unfinished_search_is_left_out():
    assert beside(search(count=35)).height == 0
