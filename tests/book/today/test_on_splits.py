"""Comparisons on random splits against numbers computed by hand, and the size of their tests on equal methods."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook import assess
from benchbook.assess.simulations import worlds
from benchbook.errors import FaultyInput, UnknownName

RNG = np.random.default_rng(3)
A, B = RNG.gamma(3.0, size=(2, 20))
STEPS = np.arange(20.0)


def means(**methods):
    rows = [
        ("t", "S", name, split, value)
        for name, values in methods.items()
        for split, value in enumerate(values)
    ]
    return pl.DataFrame(rows, schema=["task", "loss", "method", "split", "mean"], orient="row")


def test_split_means_are_means_over_the_test_cases_of_a_split():
    frame = pl.DataFrame(
        {
            "task": ["t"] * 4,
            "loss": ["S"] * 4,
            "method": ["m"] * 4,
            "instance": [1, 0, 1, 1],
            "case": [5, 6, 7, 8],
            "value": [1.0, 7.0, 2.0, 6.0],
        }
    )
    assert assess.split_means(frame)["mean"].to_list() == [7.0, 3.0]


def test_the_numbers_are_those_of_nadeau_and_bengio(page):
    result = page.compare_on_splits(means(a=A, b=B), 1 / 9, against="b").row(
        by_predicate=pl.col("method") == "a", named=True
    )
    d = A - B
    error = np.sqrt((1 / 20 + 1 / 9) * d.var(ddof=1))
    assert result["difference"] == pytest.approx(d.mean())
    assert result["standard_error"] == pytest.approx(error)
    assert result["p"] == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), 19))
    assert result["usual_p"] == pytest.approx(stats.ttest_rel(A, B).pvalue)
    assert result["usual_standard_error"] == pytest.approx(stats.sem(A))


def test_the_best_comes_first_and_is_what_the_others_are_compared_with(page):
    result = page.compare_on_splits(
        means(worse=STEPS + 1.0, best=STEPS, worst=STEPS + B + 2.0), 1 / 9
    )
    assert result["method"].to_list() == ["best", "worse", "worst"]
    assert set(result["against"]) == {"best"}
    assert result["p"][0] is None
    assert (
        result["reason"].to_list()[1]
        == "all differences are the same: the statistic would divide by zero"
    )


def test_methods_on_other_splits_are_refused_all_at_once(page):
    frame = pl.concat([means(a=A, b=B[:19]), means(c=[*A[:19], np.nan])])
    with pytest.raises(FaultyInput) as caught:
        page.compare_on_splits(frame, 1 / 9)
    assert "method b" in str(caught.value)
    assert "method c" in str(caught.value)
    with pytest.raises(UnknownName):
        page.compare_on_splits(means(a=A, b=B), 1 / 9, against="x")


def test_equal_methods_fool_the_usual_test_and_the_corrected_one_seldom(page):
    """1,500 data sets of 200 cases, 20 splits into nine tenths and one: the truth is that neither method is better."""
    rng = np.random.default_rng(1)
    world = worlds.draw_world(rng, 1500, 200, noise=0.5)
    drawn = worlds.mean_differences(
        world, worlds.random_partitions(rng, 200, 180, 20), "straight line"
    )
    rows = [
        (f"{data}", "S", name, split, value)
        for data, item in enumerate(drawn)
        for name, values in (("one", item), ("two", np.zeros(20)))
        for split, value in enumerate(values)
    ]
    frame = pl.DataFrame(rows, schema=["task", "loss", "method", "split", "mean"], orient="row")
    result = page.pairs_on_splits(frame, 1 / 9).filter(method="one")
    assert result.height == 1500
    assert (result["usual_p"] <= 0.05).mean() > 0.2
    assert (result["p"] <= 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1500)


def test_on_splits_methods_that_differ_by_rounding_are_the_same(page):
    means = pl.DataFrame(
        {
            "task": "t",
            "loss": "S",
            "method": ["a"] * 8 + ["b"] * 8,
            "split": [*range(8)] * 2,
            "mean": np.concatenate([np.ones(8), 1.0 + 1e-15 * np.arange(8)]),
        }
    )
    assert page.pairs_on_splits(means, 0.5)["difference"].to_list() == [0.0, 0.0]
    assert page.pairs_on_splits(means, 0.5)["p"].null_count() == 2
