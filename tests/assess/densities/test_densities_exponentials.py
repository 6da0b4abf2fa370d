"""The vectorised exponential and logarithm against numpy's, and the sums."""

import numpy as np
import pytest
from numba import njit

from benchbook.kernels import exponentials


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
