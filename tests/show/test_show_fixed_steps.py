"""Which data sets still have early-stopping networks whose step was fixed."""

import json

import polars as pl

from benchbook.show.fixed_steps import sentence, without_rule


def record(task, method="mlp-bgd-1", status="ok", **cost):
    return {"method": method, "task": task, "status": status, "cost": json.dumps(cost)}


def test_a_data_set_counts_when_one_of_its_runs_has_no_steps():
    records = pl.DataFrame(
        [
            record("a/t/std.64", steps=[0.4]),
            record("b/t/std.64", steps=[0.1]),
            record("b/t/std.128"),
            record("c/t/std.64", method="lin-1"),
            record("d/t/std.64", status="failed"),
        ]
    )
    assert without_rule(records) == ["b"]


def test_the_sentence_names_them_or_says_that_there_is_none():
    assert "b and c" in sentence(["b", "c"], 5)
    assert "5 datasets here 2" in sentence(["b", "c"], 5)
    assert "all follow" in sentence([], 5)
