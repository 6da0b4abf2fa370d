"""The network's kernels against their plain twins, numerical differentiation, and a plain training loop."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from benchbook.kernels import mlp
from benchbook.methods.networks import early_stopping as networks

SHAPES = [
    (1, 1, 1),
    (2, 1, 15),
    (3, 2, 5),
    (7, 3, 1),
    (8, 8, 15),
    (9, 7, 16),
    (17, 33, 15),
    (65, 8, 15),
    (130, 200, 4),
]


def problem(rng, n, d, hidden, direct, scale=0.5):
    weights = scale * rng.normal(size=hidden * (d + 2) + 1 + (d if direct else 0))
    return weights, rng.normal(size=(n, d)), rng.normal(size=n)


def kernel_outputs(weights, inputs, hidden, direct):
    out = np.empty(len(inputs))
    mlp.outputs(
        weights,
        np.ascontiguousarray(inputs.T),
        hidden,
        direct,
        np.empty((hidden, len(inputs))),
        out,
    )
    return out


def kernel_gradient(weights, inputs, targets, hidden, direct):
    n, slope = len(targets), np.full_like(weights, np.nan)
    error = mlp.gradient(
        weights,
        inputs,
        np.ascontiguousarray(inputs.T),
        targets,
        hidden,
        direct,
        slope,
        np.empty((hidden, n)),
        np.empty(n),
    )
    return error, slope


def twin_gradient(weights, inputs, targets, hidden, direct):
    return networks.gradient(weights, inputs, targets, hidden)


def numerical(weights, inputs, targets, hidden):
    """Central differences of the plain error, one weight at a time."""

    def error(w):
        return 0.5 * np.sum((networks.outputs(w, inputs, hidden) - targets) ** 2)

    steps = 1e-5 * np.eye(len(weights))
    return np.array([(error(weights + step) - error(weights - step)) / 2e-5 for step in steps])


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize(("n", "d", "hidden"), SHAPES)
def test_outputs_agree_with_the_twin(rng, n, d, hidden, direct):
    weights, inputs, _ = problem(rng, n, d, hidden, direct)
    plain = networks.outputs(weights, inputs, hidden)
    np.testing.assert_allclose(
        kernel_outputs(weights, inputs, hidden, direct), plain, rtol=1e-12, atol=1e-13
    )


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize(("n", "d", "hidden"), SHAPES)
def test_gradient_agrees_with_the_twin(rng, n, d, hidden, direct):
    weights, inputs, targets = problem(rng, n, d, hidden, direct)
    error, slope = kernel_gradient(weights, inputs, targets, hidden, direct)
    plain_error, plain_slope = networks.gradient(weights, inputs, targets, hidden)
    assert error == pytest.approx(plain_error, rel=1e-13)
    np.testing.assert_allclose(
        slope, plain_slope, rtol=1e-11, atol=1e-12 * np.abs(plain_slope).max()
    )


@pytest.mark.parametrize("gradient", [kernel_gradient, twin_gradient])
@pytest.mark.parametrize("direct", [False, True])
def test_gradient_of_every_weight_group_agrees_with_differences(rng, gradient, direct):
    n, d, hidden = 23, 5, 4
    weights, inputs, targets = problem(rng, n, d, hidden, direct)
    groups = networks.split_weights(
        gradient(weights, inputs, targets, hidden, direct)[1], d, hidden
    )
    expected = networks.split_weights(numerical(weights, inputs, targets, hidden), d, hidden)
    assert [group.size for group in groups] == [20, 4, 4, 1, 5 if direct else 0]
    for ours, theirs in zip(groups, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-7)


def test_differences_would_show_a_gradient_that_forgets_the_slope_of_tanh(rng):
    weights, inputs, targets = problem(rng, 23, 5, 4, False)
    into, bias, out, *_ = networks.split_weights(weights, 5, 4)
    residuals = networks.outputs(weights, inputs, 4) - targets
    forgetful = (residuals[:, None] * out).sum(axis=0)
    right = networks.split_weights(numerical(weights, inputs, targets, 4), 5, 4)[1]
    assert np.max(np.abs(forgetful - right)) > 0.1
    assert np.all(np.abs(np.tanh(inputs @ into.T + bias)) < 1)


def test_training_is_the_plain_loop(rng):
    n, d, hidden, step = 30, 4, 6, 0.01
    start, inputs, targets = problem(rng, n, d, hidden, False, scale=0.01)
    validation, held_targets = rng.normal(size=(11, d)), rng.normal(size=11)
    saves = np.array([1, 5, 12, 40])
    saved, errors = np.zeros((4, len(start))), np.zeros(4)
    finished = mlp.descend(
        start.copy(),
        inputs,
        np.ascontiguousarray(inputs.T),
        targets,
        np.ascontiguousarray(validation.T),
        held_targets,
        hidden,
        False,
        step,
        saves,
        saved,
        errors,
        np.empty((4, 0)),
        True,
    )
    weights = start.copy()
    for iteration in range(1, 41):
        weights = weights - step * networks.gradient(weights, inputs, targets, hidden)[1]
        for row in np.flatnonzero(saves == iteration):
            np.testing.assert_allclose(saved[row], weights, rtol=1e-9, atol=1e-13)
            error = np.mean((networks.outputs(weights, validation, hidden) - held_targets) ** 2)
            assert errors[row] == pytest.approx(error, rel=1e-11)
    assert finished == (40, 0)


def test_a_step_too_large_ends_the_training_and_says_when(rng):
    start, inputs, targets = problem(rng, 30, 4, 6, False)
    saves = np.array([1, 2, 5000])
    saved, errors = np.zeros((3, len(start))), np.zeros(3)
    finished, rises = mlp.descend(
        start.copy(),
        inputs,
        np.ascontiguousarray(inputs.T),
        targets,
        np.ascontiguousarray(inputs.T),
        targets,
        6,
        False,
        10.0,
        saves,
        saved,
        errors,
        np.empty((3, 0)),
        False,
    )
    assert 2 <= finished < 5000
    assert 1 <= rises <= finished
    assert np.isfinite(errors[:2]).all()
    assert errors[2] == np.inf


@pytest.mark.parametrize("step", [0.01, 0.05])
def test_a_rise_of_the_error_is_counted_and_ends_the_training_where_it_is_asked_to(rng, step):
    """The errors of the plain loop say which iterations raised them; 0.05 bounces and does not diverge."""
    start, inputs, targets = problem(rng, 30, 4, 6, False, scale=0.01)
    weights, path = start.copy(), []
    for _ in range(80):
        error, slope = networks.gradient(weights, inputs, targets, 6)
        path.append(error)
        weights = weights - step * slope
    raised = np.flatnonzero(np.diff(path) > 1e-9 * np.array(path[:-1])) + 1
    assert (len(raised) > 10) == (step > 0.04)
    turned, saves = np.ascontiguousarray(inputs.T), np.array([80])
    finished = []
    for until_rise in (False, True):
        saved, errors = np.zeros((1, len(start))), np.zeros(1)
        arrays = (inputs, turned, targets, turned, targets, 6, False, step, saves, saved, errors)
        finished.append(mlp.descend(start.copy(), *arrays, np.empty((1, 0)), until_rise))
    assert finished[0] == (80, len(raised))
    assert finished[1] == ((raised[0], 1) if len(raised) else (80, 0))
    assert np.isfinite(errors[0]) == (len(raised) == 0)


HASH = """
import hashlib, sys
import numpy as np
from benchbook.kernels import mlp
rng = np.random.default_rng(5)
pad = np.empty(int(sys.argv[1]))
inputs, targets, start = rng.normal(size=(96, 8)), rng.normal(size=96), rng.uniform(-0.01, 0.01, 151)
saved, errors, alike = np.zeros((2, 151)), np.zeros(2), np.zeros((2, 0))
t = np.ascontiguousarray(inputs.T)
mlp.descend(start, inputs, t, targets, t, targets, 15, False, 0.004, np.array([1, 500]), saved, errors, alike, False)
print(hashlib.sha256(saved.tobytes() + errors.tobytes()).hexdigest())
"""


def test_training_is_the_same_to_the_bit_from_run_to_run():
    """Separate processes, with arrays at different addresses."""
    hashes = {
        subprocess.run(
            [sys.executable, "-c", HASH, str(size)], capture_output=True, text=True, check=True
        ).stdout
        for size in (1, 333, 70_001)
    }
    assert len(hashes) == 1
    assert len(hashes.pop().strip()) == 64


def moved(array, offset):
    """The same numbers ``offset`` numbers further on in memory."""
    to = np.empty(array.size + offset)[offset:].reshape(array.shape)
    to[...] = array
    return to


def test_the_gradient_is_the_same_to_the_bit_at_a_hundred_alignments(rng):
    """Of everything that it reads and writes, scratch included."""
    weights, inputs, targets = problem(rng, 100, 9, 15, True)
    arrays = (weights, inputs, np.ascontiguousarray(inputs.T), targets)
    scratch = (np.full_like(weights, np.nan), np.empty((15, 100)), np.empty(100))
    seen = set()
    for _ in range(100):
        w, x, t, y, slope, units, residuals = (
            moved(array, rng.integers(64)) for array in (*arrays, *scratch)
        )
        error = mlp.gradient(w, x, t, y, 15, True, slope, units, residuals)
        seen.add((error, slope.tobytes()))
    assert len(seen) == 1


@pytest.mark.parametrize("sizes", [range(1, 11), range(62, 68), (127, 128, 129, 1000)])
def test_every_remainder_of_cases_inputs_and_units_agrees_with_the_twin(rng, sizes):
    """Numbers of cases beside numbers of inputs and units on either side of a vector, a tile and a block."""
    for n, (d, hidden) in itertools.product(
        sizes, [(1, 1), (2, 3), (7, 6), (8, 11), (9, 5), (17, 2), (33, 10)]
    ):
        weights, inputs, targets = problem(rng, n, d, hidden, n % 2 == 0)
        error, slope = kernel_gradient(weights, inputs, targets, hidden, n % 2 == 0)
        plain_error, plain_slope = networks.gradient(weights, inputs, targets, hidden)
        assert error == pytest.approx(plain_error, rel=1e-12), (n, d, hidden)
        np.testing.assert_allclose(
            slope, plain_slope, rtol=1e-10, atol=1e-11 * np.abs(plain_slope).max()
        )


def test_weights_without_bounds_give_an_error_that_is_not_finite(rng):
    weights, inputs, targets = problem(rng, 13, 3, 2, False)
    for broken in (np.nan, np.inf):
        weights[-2] = broken
        assert not np.isfinite(kernel_gradient(weights, inputs, targets, 2, False)[0])
