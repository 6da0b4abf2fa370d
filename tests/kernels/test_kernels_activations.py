"""The fast hyperbolic tangent against numpy's."""

import numpy as np
import pytest

from benchbook.kernels.mlp import tanh, tanh_all


def fast(x):
    out = x.copy()
    tanh_all(out)
    return out


@pytest.mark.parametrize(
    "scale", [1e-300, 1e-100, 1e-16, 1e-8, 1e-3, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0, 1e300]
)
def test_relative_error_is_below_1e_15_at_every_scale(rng, scale):
    x = scale * rng.uniform(-1, 1, size=50_001)
    expected = np.tanh(x)
    assert np.max(np.abs(fast(x) - expected) / np.abs(expected)) < 1e-15


def test_relative_error_where_the_reduction_changes_over():
    """Around the multiples of ln(2) / 4, where the power of two in the reduction goes up by one."""
    centres = (np.arange(-60, 60) + 0.5) * np.log(2) / 2
    x = (centres[:, None] + np.linspace(-1e-3, 1e-3, 401)).ravel()
    assert np.max(np.abs(fast(x) / np.tanh(x) - 1)) < 1e-15


def test_special_values():
    x = np.array([0.0, np.inf, -np.inf, 1e308, -1e308, 5e-324])
    assert fast(x).tolist() == [0.0, 1.0, -1.0, 1.0, -1.0, 5e-324]
    assert np.isnan(fast(np.array([np.nan]))[0])


def test_odd_bounded_and_monotone():
    x = np.linspace(0, 30, 300_001)
    y = fast(x)
    np.testing.assert_array_less(np.abs(y), 1 + 1e-15)
    np.testing.assert_allclose(fast(-x), -y, rtol=1e-15)
    assert np.min(np.diff(y)) > -3e-16


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 9, 15, 17])
def test_every_remainder_of_the_vector_length(rng, n):
    x = rng.normal(size=n)
    np.testing.assert_allclose(fast(x), np.tanh(x), rtol=1e-15)
    assert [tanh(value) for value in x] == pytest.approx(np.tanh(x).tolist(), rel=1e-15)
