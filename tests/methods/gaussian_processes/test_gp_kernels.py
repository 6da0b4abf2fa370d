"""The kernels of Gaussian processes against numpy."""

import numpy as np
import pytest

from benchbook.kernels import gaussian_process as kernels

SHAPES = [(1, 1), (2, 3), (5, 1), (17, 4), (64, 8)]


def test_exp_is_numpys():
    x = -np.concatenate([[0.0], np.logspace(-300, 2.8, 4001), np.linspace(0, 5, 1001)])
    ours = np.array([kernels.exp(value) for value in x])
    np.testing.assert_allclose(ours, np.exp(x), rtol=1e-15)


def test_exp_outside_its_range():
    assert kernels.exp(0.3) == 1.0
    assert kernels.exp(-1e9) == pytest.approx(np.exp(-700.0))
    assert kernels.exp(-np.inf) > 0
    assert np.isnan(kernels.exp(np.nan))


@pytest.fixture(params=SHAPES, ids=str)
def points(request, rng):
    return rng.normal(size=request.param), rng.normal(size=request.param)


def smooth_of(z, others):
    return 1.7 * np.exp(-0.5 * np.sum((z[:, None, :] - others[None, :, :]) ** 2, axis=2))


def test_covariances(points):
    z, x = points
    n = len(z)
    smooth, linear, whole, half = z @ z.T, x @ x.T, np.full((n, n), np.nan), np.empty(n)
    kernels.covariances(half, smooth, linear, 1.7, 0.3, 0.9, 0.05, whole)
    below = np.tril_indices(n)
    np.testing.assert_allclose(smooth[below], smooth_of(z, z)[below], rtol=1e-13)
    expected = smooth_of(z, z) + 0.3 * linear + 0.9 + 0.05 * np.eye(n)
    np.testing.assert_allclose(whole[below], expected[below], rtol=1e-13)
    np.testing.assert_allclose(half, 0.5 * np.sum(z**2, axis=1), rtol=1e-15)
    assert np.isnan(whole[np.triu_indices(n, 1)]).all()


def test_cross_covariances(points):
    z, x = points
    own, straight = z[: len(z) // 2 + 1] + 0.3, x[: len(z) // 2 + 1]
    products = own @ z.T
    kernels.cross_covariances(
        products,
        0.5 * np.sum(z**2, axis=1),
        0.5 * np.sum(own**2, axis=1),
        straight @ x.T,
        1.7,
        0.3,
        0.9,
    )
    np.testing.assert_allclose(products, smooth_of(own, z) + 0.3 * straight @ x.T + 0.9, rtol=1e-13)


def test_weigh(points, rng):
    z, x = points
    n, solved = len(z), rng.normal(size=len(z))
    inverse, smooth, linear = (
        np.linalg.inv(smooth_of(z, z) + 0.1 * np.eye(n)),
        smooth_of(z, z),
        x @ x.T,
    )
    rest, weighed, totals = inverse - np.outer(solved, solved), inverse.copy(), np.empty(n)
    result = kernels.weigh(weighed, solved, smooth, linear, totals)
    np.testing.assert_allclose(
        result, [np.sum(rest * smooth), np.sum(rest * linear), np.trace(rest)], rtol=1e-10
    )
    np.testing.assert_allclose(totals, np.sum(rest * smooth, axis=1), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(np.tril(weighed), np.tril(rest * smooth), rtol=1e-10, atol=1e-13)
