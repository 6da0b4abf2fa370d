"""Exact leave-one-out terms of a Gaussian process against taking each case out."""

import numpy as np
import pytest
from scipy import stats

from benchbook.assess.densities import gp_leave_one_out, gp_leave_one_out_draws, gp_predict


@pytest.fixture
def process(rng):
    x = rng.normal(size=(15, 2))
    distance = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    covariance = 4.0 * np.exp(-0.5 * distance) + 0.3 * np.eye(15)
    return covariance, rng.multivariate_normal(np.zeros(15), covariance)


def test_equations_37_to_39_against_direct_removal(process):
    covariance, y = process
    result = gp_leave_one_out(covariance, y)
    for i in range(15):
        rest = np.arange(15) != i
        mean, variance = gp_predict(
            covariance[np.ix_(rest, rest)], y[rest], covariance[rest, i : i + 1], covariance[i, i]
        )
        k, inverse = covariance[rest, i], np.linalg.inv(covariance[np.ix_(rest, rest)])
        assert mean[0] == pytest.approx(k @ inverse @ y[rest], rel=1e-9)  # 34
        assert variance[0] == pytest.approx(covariance[i, i] - k @ inverse @ k, rel=1e-9)  # 35
        assert result.mean[i] == pytest.approx(mean[0], rel=1e-9)
        assert result.variance[i] == pytest.approx(variance[0], rel=1e-9)
        assert result.log_density[i] == pytest.approx(
            stats.norm.logpdf(y[i], mean[0], np.sqrt(variance[0])), rel=1e-9
        )


def test_equation_37_as_printed_is_minus_the_log_density(process):
    covariance, y = process
    result = gp_leave_one_out(covariance, y)
    q, diagonal = np.linalg.solve(covariance, y), np.diag(np.linalg.inv(covariance))
    printed = 0.5 * np.log(2 * np.pi) - 0.5 * np.log(diagonal) + 0.5 * q**2 / diagonal
    np.testing.assert_allclose(printed, -result.log_density, rtol=1e-9)


def test_draws_of_the_hyperparameters(process):
    covariance, y = process
    terms = gp_leave_one_out_draws([covariance, 2.0 * covariance], y)
    assert terms.log_density.shape == (2, 15)
    assert terms.variance[1] == pytest.approx(2.0 * terms.variance[0])
    assert terms.mean[1] == pytest.approx(terms.mean[0])
