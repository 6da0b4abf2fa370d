"""The conjugate linear model against integration and itself, and importance sampling against exact refits."""

import numpy as np
import pytest
from scipy import special, stats

from benchbook.assess.densities import (
    LinearModel,
    bayesian_bootstrap,
    exact_cross_validation,
    folds_of,
    leave_group_out,
    log_fractional_likelihood,
    log_intrinsic_factor,
    log_likelihoods,
    log_partial_densities,
    log_partial_likelihood,
    log_posterior_densities,
    log_posterior_likelihood,
    log_prior_densities,
    log_prior_likelihood,
    log_pseudo_likelihood,
    loo,
    pseudo_bayes_factor,
    random_folds,
)


@pytest.fixture
def data(rng):
    x = np.column_stack([np.ones(30), rng.normal(size=(30, 2))])
    return x, x @ [1.0, -1.0, 0.5] + 0.7 * rng.normal(size=30)


@pytest.fixture
def prior():
    return LinearModel(np.zeros(3), 0.5 * np.eye(3), 2.0, 1.0)


def test_posterior_does_not_depend_on_the_order_of_learning(prior, data):
    x, y = data
    at_once, in_two = prior.given(x, y), prior.given(x[:11], y[:11]).given(x[11:], y[11:])
    np.testing.assert_allclose(in_two.mean, at_once.mean, rtol=1e-10)
    np.testing.assert_allclose(
        [in_two.shape, in_two.rate], [at_once.shape, at_once.rate], rtol=1e-10
    )
    assert prior.given(x[:0], y[:0]).rate == prior.rate


def test_each_case_left_out_in_closed_form_and_by_fitting_anew(prior, data):
    x, y = data
    left_out = prior.given(x, y).left_out(x, y)
    np.testing.assert_allclose(
        left_out.log_density(y),
        exact_cross_validation(prior, x, y, folds_of(range(30))),
        rtol=1e-10,
    )
    again = prior.given(x[1:], y[1:]).predictive(x[:1])
    np.testing.assert_allclose(
        [np.ravel(each)[0] for each in (left_out.location, left_out.scale, left_out.df)],
        [np.ravel(each)[0] for each in (again.location, again.scale, again.df)],
        rtol=1e-10,
    )


@pytest.mark.parametrize("power", [1.0, 0.4])
def test_marginal_likelihood_by_integration(power):
    """One constant input: over the weight, in units of the noise, and the logarithm of the variance."""
    prior, y = LinearModel(np.zeros(1), np.eye(1), 2.0, 1.5), np.array([0.3, -0.8, 1.1])
    log_variance, unit = np.linspace(-6.0, 14.0, 801)[:, None], np.linspace(-9.0, 9.0, 801)
    sd = np.exp(0.5 * log_variance)
    density = stats.norm.logpdf(unit) + stats.invgamma.logpdf(sd**2, 2.0, scale=1.5) + log_variance
    for target in y:
        density = density + power * stats.norm.logpdf(target, unit * sd, sd)
    result = np.exp(density).sum() * (unit[1] - unit[0]) * (log_variance[1, 0] - log_variance[0, 0])
    assert prior.log_marginal(np.ones((3, 1)), y, power) == pytest.approx(np.log(result), rel=1e-5)


def test_marginal_likelihood_is_the_product_of_one_step_predictions(prior, data):
    x, y = data
    steps = [
        prior.given(x[:i], y[:i]).predictive(x[i : i + 1]).log_density(y[i : i + 1])[0]
        for i in range(30)
    ]
    assert prior.log_marginal(x, y) == pytest.approx(np.sum(steps), rel=1e-10)


def test_draws_average_to_the_posterior_and_the_predictive_density(prior, data, rng):
    x, y = data
    posterior = prior.given(x, y)
    weights, variance = posterior.draws(20_000, rng)
    np.testing.assert_allclose(weights.mean(axis=0), posterior.mean, atol=0.01)
    assert variance.mean() == pytest.approx(posterior.rate / (posterior.shape - 1.0), rel=0.02)
    mixed = special.logsumexp(log_likelihoods((weights, variance), x, y), axis=0) - np.log(20_000)
    np.testing.assert_allclose(mixed, posterior.predictive(x).log_density(y), atol=0.02)


def test_importance_sampling_agrees_with_exact_refits(prior, data, rng):
    """Equations 9 to 16 against a fit without each case."""
    x, y = data
    exact = exact_cross_validation(prior, x, y, folds_of(np.arange(30)))
    result = loo(log_likelihoods(prior.given(x, y).draws(8000, rng), x, y))
    assert result.reliable.all()
    np.testing.assert_allclose(result.log_density, exact, atol=0.06)
    assert result.total == pytest.approx(exact.sum(), abs=0.2)
    assert (
        result.posterior_log_density.sum() > exact.sum() + 1.0
    )  # negative control: the training utility flatters


def test_k_hat_tells_where_importance_sampling_fails(prior, data, rng):
    """One outlying case with leverage: its weights have a heavy tail, and the raw estimate is far from the refit."""
    x, y = data
    x[0], y[0] = [1.0, 6.0, -6.0], 40.0
    exact = exact_cross_validation(prior, x, y, folds_of(np.arange(30)))
    result = loo(log_likelihoods(prior.given(x, y).draws(4000, rng), x, y))
    assert not result.reliable[0]
    assert result.k_hat[0] > 0.7
    assert result.effective[0] < 100
    assert (
        result.log_density[0] > exact[0] + 0.5
    )  # the draws do not reach where the posterior without it is


def test_groups_against_exact_refits(prior, data, rng):
    x, y = data
    groups = np.arange(30) // 2
    exact = exact_cross_validation(prior, x, y, folds_of(groups))
    result = leave_group_out(log_likelihoods(prior.given(x, y).draws(8000, rng), x, y), groups)
    np.testing.assert_allclose(result.log_density, exact, atol=0.06)
    joint = [log_partial_likelihood(prior, x, y, np.flatnonzero(groups == g)) for g in range(15)]
    np.testing.assert_allclose(result.joint_log_density, joint, atol=0.1)


def test_k_fold_predictions_are_those_of_the_refits(prior, data, rng):
    x, y = data
    folds = random_folds(30, 4, rng)
    result = exact_cross_validation(prior, x, y, folds)
    fold = folds[2]
    expected = (
        prior.given(x[fold.train], y[fold.train]).predictive(x[fold.test]).log_density(y[fold.test])
    )
    assert result[fold.test].tolist() == expected.tolist()


def test_likelihoods_of_the_bayes_factors(prior, data):
    x, y = data
    whole = log_prior_likelihood(prior, x, y)
    test = np.arange(20, 30)
    first = log_prior_likelihood(prior, x[:20], y[:20])
    assert log_partial_likelihood(prior, x, y, test) == pytest.approx(whole - first)
    assert log_partial_likelihood(prior, x, y, np.arange(30)) == pytest.approx(whole)
    twice = prior.log_marginal(np.vstack([x, x]), np.concatenate([y, y]))
    assert log_posterior_likelihood(prior, x, y) == pytest.approx(twice - whole)
    assert log_fractional_likelihood(prior, x, y, 1e-9) == pytest.approx(whole, abs=1e-5)
    assert log_fractional_likelihood(prior, x, y, 0.3) == pytest.approx(
        whole - prior.log_marginal(x, y, 0.3)
    )
    # From data not seen to data seen, predictions get better.
    assert (
        whole
        < log_pseudo_likelihood(prior, x, y).sum()
        < log_posterior_densities(prior, x, y).sum()
    )


def test_products_over_cases_are_not_the_likelihoods_of_all_cases(prior, data):
    """The report writes one sign for both. They agree for one case, and where the parameters are known."""
    x, y = data
    product = log_prior_densities(prior, x, y)
    assert [
        log_prior_likelihood(prior, x[i : i + 1], y[i : i + 1]) for i in range(30)
    ] == pytest.approx(product.tolist())
    assert abs(product.sum() - log_prior_likelihood(prior, x, y)) > 1.0
    held_out = [4, 11, 28]
    apart = log_partial_densities(prior, x, y, held_out)
    rest = np.setdiff1d(np.arange(30), held_out)
    for index, case in enumerate(held_out):
        both = np.append(rest, case)
        step = log_prior_likelihood(prior, x[both], y[both]) - log_prior_likelihood(
            prior, x[rest], y[rest]
        )
        assert apart[index] == pytest.approx(step)
    assert abs(apart.sum() - log_partial_likelihood(prior, x, y, held_out)) > 1e-3
    known = LinearModel(prior.mean, 1e9 * np.eye(3), 1e9, 1e9)
    for densities, likelihood in (
        (log_prior_densities, log_prior_likelihood),
        (log_posterior_densities, log_posterior_likelihood),
    ):
        assert densities(known, x, y).sum() == pytest.approx(likelihood(known, x, y), rel=1e-5)


def test_intrinsic_factor(prior, data):
    x, y = data[0][:7], data[1][:7]
    small = LinearModel(np.zeros(1), np.eye(1), 2.0, 1.0)
    inputs = (x, x[:, :1])
    plain = log_prior_likelihood(prior, x, y) - log_prior_likelihood(small, x[:, :1], y)
    assert log_intrinsic_factor(prior, small, inputs, y, 0) == pytest.approx(plain)
    arithmetic = log_intrinsic_factor(prior, small, inputs, y, 2)
    geometric = log_intrinsic_factor(prior, small, inputs, y, 2, "geometric")
    assert arithmetic >= geometric
    swapped = log_intrinsic_factor(small, prior, inputs[::-1], y, 2, "geometric")
    assert swapped == pytest.approx(-geometric)


def test_pseudo_bayes_factor_of_two_models(prior, data):
    x, y = data
    small = LinearModel(np.zeros(1), np.eye(1), 2.0, 1.0)
    first, other = log_pseudo_likelihood(prior, x, y), log_pseudo_likelihood(small, x[:, :1], y)
    np.testing.assert_allclose(
        first, exact_cross_validation(prior, x, y, folds_of(np.arange(30))), rtol=1e-9
    )
    result = pseudo_bayes_factor(first, other, replicates=500)
    assert result.log_value == pytest.approx(np.sum(first - other))
    assert result.log_factor.estimate == pytest.approx(result.log_value)
    assert result.root.estimate == pytest.approx(np.exp(result.log_value / 30))
    np.testing.assert_allclose(
        np.exp(result.log_factor.replicates / 30), result.root.replicates, rtol=1e-12
    )


def test_coverage_of_the_expected_utility(prior, rng):
    """90 % intervals of leave-one-out by importance sampling, over data sets, for the mean log density of new cases."""
    held_out, worlds, cases = 0, 120, 40
    for world in range(worlds):
        x = np.column_stack([np.ones(cases), rng.normal(size=(cases, 2))])
        y = x @ [1.0, -1.0, 0.5] + 0.7 * rng.normal(size=cases)
        posterior = prior.given(x, y)
        result = loo(log_likelihoods(posterior.draws(400, rng), x, y))
        new = np.column_stack([np.ones(2000), rng.normal(size=(2000, 2))])
        truth = (
            posterior.predictive(new)
            .log_density(new @ [1.0, -1.0, 0.5] + 0.7 * rng.normal(size=2000))
            .mean()
        )
        low, high = bayesian_bootstrap(result.log_density, replicates=400, seed=world).interval()
        held_out += low <= truth <= high
    assert 0.8 < held_out / worlds < 0.97
