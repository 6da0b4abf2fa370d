"""What the chapters on honest tests are made from."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess.proben1 import cochran_cox, compare_as_report, comparisons
from benchbook_book.pages.proben1.reproduction import verdicts_beside_print
from benchbook_book.pages.show.proben1_archived import SCHEMA, published
from benchbook_book.pages.show.proben1_archived import runs as archived


@pytest.fixture
def contaminated(runs):
    """The runs, with three divergent ones of method a on card1."""
    far = (pl.col("dataset") == "card1") & (pl.col("method") == "a") & (pl.col("run") < 3)
    return runs.with_columns(
        test_error=pl.when(far).then(400.0 + pl.col("run")).otherwise("test_error")
    )


def test_taking_out_begins_with_all_runs_and_ends_without_the_furthest(chapter, contaminated):
    points, path = chapter("proben1/testing").taken_out(contaminated, ("a", "b"), most=4)
    assert path.height == 6 * 5
    samples = [
        contaminated.filter(dataset="card1", method=name)["test_error"].to_numpy() for name in "ab"
    ]
    first = path.filter(dataset="card1", removed=0).row(0, named=True)
    assert first["p"] == pytest.approx(cochran_cox(*map(np.log, samples)).p)
    assert first["p"] == pytest.approx(compare_as_report(*samples, most=0.0).test.p)
    assert not first["normal"]
    out = points.filter(pl.col("place") <= 3, dataset="card1", method="a")
    assert sorted(out["error"]) == [400.0, 401.0, 402.0]
    assert path.filter(dataset="card1", removed=3)["p"].item() < first["p"]
    assert chapter("proben1/testing").most_moved(path, 1) == ["card1"]


def test_too_few_runs_are_left_out(chapter, runs):
    points, path = chapter("proben1/testing").taken_out(
        runs.filter(pl.col("run") < 8), ("a", "b"), most=4
    )
    assert points.height == path.height == 0


def test_verdicts_stand_beside_the_print_a_line_a_problem(runs):
    table = comparisons(runs.filter(pl.col("dataset") != "wine2"), "a", "b", draws=50)
    wide = verdicts_beside_print(table)
    assert wide.columns == ["problem", "1", "2", "3"]
    assert wide["problem"].to_list() == ["card", "wine"]
    assert wide.filter(problem="wine").row(0) == ("wine", None, None, None)
    ours = dict(table.select("dataset", "entry").iter_rows())
    assert wide.filter(problem="card").row(0)[1:] == tuple(
        f"{ours[f'card{number}']} / {theirs}"
        for number, theirs in ((1, "N 0.1"), (2, "N 0.0"), (3, "P 0.0"))
    )


def test_dashes_and_parentheses_of_the_print_are_kept():
    own = pl.DataFrame(
        {"dataset": ["cancer2", "gene2", "horse3"], "entry": ["–", "N 0.0", "P 4.5"]}
    )
    wide = verdicts_beside_print(own)
    assert wide["2"].to_list() == ["– / –", "N 0.0 / (N 0.0)", None]
    assert wide["3"].to_list() == [None, None, "P 4.5 / N 0.0"]


def test_rules_get_stricter(chapter, contaminated):
    table = comparisons(contaminated, "a", "b", draws=50)
    rules = chapter("proben1/shortcuts").by_rule(table)
    result = dict(
        rules.filter(pl.col("verdict") != "not significant").group_by("rule").len().iter_rows()
    )
    assert (
        result["as in the report"]
        >= result["after Benjamini-Hochberg"]
        >= result["after Holm"]
        >= 2
    )
    assert rules.height == 4 * 6
    assert "card1" in chapter("proben1/testing").parted(table)["dataset"].to_list()
    assert "card3" not in chapter("proben1/testing").parted(table)["dataset"].to_list()


def test_an_archive_without_runs_gives_an_empty_table(tmp_path):
    table = archived(["proben1-pivot"], tmp_path / "none")
    assert table.height == 0
    assert table.schema == pl.Schema(SCHEMA)


def test_stand_ins_are_not_the_published_data():
    table = pl.DataFrame({"dataset": ["card1", "sklearn-wine1"]})
    assert published(table)["dataset"].to_list() == ["card1"]
