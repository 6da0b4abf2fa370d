"""The vectorised exponential and logarithm against numpy's, and the sums."""

import numpy as np
import pytest
from numba import njit

from benchbook.kernels import dirichlet, exponentials, importance


@njit
def each(function, x):
    out = np.empty(x.size)
    for i in range(x.size):
        out[i] = function(x[i])
    return out


@pytest.mark.parametrize("width", [1e-300, 1e-8, 1e-3, 0.3, 1.0, 30.0, 700.0])
def test_exponentials(rng, width):
    x = width * rng.uniform(-1, 1, size=5_001)
    np.testing.assert_allclose(each(exponentials.exp, x), np.exp(x), rtol=5e-16)
    np.testing.assert_allclose(each(exponentials.expm1, x), np.expm1(x), rtol=1e-15)


def test_exponentials_at_their_limits():
    np.testing.assert_allclose(
        each(exponentials.exp, np.array([-1e9, -np.inf])), 2.0**-1022, rtol=1e-12
    )
    np.testing.assert_allclose(
        each(exponentials.exp, np.array([0.0, 1e9])), [1.0, np.exp(709.0)], rtol=1e-15
    )


def test_logarithm(rng):
    x = np.concatenate(
        [
            np.exp(rng.uniform(-700, 700, size=3_000)),
            rng.uniform(0.4, 2.5, size=3_000),
            1.0 + 1e-9 * rng.uniform(-1, 1, size=100),
            [1.0, 2.0, 2.0**-1022],
        ]
    )
    np.testing.assert_allclose(each(exponentials.log, x), np.log(x), rtol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 15, 16, 17, 1000])
def test_sums_and_the_largest(rng, n):
    x = rng.normal(size=n)
    assert exponentials.total(x, n) == pytest.approx(x.sum(), rel=1e-12)
    np.testing.assert_allclose(exponentials.moments(x, n), [x.sum(), (x**2).sum()], rtol=1e-12)
    assert exponentials.largest(x, n) == x.max()


def test_functions_that_losses_are_made_of(rng):
    x = -np.concatenate([rng.uniform(0, 700, 4000), rng.uniform(0, 1, 1000), [0.0]])
    np.testing.assert_allclose(each(exponentials.exp_negative, x), np.exp(x), rtol=1e-15)
    x = np.concatenate([np.exp(rng.uniform(-700, 700, 3000)), rng.uniform(0.5, 2.0, 3000)])
    np.testing.assert_allclose(each(exponentials.log_normal, x), np.log(x), rtol=4e-16, atol=2e-16)


@pytest.mark.parametrize("size", [0, 1, 3, 4, 9, 16])
def test_products_of_weights_and_values_from_some_place_on(rng, size):
    weights, values = rng.normal(size=20), rng.normal(size=30)
    expected = weights[:size] @ values[7 : 7 + size]
    assert dirichlet._product(weights, values, 7, size) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_the_kth_largest_of_weights_some_places_apart(rng, k):
    weights = rng.uniform(size=36)
    found = importance._kth_largest(weights, 3, 12, k, np.empty(12))
    assert found == np.sort(weights[::3])[-k]
