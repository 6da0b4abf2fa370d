"""Step-size factors and the training that uses them: by hand, against plain twins, and what a mistake would change."""

import numpy as np
import pytest

from benchbook.kernels import mlp
from benchbook.methods.networks import early_stopping as networks
from benchbook.methods.networks.relevance import StaticFactors, dynamic_factors, static_factors


def kernel_factors(slope):
    factors = np.full(slope.shape[1], np.nan)
    mlp.input_factors(np.append(slope.ravel(), [7.0, 7.0]), len(slope), factors)
    return factors


@pytest.fixture(params=[kernel_factors, dynamic_factors], ids=["kernel", "twin"])
def factors_of(request):
    return request.param


def test_factors_by_hand(factors_of):
    """g = (1 + 4, 9 + 1, 0): r = (1/2)^2, 1, 0."""
    np.testing.assert_allclose(
        factors_of(np.array([[1.0, 3.0, 0.0], [2.0, -1.0, 0.0]])), [0.25, 1.0, 0.0], rtol=1e-15
    )


def test_without_any_gradient_all_factors_are_zero(factors_of):
    assert factors_of(np.zeros((3, 4))).tolist() == [0.0] * 4


@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_factors_are_the_fourth_power_of_relative_gradients(factors_of, rng, scale):
    slope = rng.normal(size=(7, 5))
    lengths = np.linalg.norm(slope, axis=0)
    np.testing.assert_allclose(
        factors_of(scale * slope), (lengths / lengths.max()) ** 4, rtol=1e-13
    )
    assert np.abs(factors_of(slope) - (lengths / lengths.max()) ** 2).max() > 0.02


def test_static_factors_by_hand():
    """C = (2 - 2 * 5, 4, 0.5): |C| / max = 1, 1/2, 1/16; the fourth powers are 1, 1/16, 1.5e-5."""
    inputs = np.array([[2.0, 4.0, 0.5], [-2.0, 0.0, 0.0]])
    targets = np.array([1.0, 5.0])
    np.testing.assert_allclose(static_factors(inputs, targets), [1.0, 1 / 16, 1e-3], rtol=1e-15)
    np.testing.assert_allclose(
        static_factors(inputs, targets, StaticFactors(2, 0.01)), [1.0, 0.25, 0.01]
    )
    assert static_factors(inputs, 0 * targets).tolist() == [1e-3] * 3


def test_a_linear_network_at_zero_has_the_static_factors_as_its_dynamic_ones(rng):
    """A unit u'x with small weights u has dE/du = -X't."""
    inputs, targets = rng.normal(size=(40, 5)), rng.normal(size=40)
    dynamic = dynamic_factors(-(inputs.T @ targets)[None, :])
    np.testing.assert_allclose(
        static_factors(inputs, targets, StaticFactors(4, 0.0)), dynamic, rtol=1e-13
    )


def plain_training(start, inputs, targets, hidden, step, iterations, factors_of_slope):
    weights, d, path = start.copy(), inputs.shape[1], []
    for _ in range(iterations):
        slope = networks.gradient(weights, inputs, targets, hidden)[1]
        each = np.ones(len(weights))
        each[: hidden * d] = np.tile(
            factors_of_slope(slope[: hidden * d].reshape(hidden, d)), hidden
        )
        weights = weights - step * each * slope
        path.append((weights, each[:d]))
    return path


def kernel_training(start, inputs, targets, held, held_targets, hidden, step, saves):
    saved, errors = np.zeros((len(saves), len(start))), np.zeros(len(saves))
    trace = np.zeros((len(saves), inputs.shape[1]))
    turned, held_t = np.ascontiguousarray(inputs.T), np.ascontiguousarray(held.T)
    finished, _ = mlp.descend(
        start.copy(),
        inputs,
        turned,
        targets,
        held_t,
        held_targets,
        hidden,
        False,
        step,
        np.array(saves),
        saved,
        errors,
        trace,
        False,
    )
    return finished, saved, errors, trace


def test_training_is_the_plain_loop(rng):
    inputs, targets, start = (
        rng.normal(size=(30, 4)),
        rng.normal(size=30),
        0.05 * rng.normal(size=6 * 6 + 1),
    )
    validation, held_targets = rng.normal(size=(11, 4)), rng.normal(size=11)
    saves = [1, 5, 12, 40]
    finished, saved, errors, trace = kernel_training(
        start, inputs, targets, validation, held_targets, 6, 0.02, saves
    )
    path = plain_training(start, inputs, targets, 6, 0.02, 40, dynamic_factors)
    uniform = plain_training(start, inputs, targets, 6, 0.02, 40, lambda slope: np.ones(4))
    assert finished == 40
    for row, iteration in enumerate(saves):
        weights, factors = path[iteration - 1]
        np.testing.assert_allclose(saved[row], weights, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(trace[row], factors, rtol=1e-9, atol=1e-12)
        expected = np.mean((networks.outputs(weights, validation, 6) - held_targets) ** 2)
        assert errors[row] == pytest.approx(expected, rel=1e-10)
    assert np.abs(saved[-1] - uniform[-1][0]).max() > 1e-3


def test_a_step_too_large_ends_the_training_and_says_when(rng):
    inputs, targets, start = rng.normal(size=(30, 4)), rng.normal(size=30), rng.normal(size=37)
    finished, _, errors, _ = kernel_training(
        start, inputs, targets, inputs, targets, 6, 10.0, [1, 2, 5000]
    )
    assert 2 <= finished < 5000
    assert np.isfinite(errors[:2]).all()
    assert errors[2] == np.inf
