"""Summaries against numpy, under equal weights and others."""

import numpy as np
import pytest

from benchbook.assess.densities import (
    GEOMETRIC_MEAN,
    MEAN,
    ROOT_MEAN,
    FunctionOf,
    Quantile,
    normalised_root_mean,
)


def test_means(rng):
    u = rng.exponential(size=31)
    assert MEAN.of(u) == pytest.approx(u.mean())
    assert ROOT_MEAN.of(u) == pytest.approx(np.sqrt(u.mean()))
    assert GEOMETRIC_MEAN.of(np.log(u)) == pytest.approx(np.exp(np.log(u).mean()))
    weights = rng.dirichlet(np.ones(31))
    assert MEAN.of(u, 7.0 * weights) == pytest.approx(weights @ u)


def test_normalised_root_mean_is_one_for_the_mean_of_the_targets(rng):
    y = rng.normal(3.0, 2.0, size=40)
    assert normalised_root_mean(y).of((y - y.mean()) ** 2) == pytest.approx(1.0)
    assert normalised_root_mean(10.0 * y).of((10.0 * y - 10.0 * y.mean()) ** 2) == pytest.approx(
        1.0
    )


@pytest.mark.parametrize("level", [0.01, 0.1, 0.25, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [1, 2, 10, 101])
def test_quantile_is_the_inverse_of_the_distribution_function(rng, level, n):
    u, weights = rng.normal(size=n), rng.dirichlet(np.ones(n))
    assert Quantile(level).of(u) == np.quantile(u, level, method="inverted_cdf")
    assert Quantile(level).of(u, weights) == np.quantile(
        u, level, method="inverted_cdf", weights=weights
    )


def test_quantile_of_ties_and_of_infinite_utilities():
    assert Quantile(0.5).of([3.0, 1.0, 1.0, 1.0]) == 1.0
    assert Quantile(0.9).of([1.0, 2.0, np.inf]) == np.inf


def test_weights_are_the_same_as_copies_of_cases(rng):
    u, copies = rng.normal(size=12), rng.integers(1, 5, size=12)
    for summary in (
        MEAN,
        Quantile(0.3),
        FunctionOf("spread", lambda v, g: float(g @ v**2 - (g @ v) ** 2)),
    ):
        assert summary.of(u, copies) == pytest.approx(summary.of(np.repeat(u, copies)))
