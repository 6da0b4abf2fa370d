"""The challenge's printed tables."""

import polars as pl
import pytest

from benchbook import tasks
from benchbook.errors import BenchbookError
from benchbook_book.course.challenge import printed as printed_challenge


def test_sizes_are_those_that_the_tasks_have():
    table = printed_challenge.sizes()
    assert table["submissions_validation"].sum() == 186
    assert table["submissions_test"].sum() == 67
    for line in table.iter_rows(named=True):
        path = next(
            path for path in tasks.prototasks() if path.startswith(f"{line['dataset']}-sim/")
        )
        prototask = tasks.prototask(path)
        assert prototask.phases == {part: line[part] for part in ("training", "validation", "test")}
        assert (prototask.kind, len(prototask.inputs)) == (line["kind"], line["inputs"])


def test_results_are_ranked_and_have_their_baselines():
    table = printed_challenge.results()
    assert table.group_by("dataset").len().sort("dataset")["len"].to_list() == [8, 16, 11, 9, 10]
    for _, part in table.group_by("dataset"):
        assert part["ranked"].is_sorted()
    base = table.filter(method="baseline")
    assert dict(base.select("dataset", "ranked").rows()) == {
        "catalysis": 0.294,
        "gatineau": 0.1314,
        "stereopsis": 4.94,
        "gaze": 6.91,
        "outaouais": 1.115,
    }
    assert table.filter("exploit")["dataset"].to_list() == ["gaze", "gaze"]
    assert set(table["when"]) == {"", "before", "late"}
    assert table.filter(pl.col("method") != "baseline")["author"].str.len_chars().min() > 2


def test_tables_that_are_not_there(monkeypatch, tmp_path):
    printed_challenge._frame.cache_clear()
    monkeypatch.setattr(printed_challenge, "folder", lambda: tmp_path)
    with pytest.raises(BenchbookError, match="install benchbook again"):
        printed_challenge.sizes()
    printed_challenge._frame.cache_clear()
