"""The best run of a search and what is near it, laid beside Tables 5 and 6; and the rule that picks a pivot."""

import polars as pl
import pytest

from benchbook.assess.proben1 import SEARCH_RUNS, pivots_by_rule, searches, searches_beside_print
from benchbook.methods.proben1.networks import network_of

# Table 5: cancer3 4+4l, 2.679 / 2.145, 2 others within 5 %, 12 within 10 %.
ERRORS = [2.7, 2.8, 2.83, 2.84, 2.95, 3.5, *[4.0] * 30]
TOPOLOGIES = ["8+8l", "4+4l", "2l", "16l", "32l", "4l", *["24s"] * 30]


def search(dataset="cancer3", count=SEARCH_RUNS):
    return pl.DataFrame(
        {
            "dataset": dataset,
            "topology": TOPOLOGIES[:count],
            "validation_error": ERRORS[:count],
            "test_error": [2.1, 2.0, 2.3, 2.6, 9.0, 9.0, *[9.0] * 30][:count],
            "relevant_epochs": [100, 60, 300, 5, 5, 5, *[5] * 30][:count],
        }
    )


def test_the_best_run_and_its_neighbours():
    line = searches(search().sample(fraction=1.0, shuffle=True, seed=3)).row(0, named=True)
    assert (line["topology"], line["validation_error"], line["test_error"]) == ("8+8l", 2.7, 2.1)
    assert (line["others_within_5"], line["others_within_10"]) == (2, 4)
    assert (line["epochs_least"], line["epochs_largest"]) == (60, 300)
    assert (line["others_test_error_least"], line["others_test_error_largest"]) == (2.0, 2.3)


def test_a_best_run_alone_has_no_range_of_others():
    alone = search().with_columns(
        validation_error=pl.when(pl.col("topology") == "8+8l").then(1.0).otherwise(5.0)
    )
    line = searches(alone).row(0, named=True)
    assert line["others_within_5"] == 0
    assert line["others_test_error_least"] is None
    assert searches_beside_print(alone)["overlap"].to_list() == [False]


def test_beside_the_print():
    line = searches_beside_print(search()).row(0, named=True)
    assert line["printed_topology"] == "4+4l"
    assert line["ratio"] == pytest.approx(2.7 / 2.679)
    assert line["candidate"]
    assert line["in_range"]
    assert line["overlap"]
    far = search().with_columns(pl.col("test_error") + 5.0)
    assert not searches_beside_print(far)["in_range"].item()
    assert not searches_beside_print(far)["overlap"].item()


def test_an_unfinished_search_is_left_out():
    assert searches_beside_print(search(count=35)).height == 0


def test_a_network_has_the_inputs_and_outputs_of_its_partition():
    assert network_of("sklearn-iris1c", "2l").connections == 2 * 5 + 3 * 7
    assert network_of("cancer1", "4+2s").sizes == (9, 4, 2, 2)
    assert network_of("cancer1", "4+2s").sigmoid_outputs


def with_sizes(*lines):
    table = pl.DataFrame(lines, schema=["topology", "validation_error"], orient="row")
    networks = [network_of("sklearn-iris1", topology) for topology in table["topology"]]
    return table.with_columns(
        dataset=pl.lit("sklearn-iris1"),
        connections=pl.Series([network.connections for network in networks]),
        units=pl.Series([sum(network.hidden) for network in networks]),
    )


@pytest.mark.parametrize(
    ("lines", "pivot"),
    [
        ([("4l", 1.0), ("16+8l", 1.04), ("32l", 1.06)], "16+8l"),
        ([("4l", 1.0), ("16s", 1.01), ("16l", 1.03)], "16s"),
        ([("4l", 1.0), ("16s", 1.01), ("16l", 1.03), ("16l", 1.04)], "16l"),
        ([("4l", 1.0)], "4l"),
    ],
)
def test_the_rule_takes_the_largest_near_the_best(lines, pivot):
    assert pivots_by_rule(with_sizes(*lines[::-1])) == {"sklearn-iris1": pivot}


def test_largest_can_mean_units():
    runs = with_sizes(("24l", 1.0), ("16+8l", 1.01), ("16+8s", 1.005))
    assert pivots_by_rule(runs)["sklearn-iris1"] == "16+8s"
    assert pivots_by_rule(runs, "units")["sklearn-iris1"] == "24l"


def test_near_is_a_share_of_the_least_error_whatever_its_unit():
    lines = [("4l", 20.0), ("16+8l", 20.8), ("32l", 21.2)]
    assert pivots_by_rule(with_sizes(*lines)) == {"sklearn-iris1": "16+8l"}
