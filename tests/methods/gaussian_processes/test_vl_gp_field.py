"""The whitened field: values, gradients through the Cholesky factor, elliptical slices, predictions."""

import numpy as np
import pytest
from scipy import stats

from benchbook.methods.gaussian_processes.residuals.covariance import JITTER
from benchbook.methods.gaussian_processes.residuals.field import Field
from benchbook.methods.gaussian_processes.residuals.priors import LOGISTIC
from benchbook.seeds import generator

T = np.log([0.5, 0.1, 0.7, 2.0])


def correlations(inputs, others, jitter=0.0):
    return np.exp(-((inputs[:, None] - others[None]) ** 2) @ [0.5, 0.1]) + jitter * np.eye(
        len(inputs), len(others)
    )


@pytest.fixture
def field(rng):
    return Field(rng.normal(size=(9, 2)), LOGISTIC, offset=1.5)


def bent(h):
    """A log likelihood of no particular meaning, with its gradient."""
    return float(np.sum(np.sin(h * np.arange(len(h))))), np.arange(len(h)) * np.cos(
        h * np.arange(len(h))
    )


def test_values_are_whitened_and_back(field, rng):
    z = rng.normal(size=10)
    inputs = field.covariances.inputs
    expected = (
        np.sqrt(2) * np.linalg.cholesky(correlations(inputs, inputs, JITTER)) @ z[:-1] + 1.5 * z[-1]
    )
    np.testing.assert_allclose(field.values(T, z), expected, rtol=1e-10)
    np.testing.assert_allclose(field.values(T, field.whitened(T, expected)), expected, rtol=1e-8)


def test_energy_has_its_gradient(field, rng):
    z, width = rng.normal(size=10), 1e-5

    def value(t):
        return field.energy(t, z, bent)[0]

    expected = [(value(T + e) - value(T - e)) / (2 * width) for e in width * np.eye(4)]
    np.testing.assert_allclose(field.energy(T, z, bent)[1], expected, rtol=1e-5, atol=1e-6)
    assert value(T) == pytest.approx(LOGISTIC.energy(T)[0] - bent(field.values(T, z))[0], rel=1e-12)
    assert value(T + 40) == np.inf


def test_given_the_others_a_value_is_what_the_joint_normal_says(field, rng):
    z = rng.normal(size=10)
    values, queries = field.values(T, z) - 1.5 * z[-1], rng.normal(size=(3, 2))
    within = correlations(field.covariances.inputs, field.covariances.inputs, JITTER)
    gain = correlations(queries, field.covariances.inputs) @ np.linalg.inv(within)
    mean, variance = field.conditional(T, z, queries)
    np.testing.assert_allclose(mean, gain @ values + 1.5 * z[-1], rtol=1e-7)
    explained = np.sum(gain * correlations(queries, field.covariances.inputs), axis=1)
    np.testing.assert_allclose(variance, 2 * (1 + JITTER - explained), rtol=1e-7)
    mean, variance = field.leave_one_out(T, z)
    others = np.arange(9) != 4
    gain = within[4, others] @ np.linalg.inv(within[np.ix_(others, others)])
    assert mean[4] == pytest.approx(gain @ values[others] + 1.5 * z[-1], rel=1e-8)
    assert variance[4] == pytest.approx(2 * (within[4, 4] - gain @ within[others, 4]), rel=1e-8)


def test_slices_draw_from_the_posterior_of_normal_data(field, rng):
    """Of a Normal likelihood the posterior of the values is Normal too."""
    data = rng.normal(size=9)

    def likelihood(h):
        return -0.5 * float(np.sum((h - data) ** 2)) / 0.5, (data - h) / 0.5

    z, drawn = np.zeros(10), []
    for _ in range(1500):
        z = field.slice(T, z, likelihood, 5, rng)
        drawn.append(field.values(T, z))
    prior = 2 * correlations(field.covariances.inputs, field.covariances.inputs, JITTER) + 1.5**2
    gain = prior @ np.linalg.inv(prior + 0.5 * np.eye(9))
    whitened = np.linalg.solve(
        np.linalg.cholesky(prior - gain @ prior), (np.array(drawn) - gain @ data).T
    )
    assert np.abs(whitened.mean(axis=1)).max() < 0.2
    assert np.abs(np.log(whitened.std(axis=1))).max() < 0.15
    assert stats.kstest(whitened[:, ::5].ravel(), "norm").pvalue > 1e-3


@pytest.mark.parametrize("degrees", [np.inf, 3.5])
def test_slices_of_the_kernel_are_those_of_the_twin(field, degrees):
    from benchbook.kernels.elliptical import log_likelihood, slices

    rng = generator(3, "slices")
    z, squares = rng.normal(size=10), rng.chisquare(2, size=9)

    def likelihood(logs):
        scaled = squares * np.exp(-logs)
        tail = scaled if degrees == np.inf else (degrees + 2) * np.log1p(scaled / degrees)
        return -0.5 * float(np.sum(2 * logs + tail)), logs

    logs = field.values(T, z)
    assert log_likelihood(logs, squares, 2, degrees) == pytest.approx(
        likelihood(logs)[0], rel=1e-12
    )
    expected = field.slice(T, z, likelihood, 20, generator(4, "slices"))
    rng = generator(4, "slices")
    others = rng.normal(size=(20, 10))
    slices(logs, z, np.ascontiguousarray(field.values(T, others)), others, squares, 2, degrees, rng)
    np.testing.assert_allclose(z, expected, rtol=1e-9)
    np.testing.assert_allclose(logs, field.values(T, z), rtol=1e-8)
