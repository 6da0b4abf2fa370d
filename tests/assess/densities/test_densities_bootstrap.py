"""The Bayesian bootstrap against exact laws, numpy, and the coverage of its intervals."""

import numpy as np
import pytest
from refusals import refused
from scipy import stats

from benchbook.assess.densities import (
    MEAN,
    ROOT_MEAN,
    Distribution,
    FunctionOf,
    Mean,
    Quantile,
    bayesian_bootstrap,
    dependent_weights,
    gaussian,
    gaussian_by_folds,
    reweighted,
)
from benchbook.errors import FaultyInput
from benchbook.kernels import dirichlet
from benchbook.seeds import generator


def weights_of(n, replicates=4000, seed=1):
    keys = generator(seed, "Bayesian bootstrap").integers(
        0, 2**64, size=replicates, dtype=np.uint64
    )
    out = np.empty((replicates, n))
    dirichlet.weights_of(keys, np.ones(n), np.arange(n), out)
    return out


def test_weights_are_uniform_on_the_simplex():
    """Each weight is Beta(1, n - 1), the largest of three has a known law, and two correlate by -1 / (n - 1)."""
    weights = weights_of(5)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-14)
    for column in weights.T:
        assert stats.kstest(column, stats.beta(1, 4).cdf).pvalue > 1e-3
    assert np.corrcoef(weights[:, 0], weights[:, 3])[0, 1] == pytest.approx(-0.25, abs=0.05)
    assert stats.kstest(weights_of(2)[:, 0], "uniform").pvalue > 1e-3


def test_exponential_numbers_are_independent_along_and_across_keys():
    weights = weights_of(2000, 200)
    series = weights.ravel() * 2000
    assert np.corrcoef(series[:-1], series[1:])[0, 1] == pytest.approx(0.0, abs=0.008)
    assert np.corrcoef(weights[:100].ravel(), weights[100:].ravel())[0, 1] == pytest.approx(
        0.0, abs=0.01
    )
    assert stats.kstest(series[::7], "expon").pvalue > 1e-3


@pytest.mark.parametrize("n", [1, 3, 511, 512, 513, 1100])
def test_kernels_against_numpy(rng, n):
    u, weights = rng.normal(size=n), weights_of(n, 50)
    expected = {
        MEAN: weights @ u,
        Mean("exp", 2.0): np.exp(weights @ u) / 2.0,
        Quantile(0.9): [np.quantile(u, 0.9, method="inverted_cdf", weights=row) for row in weights],
        FunctionOf("mean of squares", lambda v, g: float(g @ v**2)): weights @ u**2,
    }
    for summary, values in expected.items():
        result = bayesian_bootstrap(u, summary, replicates=50)
        np.testing.assert_allclose(result.replicates, values, rtol=1e-11, atol=1e-14)
        assert result.estimate == pytest.approx(summary.of(u))


def test_variance_of_the_mean_is_exact(rng):
    """Var = population variance / (n + 1), which is a little below equation 24."""
    u = rng.exponential(size=20)
    result = bayesian_bootstrap(u, replicates=40_000)
    assert result.sd**2 == pytest.approx(u.var() / 21, rel=0.03)
    assert gaussian(u).sd ** 2 == pytest.approx(u.var() / 19)
    assert result.mean == pytest.approx(u.mean(), abs=4 * result.sd / 200)


def test_quantile_has_a_binomial_law(rng):
    """Cumulated Dirichlet weights are uniform order statistics, so the place of the quantile is 1 + Bin(n - 1, α)."""
    u = np.sort(rng.normal(size=60))
    result = bayesian_bootstrap(u, Quantile(0.9), replicates=8000)
    index = np.searchsorted(u, result.replicates)
    law = stats.binom(59, 0.9)
    counts = np.bincount(index, minlength=60)
    mask = 8000 * law.pmf(np.arange(60)) > 8
    assert counts[~mask].sum() < 100
    expected = law.pmf(np.arange(60))[mask]
    assert (
        stats.chisquare(counts[mask], expected / expected.sum() * counts[mask].sum()).pvalue > 1e-3
    )


def test_invariances(rng):
    u = rng.normal(size=100)
    base = bayesian_bootstrap(u, replicates=300).replicates
    np.testing.assert_allclose(
        bayesian_bootstrap(3 * u + 5, replicates=300).replicates, 3 * base + 5, rtol=1e-12
    )
    assert bayesian_bootstrap(u, replicates=300, name="other").replicates.tolist() == base.tolist()
    assert bayesian_bootstrap(u, replicates=200).replicates.tolist() == base[:200].tolist()
    assert not np.isclose(bayesian_bootstrap(u, replicates=300, seed=2).replicates, base).any()
    quantile = bayesian_bootstrap(u, Quantile(0.3), replicates=300).replicates
    np.testing.assert_allclose(
        bayesian_bootstrap(np.exp(u), Quantile(0.3), replicates=300).replicates,
        np.exp(quantile),
        rtol=1e-12,
    )


def test_weights_of_cases_make_another_future(rng):
    u = rng.normal(size=50)
    share = np.where(np.arange(50) < 20, 1.0, 0.0)
    result = bayesian_bootstrap(u, case_weights=share, replicates=2000)
    assert result.estimate == pytest.approx(u[:20].mean())
    assert result.sd**2 == pytest.approx(u[:20].var() / 21, rel=0.15)


def test_monte_carlo_variability_adds_to_that_of_the_data(rng):
    """Draws that all cases share keep their whole variance; draws of each case's own average out."""
    u = rng.normal(size=200)
    shared = u + 0.3 * rng.normal(size=(500, 1))
    alone, together = (
        bayesian_bootstrap(u, replicates=5000),
        bayesian_bootstrap(shared, replicates=5000),
    )
    assert together.sd**2 - alone.sd**2 == pytest.approx(0.09, rel=0.15)
    own = u + 0.3 * rng.normal(size=(500, 200))
    apart = bayesian_bootstrap(own, replicates=5000, sources=np.arange(200))
    assert apart.sd**2 - alone.sd**2 == pytest.approx(2 * 0.09 / 200, rel=0.6)
    by_hand = bayesian_bootstrap(
        own, FunctionOf("mean", lambda v, g: float(g @ v)), replicates=5000, sources=np.arange(200)
    )
    np.testing.assert_allclose(by_hand.replicates, apart.replicates, rtol=1e-10, atol=1e-12)
    quantile = bayesian_bootstrap(shared, Quantile(0.9), replicates=5000)
    assert quantile.sd**2 > bayesian_bootstrap(u, Quantile(0.9), replicates=5000).sd ** 2 + 0.05


def test_draws_differ_between_models_and_weights_do_not(rng):
    shared = np.zeros(30) + rng.normal(size=(400, 1))
    first, second = (
        bayesian_bootstrap(shared, replicates=1000, name=name).replicates for name in ("a", "b")
    )
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.15
    plain = rng.normal(size=30)
    assert (
        bayesian_bootstrap(plain, name="a").replicates
        == bayesian_bootstrap(plain, name="b").replicates
    ).all()


def test_reweighted_draws_have_the_variance_of_a_monte_carlo_mean(rng):
    h = rng.normal(size=(400, 3))
    result = reweighted(h, draws=3000)
    np.testing.assert_allclose(result.mean(axis=0), h.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(result.var(axis=0), h.var(axis=0) / 401, rtol=0.12)
    weights = np.where(np.arange(400)[:, None] < 100, 1.0, np.zeros((1, 3)))
    np.testing.assert_allclose(
        reweighted(h, weights, draws=3000).var(axis=0), h[:100].var(axis=0) / 101, rtol=0.12
    )


def test_dependent_weights_have_bartletts_covariance(rng):
    weights = 200 * dependent_weights(200, 8, 4000, rng)
    middle = weights[:, 90:110]
    for lag in (0, 1, 4, 7, 12):
        result = np.mean((middle[:, 0] - 1) * (weights[:, 90 + lag] - 1))
        assert result == pytest.approx(max(1 - lag / 8, 0.0) - 8 / 200, abs=0.1)
    np.testing.assert_allclose(dependent_weights(5, 1, 50, rng).sum(axis=1), 1.0)


def test_a_dependent_chain_needs_dependent_weights(rng):
    """Autoregression with coefficient 0.8: the variance of the mean is (1 + 0.8) / (1 - 0.8) = 9 times that without."""
    noise = rng.normal(size=(4000, 3))
    chain = np.zeros_like(noise)
    for t in range(1, 4000):
        chain[t] = 0.8 * chain[t - 1] + noise[t]
    truth = 9.0 * chain.var() / 4000
    assert reweighted(chain, draws=500, block=60).var(axis=0).mean() == pytest.approx(
        truth, rel=0.35
    )
    assert reweighted(chain, draws=500).var(axis=0).mean() < 0.2 * truth


def test_intervals_cover(rng):
    """Nominal 90 %: a mean of skewed utilities, the root of a mean, and a quantile."""
    cases, worlds = 80, 400
    u = rng.normal(size=(worlds, cases)) ** 2
    truths = {MEAN: 1.0, ROOT_MEAN: 1.0, Quantile(0.9): stats.chi2(1).ppf(0.9)}
    for summary, truth in truths.items():
        results = [
            bayesian_bootstrap(row, summary, replicates=400, seed=k).interval()
            for k, row in enumerate(u)
        ]
        assert 0.82 < np.mean([low <= truth <= high for low, high in results]) < 0.95
    sides = [gaussian(row).interval() for row in u]
    assert 0.80 < np.mean([low <= 1.0 <= high for low, high in sides]) < 0.95


def test_folds_approximation_by_hand(rng):
    u, fold = rng.normal(size=10), np.repeat([0, 1], [6, 4])
    means = np.array([u[:6].mean(), u[6:].mean()])
    result = gaussian_by_folds(u, fold)
    assert result.sd == pytest.approx(np.sqrt(means.var(ddof=1) / 2))
    assert result.estimate == pytest.approx(u.mean())


def test_what_can_be_read_from_a_distribution(rng):
    skewed = Distribution(rng.exponential(size=20_000), 1.0)
    low, high = skewed.interval(0.8)
    assert (low, high) == pytest.approx((-np.log(0.9), -np.log(0.1)), rel=0.05)
    assert skewed.probability_above(1.0) == pytest.approx(np.exp(-1), abs=0.02)
    assert Distribution(np.zeros(4), 0.0).probability_above() == 0.5
    flat = gaussian([1.0, 3.0])
    assert (flat.probability_above(2.0), flat.interval()[0]) == pytest.approx(
        (0.5, 2.0 - 1.6448536)
    )


def test_the_shortest_interval_is_that_of_highest_density():
    """Of an exponential distribution it begins at 0 and ends where the central one has 5 % more to go."""
    replicates = stats.expon.ppf((np.arange(4000) + 0.5) / 4000)
    result = Distribution(replicates, 1.0)
    assert result.shortest_interval(0.9) == pytest.approx((0.0, np.log(10)), abs=0.01)
    symmetric = Distribution(stats.norm.ppf((np.arange(4000) + 0.5) / 4000), 0.0)
    assert symmetric.shortest_interval() == pytest.approx(symmetric.interval(), abs=0.01)
    assert Distribution(np.array([1.0, 1.0]), 1.0).shortest_interval() == (1.0, 1.0)
    refused(FaultyInput, "must be between 0 and 1", result.shortest_interval, 1.0)


def test_the_shortest_interval_holds_no_less_than_its_share():
    """Of ten replicates 85 % are nine."""
    result = Distribution(np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 30.0]), 4.0)
    assert result.shortest_interval(0.85) == (0.0, 8.0)
