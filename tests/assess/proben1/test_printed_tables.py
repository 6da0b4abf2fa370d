"""The printed tables are read as they were printed, and agree with each other where the report says the same twice."""

from __future__ import annotations

import polars as pl
import pytest

from benchbook.datasets import printed
from benchbook.errors import BenchbookError
from benchbook.methods.proben1 import Topology

LINES = {1: 11, 2: 4, 3: 31, 4: 12, 5: 30, 6: 12, 7: 42, 8: 30, 9: 12, 10: 30, 11: 12, 12: 42}


@pytest.mark.parametrize("number", printed.TABLES)
def test_a_table_has_its_lines_and_its_digits(number: int) -> None:
    frame = printed.table(number)
    digits = printed.decimals(number)
    assert frame.height == LINES[number]
    assert digits.columns == frame.columns
    numbers = [name for name, kind in frame.schema.items() if kind.is_numeric()]
    assert frame.select(pl.col(numbers).is_null()).equals(digits.select(pl.col(numbers).is_null()))


def test_numbers_and_digits_of_some_cells() -> None:
    linear = printed.table(3).filter(pl.col("dataset") == "cancer2")
    assert linear["test_error_mean"].item() == 4.77
    assert linear["overfit_sd"].item() == 10.21
    assert printed.table(3).filter(pl.col("dataset") == "mushroom1")["test_error_sd"].item() is None
    digits = printed.decimals(3)
    assert digits.filter(pl.col("dataset") == "mushroom1")["test_error_mean"].item() == 3
    assert digits.filter(pl.col("dataset") == "cancer2")["test_error_mean"].item() == 2
    assert digits.filter(pl.col("dataset") == "cancer2")["total_epochs_mean"].item() == 0


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(BenchbookError, match="no printed table 13"):
        printed.table(13)


def test_weights_of_the_pivot_architectures_are_those_of_their_topologies() -> None:
    shapes = {
        line["problem"]: (line["inputs"], line.get("classes", line.get("outputs")))
        for number in (1, 2)
        for line in printed.table(number).iter_rows(named=True)
    }
    for line in printed.table(7).iter_rows(named=True):
        inputs, outputs = shapes[line["dataset"][:-1]]
        assert (
            Topology.parse(line["topology"], inputs, outputs).connections == line["connections"]
        ), line
    assert printed.pivots() == dict(printed.table(7).select("dataset", "topology").iter_rows())


def test_candidates_are_as_many_as_the_tables_of_the_search_count() -> None:
    counted = pl.concat(
        [
            printed.table(number).select("dataset", "topology", "others_within_5")
            for number in (5, 6)
        ]
    )
    lists = printed.appendix_d().group_by("dataset").agg(pl.len(), best=pl.col("topology").get(0))
    both = counted.join(lists, on="dataset")
    assert both.height == 42
    assert (both["len"] == both["others_within_5"] + 1).all()
    assert (both["best"] == both["topology"]).all()


def test_the_verdicts_are_as_many_and_as_doubtful_as_the_report_says_of_them() -> None:
    verdicts = printed.table(12)
    assert [verdicts.filter(better=letter).height for letter in "PN"] == [9, 23]
    assert verdicts["better"].null_count() == verdicts["p_percent"].null_count() == 10
    assert (verdicts["better"].is_null() == verdicts["p_percent"].is_null()).all()
    assert verdicts["p_percent"].drop_nulls().is_between(0.0, 10.0).all()
    doubtful = verdicts.filter(~pl.col("reliable"))["dataset"]
    assert set(doubtful) == {"building1", "gene2", "gene3", "heartac3", "soybean2"}


def test_both_kinds_of_networks_are_printed_for_the_same_datasets() -> None:
    for shortcuts, without in ((8, 10), (9, 11)):
        both = printed.table(shortcuts), printed.table(without)
        assert both[0].columns == both[1].columns
        assert both[0]["dataset"].to_list() == both[1]["dataset"].to_list()
        assert not both[0].equals(both[1])
