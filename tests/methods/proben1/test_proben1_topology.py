"""The report's notation, the number of connections, and the order of the weights."""

import numpy as np
import pytest

from benchbook.errors import FaultyInput
from benchbook.kernels import feedforward
from benchbook.methods.proben1 import Topology


@pytest.mark.parametrize(
    ("text", "hidden", "sigmoid", "notation"),
    [
        ("16+8l", (16, 8), False, "16+8l"),
        ("32+0s", (32,), True, "32s"),
        ("4", (4,), False, "4l"),
        ("0", (), False, "0l"),
        ("", (), False, "0l"),
        ("s", (), True, "0s"),
        ("2+3+4l", (2, 3, 4), False, "2+3+4l"),
    ],
)
def test_the_reports_notation(text, hidden, sigmoid, notation):
    topology = Topology.parse(text, 9, 2)
    assert (topology.hidden, topology.sigmoid_outputs, topology.notation) == (
        hidden,
        sigmoid,
        notation,
    )
    assert Topology.parse(notation, 9, 2) == topology


@pytest.mark.parametrize(
    ("text", "inputs", "outputs", "connections"),
    [
        # Table 7 of the report: cancer1, card1, gene1, glass1, soybean1, soybean2, building2, flare1.
        ("4+2l", 9, 2, 100),
        ("32+0l", 51, 2, 1832),
        ("4+2l", 120, 3, 1115),
        ("16+8l", 9, 6, 572),
        ("16+8l", 82, 19, 4153),
        ("32+0l", 82, 19, 4841),
        ("16+8l", 14, 3, 605),
        ("32+0s", 24, 3, 971),
    ],
)
def test_connections_are_the_reports(text, inputs, outputs, connections):
    topology = Topology.parse(text, inputs, outputs)
    assert topology.connections == connections
    assert feedforward.weight_count(feedforward.plan(topology.sizes, True)) == connections


def test_without_shortcuts_only_neighbours_are_connected():
    topology = Topology(9, (4, 2), 2, shortcuts=False)
    assert topology.connections == 4 * 10 + 2 * 5 + 2 * 3
    assert [list(layer.weights) for layer in topology.split(np.zeros(topology.connections))] == [
        [0],
        [1],
        [2],
    ]


def test_every_weight_has_one_place(topology):
    weights = np.arange(float(topology.connections))
    layers = topology.split(weights)
    found = np.concatenate(
        [np.column_stack([layer.biases, *layer.weights.values()]).ravel() for layer in layers]
    )
    np.testing.assert_array_equal(found, weights)
    for layer in layers:
        layer.biases[:] = -1.0
    assert np.sum(weights == -1.0) == sum(topology.sizes[1:])


@pytest.mark.parametrize("text", ["4-2", "l4", "4+l", "-3l", "4x"])
def test_other_notations_are_refused(text):
    with pytest.raises(FaultyInput, match="16\\+8l"):
        Topology.parse(text, 2, 1)


def test_layers_without_units_are_refused():
    with pytest.raises(FaultyInput, match="layer 0 of 0-3-0: found 0 units"):
        Topology(0, (3,), 0)
