"""Densities of latent value plus residual against adaptive quadrature."""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from benchbook.methods.gaussian_processes.residuals.density import log_residual, logistic_chance


def one(y, mean, variance, noise, degrees, spread=None):
    arrays = [np.array([[value]], dtype=float) for value in (mean, variance, noise)]
    more = None if spread is None else np.array([[float(spread)]])
    return log_residual(np.array([float(y)]), *arrays, np.array([float(degrees)]), more)[0, 0]


@pytest.mark.parametrize("degrees", [2.25, 4.0, 17.0, 72.0])
@pytest.mark.parametrize("y", [0.1, 2.0, -9.0])
def test_t_plus_normal(degrees, y):
    for variance, noise in ((0.5, 0.3), (3.0, 0.01), (0.01, 3.0)):
        sd, scale = np.sqrt(variance), np.sqrt(noise)
        latent, residual = stats.norm(0.2, sd), stats.t(degrees, scale=scale)
        h = np.unique(
            np.concatenate(
                [0.2 + sd * np.linspace(-12, 12, 4001), y + scale * np.linspace(-40, 40, 8001)]
            )
        )
        expected = np.trapezoid(latent.pdf(h) * residual.pdf(y - h), h)
        assert one(y, 0.2, variance, noise, degrees) == pytest.approx(np.log(expected), abs=2e-3)


def test_t_alone_and_far_out():
    for y in (0.0, 30.0, 1e4):
        assert one(y, 0.0, 1e-14, 1.0, 4.0) == pytest.approx(stats.t.logpdf(y, 4.0), abs=2e-3)


def test_normal_residuals_of_known_and_uncertain_variance():
    assert one(1.3, 0.2, 0.5, 0.3, np.inf) == pytest.approx(
        stats.norm.logpdf(1.3, 0.2, np.sqrt(0.8)), rel=1e-12
    )

    def density(g):
        return stats.norm.pdf(g, 0, 0.8) * stats.norm.pdf(1.3, 0.2, np.sqrt(0.5 + np.exp(g) * 0.3))

    expected = integrate.quad(density, -8, 8)[0]
    assert one(1.3, 0.2, 0.5, 0.3, np.inf, 0.64) == pytest.approx(np.log(expected), abs=1e-5)


@pytest.mark.parametrize(
    ("mean", "variance"), [(0.0, 1.0), (1.0, 0.01), (-2.0, 4.0), (5.0, 30.0), (-30.0, 900.0)]
)
def test_chance_of_a_class(mean, variance):
    sd = np.sqrt(variance)
    expected = integrate.quad(
        lambda f: stats.norm.pdf(f, mean, sd) * expit(f),
        mean - 9 * sd,
        mean + 9 * sd,
        limit=400,
        epsabs=1e-10,
        points=[max(min(0.0, mean + 8 * sd), mean - 8 * sd)],
    )[0]
    assert logistic_chance(np.array(mean), np.array(variance)) == pytest.approx(expected, abs=1e-7)
    assert logistic_chance(np.array(1.0), np.array(0.0)) == pytest.approx(expit(1.0), rel=1e-12)
