"""Covariance parameters: prior, marginal likelihood and gradient, latent values and predictions, by plain numpy."""

import numpy as np
import pytest
from scipy import stats

from benchbook.methods.gaussian_processes.residuals.covariance import JITTER, Marginal
from benchbook.methods.gaussian_processes.residuals.priors import (
    LOGISTIC,
    REGRESSION,
    SPREAD,
    CovariancePrior,
    InverseGamma,
)


def numerical(function, t, width=1e-5):
    return np.array(
        [(function(t + e) - function(t - e)) / (2 * width) for e in width * np.eye(len(t))]
    )


def plain(t, inputs, others):
    apart = (inputs[:, None] - others[None]) ** 2
    return np.exp(t[-2] - np.sum(np.exp(t[: inputs.shape[1]]) * apart, axis=2))


@pytest.fixture
def marginal(rng):
    made = Marginal(rng.normal(size=(12, 3)), rng.normal(size=(12, 2)), REGRESSION)
    made.scales[:] = rng.uniform(0.5, 3.0, size=(12, 2))
    return made


T = np.log([0.5, 0.1, 2.0, 0.3, 1.7, 0.2])


def test_inverse_gamma_is_scipys(rng):
    v = 0.7
    prior = InverseGamma(0.8, 3.0)
    assert prior.log_moments()[0] == pytest.approx(
        stats.invgamma(1.5, scale=1.5 * 0.64).expect(np.log), rel=1e-6
    )
    item = CovariancePrior(2.0, prior, prior, None)
    energy = item.energy(np.log([v, v]))[0]  # no inputs: level and signal
    assert energy == pytest.approx(
        -2 * (stats.invgamma.logpdf(v, 1.5, scale=1.5 * 0.64) + np.log(v)), rel=1e-10
    )
    drawn = [prior.draw(rng) for _ in range(2000)]
    assert stats.kstest(drawn, stats.invgamma(1.5, scale=1.5 * 0.64).cdf).pvalue > 1e-3


@pytest.mark.parametrize("prior", [REGRESSION, SPREAD, LOGISTIC])
def test_prior_energy_has_its_gradient_and_moments(prior, rng):
    t = rng.normal(size=prior.size(3))
    np.testing.assert_allclose(
        prior.energy(t)[1], numerical(lambda at: prior.energy(at)[0], t), rtol=1e-6, atol=1e-8
    )
    drawn = np.array([prior.draw(3, rng) for _ in range(2000)])
    z = (drawn.mean(axis=0) - prior.mean(3)) / prior.sd(3) * np.sqrt(2000)
    assert np.abs(z).max() < 4.5
    assert np.abs(np.log(drawn.std(axis=0) / prior.sd(3))).max() < 0.2


def test_evidence_is_the_normal_density(marginal):
    for output in range(2):
        covariance = plain(T, marginal.covariances.inputs, marginal.covariances.inputs)
        covariance += np.diag(JITTER + np.exp(T[-1]) * marginal.scales[:, output])
        expected = stats.multivariate_normal(np.zeros(12), covariance).logpdf(
            marginal.targets[:, output]
        )
        assert marginal.evidence(T, output)[0] == pytest.approx(expected, rel=1e-9)
        np.testing.assert_allclose(
            marginal.covariance(T, output), covariance, rtol=1e-10, atol=1e-12
        )


def test_energy_has_its_gradient(marginal):
    value, slope = marginal.energy(T)
    expected = -sum(marginal.evidence(T, o)[0] for o in range(2)) + REGRESSION.energy(T)[0]
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(
        slope, numerical(lambda at: marginal.energy(at)[0], T), rtol=1e-5, atol=1e-6
    )
    assert marginal.energy(T + 40)[0] == np.inf


def test_predictions_are_those_of_the_joint_normal(marginal, rng):
    queries = np.vstack([marginal.covariances.inputs[:2], rng.normal(size=(3, 3))])
    mean, variance = marginal.conditional(T, queries, 1)
    across = plain(T, queries, marginal.covariances.inputs)
    gain = across @ np.linalg.inv(marginal.covariance(T, 1))
    np.testing.assert_allclose(mean, gain @ marginal.targets[:, 1], rtol=1e-8)
    np.testing.assert_allclose(
        variance, np.exp(T[-2]) + JITTER - np.sum(gain * across, axis=1), rtol=1e-8
    )


def test_drawn_values_have_their_mean_and_covariance(marginal, rng):
    drawn = np.array([marginal.draw_values(T, rng)[:, 1] for _ in range(3000)])
    noise = np.exp(T[-1]) * marginal.scales[:, 1]
    latent = marginal.covariance(T, 1) - np.diag(noise)
    gain = latent @ np.linalg.inv(latent + np.diag(noise))
    mean, covariance = gain @ marginal.targets[:, 1], latent - gain @ latent
    whitened = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - mean).T)
    assert np.abs(whitened.mean(axis=1)).max() < 4.5 / np.sqrt(3000)
    assert np.abs(np.cov(whitened) - np.eye(12)).max() < 0.12
