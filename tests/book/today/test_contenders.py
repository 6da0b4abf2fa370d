"""The table of what each contender is."""

import polars as pl

from benchbook import methods


def test_versions_and_times_stand_beside_what_is_written(page):
    libraries = '{"numpy": "2.0", "scikit-learn": "1.9.1"}'
    records = pl.DataFrame(
        [
            ("boosting-1", "a/b/std.64", 1.0, "{}", libraries),
            ("boosting-1", "c/b/std.64", 3.0, "{}", libraries),
            ("boosting-1", "a/b/std.1024", 9.0, "{}", libraries),
            ("catboost-stopped-1", "a/b/std.64", 5.0, '{"catboost_version": "1.2.10"}', libraries),
            ("lin-1", "a/b/std.64", 0.5, "{}", libraries),
        ],
        ["method", "task", "seconds", "cost", "libraries"],
        orient="row",
    )
    table = page.contenders(records.drop("seconds"), records)
    found = {row["method"]: row for row in table.to_dicts()}
    assert table["method"].to_list() == page.CONTENDERS["method"].to_list()
    assert table.columns[-4:-2] == ["s, 64", "s, 1024"]
    assert found["boosting-1"]["defaults of"] == "scikit-learn 1.9.1, leaves of 5"
    assert (found["boosting-1"]["s, 64"], found["boosting-1"]["s, 1024"]) == (2, 9)
    assert found["catboost-stopped-1"]["defaults of"] == "catboost 1.2.10"
    assert (found["lin-1"]["defaults of"], found["mlp-ese-1"]["defaults of"]) == ("-", "ours")
    assert found["gp-mc-1"]["s, 64"] is None


def test_every_contender_is_a_method_once(page):
    names = page.CONTENDERS["method"].to_list()
    assert len(names) == len(set(names))
    assert set(names) <= set(methods.available())
