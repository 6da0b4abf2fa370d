"""Rank tests against SciPy's and printed tables, their size where nothing differs, and how they mislead."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook import assess
from benchbook.assess.rank_tests import range_survival, signed_ranks
from benchbook.errors import FaultyInput

RNG = np.random.default_rng(5)
DRAWN = RNG.gamma(2.0, size=(12, 4)) + np.array([0.0, 0.2, 0.5, 1.5])


@pytest.mark.parametrize(
    "losses", [DRAWN, np.round(DRAWN), np.round(DRAWN[:, :3], 1)], ids=["plain", "ties", "three"]
)
def test_friedman_and_wilcoxon_are_those_of_scipy(losses):
    result = assess.rank_tests(losses)
    chi, _ = stats.friedmanchisquare(*losses.T)
    assert result.chi_square == pytest.approx(chi)
    blocks, methods = losses.shape
    f = (blocks - 1) * chi / (blocks * (methods - 1) - chi)
    assert result.statistic == pytest.approx(f)
    assert result.p == pytest.approx(stats.f.sf(f, methods - 1, (methods - 1) * (blocks - 1)))
    assert result.wilcoxon[0, 1] == pytest.approx(signed_ranks(losses[:, 0] - losses[:, 1]))
    assert result.mean_rank == pytest.approx(stats.rankdata(losses, axis=1).mean(axis=0))


@pytest.mark.parametrize(("methods", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_nemenyis_critical_difference_is_that_of_the_printed_table(methods, q):
    """Demsar (2006), Table 5a."""
    result = assess.rank_tests(RNG.normal(size=(9, methods)))
    assert result.critical_difference == pytest.approx(
        q * np.sqrt(methods * (methods + 1) / 54), abs=2e-3
    )
    gaps = np.abs(result.mean_rank[:, None] - result.mean_rank)
    assert np.array_equal(result.nemenyi < 0.05, gaps > result.critical_difference)


@pytest.mark.parametrize(("gap", "count"), [(0.0, 3), (1.2, 2), (2.5, 4), (4.0, 12)])
def test_the_range_of_normal_numbers_is_distributed_as_scipy_has_it(gap, count):
    expected = stats.studentized_range.sf(gap * np.sqrt(2), count, np.inf)
    assert range_survival(gap, count) == pytest.approx(expected, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("count", [1, 5, 12, 30, 50])
def test_signed_ranks_without_ties_are_those_of_scipy(count):
    gaps = RNG.normal(0.4, size=count)
    assert signed_ranks(gaps) == pytest.approx(stats.wilcoxon(gaps, method="exact").pvalue)


def test_signed_ranks_with_ties_count_all_signs_and_many_are_normal():
    gaps = np.array([1.0, -1.0, 2.0, 2.0, 2.0, 3.0, -0.5, 4.0])
    ranks = stats.rankdata(np.abs(gaps))
    sums = np.array([ranks[np.array(signs)].sum() for signs in product([False, True], repeat=8)])
    seen = ranks[gaps > 0].sum()
    assert signed_ranks([*gaps, 0.0]) == pytest.approx(
        2 * min((sums >= seen).mean(), (sums <= seen).mean())
    )
    many = np.round(RNG.normal(0.2, size=200), 1)
    many = many[many != 0.0]
    assert signed_ranks(many) == pytest.approx(
        stats.wilcoxon(many, method="approx", correction=False).pvalue
    )
    assert signed_ranks([0.0, 0.0]) is None


def test_friedmans_f_keeps_its_level_when_no_method_is_better():
    rng = np.random.default_rng(2)
    p = np.array([assess.rank_tests(rng.gamma(1.0, size=(10, 4))).p for _ in range(300)])
    assert abs((p <= 0.05).mean() - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 300) + 0.01


def test_ranks_and_expected_losses_can_say_opposite_things_both_significantly():
    """A method a little better in nine blocks of ten, and far worse in the tenth."""
    rng = np.random.default_rng(4)
    steady = 1.0 + rng.normal(scale=0.01, size=200)
    risky = np.where(np.arange(200) % 10 == 0, 3.0, 0.95) + rng.normal(scale=0.01, size=200)
    table = assess.rank_table(
        pl.DataFrame(
            {
                "method": ["steady"] * 200 + ["risky"] * 200,
                "block": [*range(200)] * 2,
                "mean": [*steady, *risky],
            }
        )
    )
    assert table["method"][0] == "risky"
    assert table["nemenyi"][1] < 0.001
    assert stats.ttest_rel(steady, risky).pvalue < 0.001
    assert steady.mean() < risky.mean()


def test_a_table_names_the_best_first_and_corrects_wilcoxons_p():
    rows = [(f"m{k}", block, float(DRAWN[block, k])) for k in range(4) for block in range(12)]
    table = assess.rank_table(
        pl.DataFrame(rows, schema=["method", "block", "mean"], orient="row"), "m3"
    )
    assert set(table["against"]) == {"m3"}
    assert table["mean_rank"].is_sorted()
    line = table.row(by_predicate=pl.col("method") == "m0", named=True)
    assert line["wilcoxon"] == pytest.approx(stats.wilcoxon(DRAWN[:, 0], DRAWN[:, 3]).pvalue)
    assert line["wilcoxon"] < line["holm"] <= 6 * line["wilcoxon"]


def test_what_cannot_be_ranked_is_undefined_or_refused():
    same = assess.rank_tests(np.ones((5, 3)))
    assert (same.chi_square, same.p) == (None, None)
    assert np.isnan(same.wilcoxon).all()
    always = assess.rank_tests(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert always.statistic is None
    assert always.p == pytest.approx(stats.chi2.sf(10.0, 2))
    assert (
        assess.rank_tests(np.array([[1.0, np.inf], [1.0, np.inf], [2.0, 1.0]])).mean_rank[0] < 1.5
    )
    for losses in (np.ones((1, 3)), np.ones((5, 1)), np.full((3, 3), np.nan)):
        with pytest.raises(FaultyInput, match="two of each"):
            assess.rank_tests(losses)
    with pytest.raises(FaultyInput, match="method b"):
        assess.rank_table(
            pl.DataFrame({"method": ["a", "a", "b"], "block": [0, 1, 0], "mean": [1.0, 2.0, 3.0]})
        )
