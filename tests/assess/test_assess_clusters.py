"""Means of cases in clusters of unequal size: CR2 and its degrees of freedom by plain algebra, size, refusals."""

import numpy as np
import pytest
from scipy import stats

from benchbook.assess.clusters import Clusters
from benchbook.assess.overlapping import entries


def unequal(seed, count, cases=60, weighted=True):
    """The entries of cases with weights in clusters of geometric sizes, none with half of the weight."""
    rng = np.random.default_rng(seed)
    group = np.r_[np.arange(count), rng.choice(count, cases - count, p=_geometric(count))]
    weight = rng.gamma(2.0, size=cases) if weighted else None
    return entries(np.zeros(cases), np.arange(cases), weight, group)


def _geometric(count):
    sizes = 0.8 ** np.arange(count)
    return sizes / sizes.sum()


def plain(where, values):
    """CR2 and its degrees of freedom with matrices [G, G], from the residuals of independent cases."""
    member = (where.unit == np.arange(where.units)[:, None]).astype(float)
    share = member @ where.share
    maker = member * where.share @ (np.eye(len(where.share)) - where.share)
    maker /= np.sqrt(1.0 - share)[:, None]
    covariance = maker @ maker.T
    error = np.sqrt(((maker @ values) ** 2).sum())
    return error, np.trace(covariance) ** 2 / (covariance**2).sum()


@pytest.mark.parametrize("count", [4, 7, 25, 60])
@pytest.mark.parametrize("weighted", [True, False])
def test_error_and_degrees_of_freedom_are_those_of_matrices(count, weighted):
    where = unequal(count, count, weighted=weighted)
    values = np.random.default_rng(1).normal(size=60)
    clusters = where.clusters
    sums = np.bincount(where.unit, where.share * (values - where.share @ values))
    error, df = plain(where, values)
    assert clusters.error(sums) == pytest.approx(error, rel=1e-12)
    assert clusters.df == pytest.approx(df, rel=1e-10)
    assert clusters.error(np.stack([sums, 2 * sums])) == pytest.approx(np.array([1, 2]) * error)


def test_equal_clusters_have_the_usual_error_on_one_less_than_their_number():
    group = np.arange(60) % 12
    where = entries(np.zeros(60), np.arange(60), None, group)
    values = np.random.default_rng(2).normal(size=60)
    clusters, sums = where.clusters, np.bincount(group, (values - values.mean()) / 60)
    assert clusters.df == pytest.approx(11.0)
    means = np.array([values[group == each].mean() for each in range(12)])
    assert clusters.error(sums) == pytest.approx(means.std(ddof=1) / np.sqrt(12))


def test_a_case_in_several_repeats_counts_once():
    once = unequal(3, 9)
    split = np.repeat([0, 1, 2], 60)
    row, weight, group = (np.tile(each, 3) for each in (once.row, once.share, once.unit))
    thrice = entries(split, row, weight, group).clusters
    assert thrice.share == pytest.approx(once.clusters.share)
    assert thrice.df == pytest.approx(once.clusters.df)


@pytest.mark.parametrize(
    ("share", "why"),
    [
        ([1.0], "one cluster: no test"),
        ([0.5, 0.5], "two clusters: no test"),
        ([0.3, 0.6, 0.1], "one of 3 clusters has 60 % of the weight"),
        ([0.49, 0.49, 0.02], "two of 3 clusters have nearly all of the weight"),
        ([1 / 3, 1 / 3, 1 / 3], ""),
        ([0.48, 0.24, 0.16, 0.12], ""),
    ],
)
def test_clusters_that_weigh_as_few_as_two_have_no_test(share, why):
    clusters = Clusters(np.array(share), np.array(share) / 10.0)
    assert clusters.refusal.startswith(why)
    assert bool(why) == bool(clusters.refusal) == bool(np.isnan(clusters.df))


def test_size_needs_both_the_inflation_and_the_degrees_of_freedom():
    """8 clusters of sizes from 60 to 1, correlation .3 within: .05 with CR2 on its df, .11 with the usual error."""
    sizes = np.array([60, 30, 20, 12, 8, 4, 2, 1])
    group = np.repeat(np.arange(8), sizes)
    where = entries(np.zeros(len(group)), np.arange(len(group)), None, group)
    rng = np.random.default_rng(4)
    values = np.sqrt(0.3) * rng.normal(size=(3000, 8))[:, group]
    values += np.sqrt(0.7) * rng.normal(size=values.shape)
    mean = values.mean(axis=1)
    sums = np.add.reduceat(values - mean[:, None], np.r_[0, sizes.cumsum()[:-1]], axis=1)
    clusters, t = where.clusters, {}
    t["CR2"] = np.abs(mean) / clusters.error(sums / len(group))
    t["usual"] = np.abs(mean) / np.sqrt(8 / 7 * ((sums / len(group)) ** 2).sum(axis=1))
    size = {name: (each > stats.t.ppf(0.975, 7)).mean() for name, each in t.items()}
    ours = (t["CR2"] > stats.t.ppf(0.975, clusters.df)).mean()
    assert ours == pytest.approx(0.05, abs=0.025)
    assert size["usual"] > 0.1
    assert size["CR2"] > 0.08
