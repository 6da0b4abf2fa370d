"""Components of variance between permutations and runs, ranks and their reversals."""

import numpy as np
import polars as pl
import pytest
from refusals import refused
from scipy import stats

from benchbook.assess.proben1 import components, ranks, reversals, variation
from benchbook.errors import FaultyInput


def test_components_by_hand():
    samples = [np.exp([0.0, 2.0]), np.exp([4.0, 6.0])]
    result = components(samples)
    assert result.within == pytest.approx(np.sqrt(2.0))
    assert result.between == pytest.approx(np.sqrt(8.0 - 1.0))
    assert result.share == pytest.approx(7.0 / 9.0)
    assert result.p == pytest.approx(stats.f_oneway([0.0, 2.0], [4.0, 6.0]).pvalue)


def test_components_find_what_made_the_data_and_the_interval_covers_it(rng):
    covered, estimates = 0, []
    for _ in range(400):
        shifts = 0.3 * rng.standard_normal((3, 1))
        result = components(list(np.exp(shifts + 0.1 * rng.standard_normal((3, 30)))))
        estimates.append((result.between**2, result.within**2))
        covered += result.between_low <= 0.3 <= result.between_high
    assert np.sqrt(np.mean(estimates, axis=0)) == pytest.approx([0.3, 0.1], rel=0.08)
    assert covered / 400 == pytest.approx(0.9, abs=0.045)


def test_permutations_that_do_not_differ_get_nothing(rng):
    errors = np.exp(0.1 * stats.norm.ppf((np.arange(1, 31) - 0.5) / 30))
    result = components([errors, errors, errors])
    assert (result.between, result.between_low) == (0.0, 0.0)
    assert result.p == pytest.approx(1.0)


def test_variation_tells_the_two_problems_apart(runs):
    table = variation(runs, ["a"])
    card, wine = table.sort("problem").iter_rows(named=True)
    assert (card["permutations"], card["runs"]) == (3, 120)
    assert card["share"] > 0.9
    assert card["ratio"] == pytest.approx(np.exp(1.0), rel=0.1)
    assert wine["share"] < 0.3
    assert variation(runs.filter(pl.col("dataset") == "card1"), ["a"]).height == 0


def test_ranks_and_reversals():
    lines = [
        {"dataset": f"x{k}", "method": name, "test_error": error + noise}
        for k, order in ((1, "abc"), (2, "abc"), (3, "bca"))
        for error, name in enumerate(order, 1)
        for noise in (0.0, 0.1)
    ]
    table = ranks(pl.DataFrame(lines), ["a", "b", "c"])
    assert dict(table.filter(pl.col("dataset") == "x3").select("method", "rank").iter_rows()) == {
        "b": 1.0,
        "c": 2.0,
        "a": 3.0,
    }
    result = reversals(table).row(0, named=True)
    assert (result["pairs"], result["reversed"], result["winners"]) == (9, 4, 2)
    assert result["agreement"] == pytest.approx(1 - 8 / 9)
    orders = [
        stats.kendalltau([1, 2, 3], other).statistic for other in ([1, 2, 3], [3, 1, 2], [3, 1, 2])
    ]
    assert result["agreement"] == pytest.approx(np.mean(orders))


def test_methods_missing_on_a_dataset_leave_it_out(runs):
    part = runs.filter((pl.col("dataset") != "card2") | (pl.col("method") != "b"))
    assert "card2" not in ranks(part, ["a", "b"])["dataset"].to_list()


def test_what_is_refused(runs):
    refused(FaultyInput, "permutation 2: found 1 run", components, [[1.0, 2.0], [1.0]])
    refused(FaultyInput, "two or more are needed", components, [[1.0, 2.0]])
    refused(FaultyInput, "'test_error'", variation, runs.drop("test_error"), ["a"])
