"""The compiled networks against their plain twins and numerical differentiation, for every kind of topology."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from benchbook.kernels import feedforward
from benchbook.methods.proben1 import Topology, plain


def cases(rng, topology, n=23):
    return (
        rng.normal(size=topology.connections),
        rng.normal(size=(n, topology.inputs)),
        rng.normal(size=(n, topology.outputs)),
    )


def numerical(topology, weights, inputs, targets):
    """Central differences of half the plain error, one weight at a time."""

    def error(w):
        return 0.5 * np.sum((plain.outputs(topology, w, inputs) - targets) ** 2)

    steps = 1e-6 * np.eye(len(weights))
    return np.array([(error(weights + step) - error(weights - step)) / 2e-6 for step in steps])


@pytest.mark.parametrize("which", ["kernel", "twin"])
def test_gradient_of_every_weight_group_agrees_with_differences(rng, topology, kernels, which):
    weights, inputs, targets = cases(rng, topology)
    of = kernels.gradient if which == "kernel" else plain.gradient
    found = topology.split(of(topology, weights, inputs, targets)[1])
    expected = topology.split(numerical(topology, weights, inputs, targets))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.biases, theirs.biases, rtol=1e-6, atol=1e-7)
        assert ours.weights.keys() == theirs.weights.keys()
        for source, matrix in ours.weights.items():
            np.testing.assert_allclose(matrix, theirs.weights[source], rtol=1e-6, atol=1e-7)


def test_differences_would_show_a_gradient_that_forgets_the_shortcuts(rng):
    topology = Topology(5, (4, 2), 3)
    weights, inputs, targets = cases(rng, topology)
    expected = topology.split(numerical(topology, weights, inputs, targets))
    values, layers = plain.units(topology, weights, inputs), topology.split(weights)
    forgetful = (
        (values[-1] - targets)
        @ layers[2].weights[2]
        * (1 - np.abs(values[2])) ** 2
        @ layers[1].weights[1]
        * (1 - np.abs(values[1])) ** 2
    )
    assert np.max(np.abs(forgetful.sum(axis=0) - expected[0].biases)) > 0.1


@pytest.mark.parametrize("size", [None, 16])
def test_error_and_gradient_agree_with_the_twin_in_one_block_and_in_many(
    rng, topology, kernels, size
):
    weights, inputs, targets = cases(rng, topology, 70)
    error, slope = kernels.gradient(topology, weights, inputs, targets, size=size)
    plain_error, plain_slope = plain.gradient(topology, weights, inputs, targets)
    assert error == pytest.approx(plain_error, rel=1e-13)
    np.testing.assert_allclose(
        slope, plain_slope, rtol=1e-11, atol=1e-12 * np.abs(plain_slope).max()
    )
    assert kernels.squared_error(topology, weights, inputs, targets, size) == pytest.approx(
        plain_error, rel=1e-13
    )


@pytest.mark.parametrize(
    ("sizes", "n"),
    [
        ((1, 1), 1),
        ((1, 1, 1), 1),
        ((9, 4, 2), 350),
        ((31, 2, 1), 17),
        ((32, 3, 2), 16),
        ((82, 16, 8, 19), 342),
        ((120, 4, 2, 3), 700),
        ((3, 32, 24, 5), 1030),
    ],
)
@pytest.mark.parametrize("shortcuts", [True, False])
def test_gradient_agrees_with_the_twin_for_shapes_at_the_edges(rng, kernels, sizes, n, shortcuts):
    topology = Topology(sizes[0], sizes[1:-1], sizes[-1], shortcuts)
    weights, inputs, targets = cases(rng, topology, n)
    error, slope = kernels.gradient(topology, weights, inputs, targets)
    plain_error, plain_slope = plain.gradient(topology, weights, inputs, targets)
    assert error == pytest.approx(plain_error, rel=1e-12)
    np.testing.assert_allclose(
        slope, plain_slope, rtol=1e-9, atol=1e-11 * np.abs(plain_slope).max()
    )


def test_single_precision_agrees_with_double_to_its_accuracy(rng, kernels):
    topology = Topology(9, (4,), 2)
    weights, inputs, targets = cases(rng, topology, 50)
    error, slope = kernels.gradient(topology, weights, inputs, targets, np.float32)
    plain_error, plain_slope = plain.gradient(topology, weights, inputs, targets)
    assert slope.dtype == np.float32
    assert error == pytest.approx(plain_error, rel=1e-5)
    np.testing.assert_allclose(slope, plain_slope, rtol=1e-4, atol=1e-4 * np.abs(plain_slope).max())


def test_the_order_of_the_cases_does_not_matter(rng, topology, kernels):
    weights, inputs, targets = cases(rng, topology, 40)
    shuffled = rng.permutation(40)
    error, slope = kernels.gradient(topology, weights, inputs, targets, size=16)
    other, moved = kernels.gradient(topology, weights, inputs[shuffled], targets[shuffled], size=16)
    assert other == pytest.approx(error, rel=1e-12)
    np.testing.assert_allclose(moved, slope, rtol=1e-9, atol=1e-10 * np.abs(slope).max())


def test_a_network_without_shortcuts_is_one_with_shortcuts_of_weight_zero(rng, kernels):
    bare, full = Topology(4, (3, 2), 2, shortcuts=False), Topology(4, (3, 2), 2)
    weights, inputs, targets = cases(rng, bare)
    padded = np.zeros(full.connections)
    for into, of in zip(full.split(padded), bare.split(weights), strict=True):
        into.biases[:] = of.biases
        for source, matrix in of.weights.items():
            into.weights[source][:] = matrix
    assert kernels.squared_error(full, padded, inputs, targets) == pytest.approx(
        kernels.squared_error(bare, weights, inputs, targets), rel=1e-13
    )


def test_one_hidden_layer_by_hand():
    """x = 2: the hidden unit is z = 1 - 2 = -1, y = -1/2; the output 0.5 + 3 (-1/2) + 0.25 * 2 = -1/2."""
    topology = Topology(1, (1,), 1)
    weights = np.array([1.0, -1.0, 0.5, 0.25, 3.0])
    assert plain.outputs(topology, weights, np.array([[2.0]])).item() == -0.5
    error, slope = plain.gradient(topology, weights, np.array([[2.0]]), np.array([[0.5]]))
    assert error == 1.0
    # the residual is -1; back through the weight 3 and the slope 1 / (1 + 1)^2 it is -3/4
    np.testing.assert_array_equal(slope, [-0.75, -1.5, -1.0, -2.0, 0.5])


@pytest.mark.parametrize("shortcuts", [True, False])
def test_blocks_hold_every_case_once_and_ones_where_they_belong(rng, shortcuts):
    topology = Topology(40, (3, 2), 2, shortcuts)
    layers = feedforward.plan(topology.sizes, shortcuts)
    inputs, targets = rng.normal(size=(50, 40)), rng.normal(size=(50, 2))
    blocks = feedforward.in_blocks(inputs, targets, layers, size=16)
    assert blocks.units.shape == (4, (1 if shortcuts else 3) + 40 + 3 + 2 + 2, 16)
    columns = blocks.units[:, 1:41].transpose(0, 2, 1).reshape(64, 40)
    np.testing.assert_array_equal(columns[:50], inputs)
    np.testing.assert_array_equal(columns[50:], 0.0)
    np.testing.assert_array_equal(blocks.turned[:, :, 1:].reshape(64, 40), columns)
    np.testing.assert_array_equal(blocks.units[:, layers[:, 1]], 1.0)
    assert blocks.units.ctypes.data % 64 == 0


def test_blocks_are_never_larger_than_needed():
    layers = feedforward.plan((120, 32, 3), True)
    for count in (1, 16, 17, 100, 257, 342, 1588, 4062):
        size = feedforward.block_size(count, layers)
        assert size % 16 == 0
        assert size * -(-count // size) - count < 16 * -(-count // size)
        assert size * 32 * 121 <= 1_000_000


HASH = """
import hashlib, sys
import numpy as np
from benchbook.methods.proben1 import Partition, Topology, train
rng = np.random.default_rng(5)
pad = np.empty(int(sys.argv[1]))
partition = Partition.cut("p", rng.normal(size=(200, 40)), rng.normal(size=(200, 2)), (100, 50, 50), False)
run = train(partition, Topology(40, (4, 2), 2), __import__("benchbook").methods.proben1.RESULT_RUNS, rng)
print(hashlib.sha256(run.weights.tobytes() + run.traces.training.tobytes() + run.traces.test.tobytes()).hexdigest())
"""


def test_a_run_is_the_same_to_the_bit_from_process_to_process():
    hashes = [
        subprocess.run(
            [sys.executable, "-c", HASH, str(size)], capture_output=True, text=True, check=True
        ).stdout
        for size in (1, 70_001)
    ]
    assert all(a == b for a, b in itertools.pairwise(hashes))
    assert len(hashes[0].strip()) == 64
