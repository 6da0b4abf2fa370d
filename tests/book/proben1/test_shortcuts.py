"""The ratios of two kinds of networks, and the verdicts by rule."""

import polars as pl

RATIOS = pl.DataFrame(
    {
        "rule": ["report"] * 2 + ["Holm"] * 2,
        "dataset": ["a1", "a2"] * 2,
        "problem": ["a"] * 4,
        "permutation": [1, 2] * 2,
        "ratio": [0.9, 1.2] * 2,
        "low": [0.85, 1.0] * 2,
        "high": [0.95, 1.4] * 2,
        "reliable": [True, False] * 2,
        "verdict": ["first better", "second better", "first better", "not significant"],
    }
)


def test_each_rule_asks_its_own_p_and_the_ratio_of_the_runs_it_tests(page):
    """Outliers are out for the report's p and those corrected from it, and in for the other."""
    table = pl.DataFrame(
        {
            "dataset": ["glass2", "glass1"],
            "ratio": [0.9, 1.1],
            "ratio_all": [1.2, 1.3],
            "ratio_low": [1.0, 1.1],
            "ratio_high": [1.4, 1.5],
            "reliable": [True, True],
            "p": [0.01, 0.02],
            "p_all": [0.05, 0.5],
            "holm": [0.02, 0.2],
            "benjamini_hochberg": [0.03, 0.04],
        }
    )
    rules = page.by_rule(table)
    assert rules["permutation"].to_list() == [1, 2] * 4
    assert rules["ratio"].to_list() == [1.3, 1.2] * 4
    verdicts = dict(rules.group_by("rule").agg("verdict").iter_rows())
    first, second, neither = page.VERDICTS
    assert verdicts == {
        "as in the report": [second, first],
        "all runs in": [neither, second],
        "after Holm": [neither, first],
        "after Benjamini-Hochberg": [second, first],
    }


def test_drawn(page):
    page.error_ratios(RATIOS, ("with", "without"))
