"""The verdicts of several tasks in one table: the numbers of ``by_design``, for every design."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess
from benchbook.assess.by_design import by_design
from benchbook.assess.standings import expected_and_pairs, standings_by_design

N, K = 60, 5


def losses(values, split):
    rows = np.arange(N)
    parts = [
        pl.DataFrame({"method": name, "split": split, "row": rows, "value": value})
        for name, value in values.items()
    ]
    return pl.concat(parts).with_columns(loss=pl.lit("S"), role=pl.lit("held_out"))


@pytest.fixture
def values():
    rng = np.random.default_rng(4)
    level = rng.exponential(size=N)
    return {"a": level, "b": level + rng.normal(0.1, 0.5, N), "c": level + rng.normal(1, 0.5, N)}


def test_overlapping_training_sets_have_the_p_values_of_the_one_call(values):
    found = by_design(losses(values, np.arange(N) % K), assess.folds_design(N, K))
    table = standings_by_design({"t": found}, against="c")
    assert table["method"].to_list() == found.table["method"].to_list()
    for row in table.to_dicts():
        assert row["test"] == "corrected resampled t"
        assert row["training_sets"] == "folds"
        if row["method"] == "c":
            continue
        pair = found.pair("S", row["method"], "c")
        for column, name in (("difference_error", "se_difference"), ("holm", "p_holm")):
            assert row[column] == pytest.approx(pair[name])
        assert (row["difference"], row["p"]) == (pair["difference"], pair["p"])
    letters = dict(table.select("method", "ties").rows())
    assert set(letters["a"]).isdisjoint(letters["c"])


def test_disjoint_training_sets_have_delves_tables_digit_for_digit(values):
    frame = losses(values, np.arange(N) // (N // K)).with_columns(task=pl.lit("t"))
    found = by_design(frame, assess.Design("disjoint", K))
    archived = frame.rename({"split": "instance", "row": "case"})
    expected, pairs = assess.assessment(archived, "hierarchical")
    ours = expected_and_pairs({"t": found})
    assert ours[0].equals(expected, null_equal=True)
    assert ours[1].equals(pairs, null_equal=True)
    wanted = assess.standings(assess.error_components(expected), pairs, "b")
    table = standings_by_design({"t": found}, against="b")
    assert table.select("method", "ties", "p", "holm").equals(
        wanted.select("method", "ties", "p", "holm"), null_equal=True
    )


def test_tasks_of_several_designs_stand_in_one_table(values):
    folds = by_design(losses(values, np.arange(N) % K), assess.folds_design(N, K))
    sets = by_design(losses(values, np.arange(N) // 12), assess.Design("disjoint", K))
    table = standings_by_design({"one": folds, "two": sets})
    assert dict(table.select("task", "test").unique().rows()) == {
        "one": "corrected resampled t",
        "two": "paired t",
    }
    assert standings_by_design({}).is_empty()
