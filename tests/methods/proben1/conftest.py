"""Small networks and cases for the tests of PROBEN1's training."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchbook.kernels import feedforward
from benchbook.methods.proben1 import Partition, Topology

HIDDEN = [(), (3,), (4, 2), (2, 3, 2)]


@pytest.fixture(
    params=[
        (hidden, shortcuts, sigmoid)
        for hidden in HIDDEN
        for shortcuts in (True, False)
        for sigmoid in (False, True)
    ],
    ids=str,
)
def topology(request):
    """Linear networks and one to three hidden layers, with and without shortcuts, linear and sigmoid outputs."""
    hidden, shortcuts, sigmoid = request.param
    return Topology(5, hidden, 3, shortcuts, sigmoid)


@pytest.fixture
def kernels():
    """The compiled network as functions of a topology, weights and cases."""

    def prepare(topology, inputs, targets, dtype=np.float64, size=None):
        layers = feedforward.plan(topology.sizes, topology.shortcuts)
        cases = feedforward.in_blocks(inputs, targets, layers, dtype, size)
        return layers, cases, feedforward.scratch(layers, cases.units.shape[2], dtype)

    def gradient(topology, weights, inputs, targets, dtype=np.float64, size=None):
        layers, cases, scratch = prepare(topology, inputs, targets, dtype, size)
        slope = np.full(len(weights), np.nan, dtype)
        error = feedforward.gradient(
            weights.astype(dtype), layers, topology.sigmoid_outputs, cases, slope, scratch
        )
        return error, slope

    def squared_error(topology, weights, inputs, targets, size=None):
        layers, cases, _ = prepare(topology, inputs, targets, np.float64, size)
        return feedforward.squared_error(weights, layers, topology.sigmoid_outputs, cases)

    return SimpleNamespace(prepare=prepare, gradient=gradient, squared_error=squared_error)


@pytest.fixture
def small_partition(rng):
    """Two classes in two inputs that overlap, 60 / 30 / 30 cases."""
    inputs = rng.normal(size=(120, 2))
    first = inputs[:, 0] * inputs[:, 1] + 0.3 * rng.normal(size=120) > 0
    return Partition.cut(
        "small", inputs, np.column_stack([first, ~first]), (60, 30, 30), classification=True
    )
