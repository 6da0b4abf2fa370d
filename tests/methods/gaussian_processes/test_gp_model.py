"""The marginal likelihood and predictions: the plain twin, numerical differences, scikit-learn, calibration."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from benchbook.methods.gaussian_processes.model import (
    BIAS,
    NOISE_FLOOR,
    HyperparameterPosterior,
    HyperPrior,
)
from benchbook.methods.shared.scaling import Scale

plain_evidence = runpy.run_path(
    str(Path(__file__).parents[3] / "benchmarks" / "gaussian_process.py")
)["plain_evidence"]

SHAPES = [(2, 1), (5, 3), (40, 2), (33, 20), (70, 8)]


def fast(t, inputs, targets):
    return HyperparameterPosterior(inputs, targets).evidence(t)


def numerical(function, t, width=1e-5):
    return np.array(
        [(function(t + e) - function(t - e)) / (2 * width) for e in width * np.eye(len(t))]
    )


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_evidence_agrees_with_the_twin(problem, n, d):
    inputs, targets, t = problem(n, d)
    value, slope = fast(t, inputs, targets)
    plain_value, plain_slope = plain_evidence(t, inputs, targets)
    assert value == pytest.approx(plain_value, rel=1e-11)
    np.testing.assert_allclose(slope, plain_slope, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("evidence", [fast, plain_evidence])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 3), (40, 6)])
def test_the_gradient_by_every_hyperparameter_agrees_with_differences(problem, evidence, n, d):
    inputs, targets, t = problem(n, d)
    expected = numerical(lambda at: evidence(at, inputs, targets)[0], t)
    np.testing.assert_allclose(evidence(t, inputs, targets)[1], expected, rtol=1e-6, atol=1e-7)


def test_differences_would_show_a_gradient_by_the_length_scale_instead(problem):
    inputs, targets, t = problem(40, 6)
    expected = numerical(lambda at: fast(at, inputs, targets)[0], t)
    assert np.abs(-2 * fast(t, inputs, targets)[1] - expected)[:6].max() > 0.1


def test_the_energy_is_the_posterior_density_with_its_gradient(problem):
    from scipy.stats import norm

    inputs, targets, t = problem(20, 3)
    prior, posterior = HyperPrior(), HyperparameterPosterior(inputs, targets)
    expected = -fast(t, inputs, targets)[0] - norm.logpdf(t, prior.mean(3), prior.sd(3)).sum()
    value, slope = posterior.energy(t)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(
        slope, numerical(lambda at: posterior.energy(at)[0], t), rtol=1e-6, atol=1e-7
    )
    assert posterior.evaluations == 1 + 2 * len(t)


def test_the_prior_in_numbers():
    prior = HyperPrior()
    np.testing.assert_allclose(np.exp(prior.mean(4)), [0.05, 0.05, 0.05, 0.05, 1.0, 0.025, 0.2])
    assert prior.sd(2).tolist() == [1.75, 1.75, 1.5, 2.0, 1.5]


@pytest.fixture
def sklearn_process(problem):
    """scikit-learn's process with the same hyperparameters, and the problem."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

    inputs, targets, t = problem(50, 4)
    signal, slope, noise = np.exp(t[-3:])
    kernel = ConstantKernel(signal) * RBF(np.exp(-0.5 * t[:-3])) + ConstantKernel(BIAS)
    kernel += ConstantKernel(slope) * DotProduct(1e-6) + WhiteKernel(noise + NOISE_FLOOR)
    return (
        GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(inputs, targets),
        inputs,
        targets,
        t,
    )


def test_evidence_and_predictions_are_scikit_learns(sklearn_process, rng):
    process, inputs, targets, t = sklearn_process
    posterior = HyperparameterPosterior(inputs, targets)
    assert posterior.evidence(t)[0] == pytest.approx(
        process.log_marginal_likelihood(process.kernel_.theta), rel=1e-9
    )
    queries = np.vstack([inputs[:5], 2 * rng.normal(size=(20, 4))])
    mean, sd = process.predict(queries, return_std=True)
    our_mean, our_variance = posterior.predict(t, queries)
    np.testing.assert_allclose(our_mean, mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(our_variance, sd**2, rtol=1e-8)


def test_scaling_an_input_and_its_length_scale_changes_nothing(problem):
    inputs, targets, t = problem(30, 3)
    t[-2] = -np.inf
    other = t.copy()
    other[1] -= 2 * np.log(7.0)
    value = fast(other, inputs * [1.0, 7.0, 1.0], targets)[0]
    assert value == pytest.approx(fast(t, inputs, targets)[0], rel=1e-12)


def test_predictions_do_not_hang_on_each_other_nor_on_the_order_of_training(problem, rng):
    inputs, targets, t = problem(30, 3)
    queries, order = rng.normal(size=(9, 3)), rng.permutation(30)
    mean, variance = HyperparameterPosterior(inputs, targets).predict(t, queries)
    for other, chosen in (
        (HyperparameterPosterior(inputs[order], targets[order]), slice(None)),
        (HyperparameterPosterior(inputs, targets), [3]),
    ):
        again = other.predict(t, queries[chosen])
        np.testing.assert_allclose(again[0], mean[chosen], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(again[1], variance[chosen], rtol=1e-10)


def test_with_little_noise_it_interpolates_and_far_away_it_knows_nothing(problem):
    inputs, targets, t = problem(15, 2)
    t = np.log([1.0, 1.0, 1.0, 1e-9, 1e-7])
    mean, variance = HyperparameterPosterior(inputs, targets).predict(
        t, np.vstack([inputs, [[60.0, -60.0]]])
    )
    np.testing.assert_allclose(mean[:-1], targets, atol=0.02)
    assert variance[:-1].max() < 1e-4
    assert variance[-1] > 1.0


def shares(rng, t_for_prediction, replications=800):
    """Where the targets fall in their predictive distributions, counted in ten parts; each from data of its own, drawn
    with hyperparameters from the prior."""
    from scipy.stats import norm

    prior, places = HyperPrior(), []
    for _ in range(replications):
        t = prior.mean(2) + prior.sd(2) * rng.normal(size=5)
        inputs = rng.normal(size=(13, 2))
        targets = draw(t, inputs, rng)
        mean, variance = HyperparameterPosterior(inputs[1:], targets[1:]).predict(
            t_for_prediction(t), inputs[:1]
        )
        places.append(norm.cdf(targets[0], mean[0], np.sqrt(variance[0])))
    return np.histogram(places, bins=10, range=(0, 1))[0]


def draw(t, inputs, rng):
    """Targets from the model, by its definition."""
    smooth = np.exp(
        t[-3] - 0.5 * np.sum(np.exp(t[:-3]) * (inputs[:, None] - inputs[None]) ** 2, axis=2)
    )
    whole = (
        smooth
        + np.exp(t[-2]) * inputs @ inputs.T
        + BIAS
        + (np.exp(t[-1]) + NOISE_FLOOR) * np.eye(len(inputs))
    )
    return np.linalg.cholesky(whole) @ rng.normal(size=len(inputs))


def test_predictive_distributions_are_calibrated_on_data_from_the_model(rng):
    assert chisquare(shares(rng, lambda t: t)).pvalue > 1e-3


def test_calibration_would_show_too_little_noise_and_too_long_length_scales(rng):
    for wrong in (np.array([0.0, 0.0, 0.0, 0.0, -1.0]), np.array([-3.0, -3.0, 0.0, 0.0, 0.0])):
        assert chisquare(shares(rng, lambda t, wrong=wrong: t + wrong)).pvalue < 1e-6


def test_scale_takes_constant_inputs_out_and_leaves_constant_targets_alone(rng):
    inputs = np.column_stack([5 + 3 * rng.normal(size=20), np.full(20, 2.0)])
    scale = Scale.of(inputs, np.full(20, -4.0))
    scaled = scale.inputs(inputs)
    assert (scaled[:, 0].mean(), scaled[:, 0].std()) == pytest.approx((0.0, 1.0))
    assert np.all(scale.inputs(inputs + 1.0)[:, 1] == 0)
    assert scale.targets(np.array([-4.0, -3.0])).tolist() == [0.0, 1.0]


def test_a_matrix_that_cannot_be_factored_gets_a_larger_diagonal(rng):
    inputs = np.repeat(rng.normal(size=(2, 3)), 20, axis=0)
    t = np.array([0.0, 0.0, 0.0, 25.0, 0.0, -60.0])
    posterior = HyperparameterPosterior(inputs, rng.normal(size=40))
    value, slope = posterior.evidence(t)
    mean, variance = posterior.predict(t, inputs[:3])
    assert np.isfinite([value, *slope, *mean, *variance]).all()
    assert (variance > 0).all()


@pytest.mark.parametrize("place", [0, -1])
def test_hyperparameters_that_overflow_have_infinite_energy(problem, place):
    inputs, targets, t = problem(10, 2)
    t[place] = 2000.0
    value, slope = HyperparameterPosterior(inputs, targets).energy(t)
    assert value == np.inf
    assert np.isfinite(slope).all()
