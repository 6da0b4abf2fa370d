"""Layered networks with any hidden layers, with all shortcut connections or none: outputs, error and gradient.

    z_j = sum_i w_ji y_i,      y_j = z_j / (1 + |z_j|)  (hidden units; output units too, or y_j = z_j),
    E = sum_c sum_o (y_oc - t_oc)^2

Cases come in blocks of B columns. A block of units is a matrix [R, B] with one line for each unit, the inputs and the
constant 1 among them, so that what feeds a layer is a run of lines:

    with all shortcuts    1, inputs, first hidden layer, second hidden layer, ..., outputs
    without shortcuts     1, inputs, 1, first hidden layer, 1, second hidden layer, ..., outputs

The weights are one vector [P]: layer by layer, the outputs last; in a layer unit by unit; for a unit its bias, then the
weight of every line that feeds it, in the order of the lines. The shape is data (``plan``), not code, so one compiled
function serves every topology. The matrix products are the BLAS library's; with one BLAS thread the results are the
same to the bit from run to run on one machine.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numba import njit

_WIDTH, _SOURCE, _SOURCES, _LINE, _WEIGHT, _DELTA = range(6)
_LANES = 16  # a block is padded to whole vectors of any machine
_BLOCK = 512  # cases: a block and what is computed from it stay in a core's own cache
_PRODUCT = 1_000_000  # multiplications: OpenBLAS has faster kernels for products up to here
_WIDE = 32  # inputs: from here on a product with the inputs in the other layout is faster
_ALIGNMENT = 64


class BlockedCases(NamedTuple):
    """Cases cut into K blocks of B columns, the last one filled up with columns that count for nothing.

    units [K, R, B], whose lines of inputs and ones are filled in; turned [K, B, 1 + I], ones and inputs in the other
    layout, or [K, 0, 0] for few inputs; targets [K, O, B]; total, how many cases there are.
    """

    units: np.ndarray
    turned: np.ndarray
    targets: np.ndarray
    total: int


class LayerScratch(NamedTuple):
    """Room for a gradient: deltas [T, B] of the hidden and output units, products and gathered weights."""

    deltas: np.ndarray
    product: np.ndarray
    back: np.ndarray


def plan(sizes: tuple[int, ...], shortcuts: bool) -> np.ndarray:
    """Where a network's layers are, [L, 6] whole numbers for L hidden and output layers.

    The columns: units of the layer; the first line that feeds it; how many lines feed it, the constant 1 included; its
    own first line; its first weight; its first delta.

    Args:
        sizes: units of the input, hidden and output layers.
        shortcuts: whether every layer feeds every later one, or only the next.
    """
    layers: list[tuple[int, ...]] = []
    weight, delta, line = 0, 0, 1 + sizes[0]
    for before, width in itertools.pairwise(sizes):
        first = 0 if shortcuts else line - before - 1
        last = len(layers) == len(sizes) - 2
        own = line if shortcuts or last else line + 1
        layers.append((width, first, line - first, own, weight, delta))
        weight += width * (line - first)
        delta += width
        line = own + width
    return np.array(layers, dtype=np.int64)


def weight_count(layers: np.ndarray) -> int:
    """P, the number of weights of a network with this plan, biases included."""
    return int(np.sum(layers[:, _WIDTH] * layers[:, _SOURCES]))


def aligned(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Zeros that begin at the start of a cache line: lines of whole vectors are then read without crossing one."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + _ALIGNMENT, dtype=np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    return room[start : start + size].view(dtype).reshape(shape)


def block_size(count: int, layers: np.ndarray) -> int:
    """How many columns to give each block of ``count`` cases."""
    most = min(_BLOCK, _PRODUCT // int(np.max(layers[:, _WIDTH] * layers[:, _SOURCES])))
    blocks = -(-count // max(most - most % _LANES, _LANES))
    return -(-count // (blocks * _LANES)) * _LANES


def in_blocks(
    inputs: np.ndarray,
    targets: np.ndarray,
    layers: np.ndarray,
    dtype: type = np.float64,
    size: int | None = None,
) -> BlockedCases:
    """Cases for a network.

    Args:
        inputs: [N, I], N at least 1, or 0 when a size is given.
        targets: [N, O].
        layers: the network's plan.
        dtype: float64 or float32.
        size: columns of a block, when not ``block_size``.
    """
    count, width = inputs.shape
    size = size or block_size(count, layers)
    blocks = -(-count // size)
    lines = int(layers[-1, _LINE] + layers[-1, _WIDTH])
    padded = np.zeros((blocks * size, width))
    padded[:count] = inputs
    units = aligned((blocks, lines, size), dtype)
    units[:, 0] = 1.0
    units[:, 1 : 1 + width] = padded.reshape(blocks, size, width).transpose(0, 2, 1)
    units[:, layers[:, _SOURCE]] = 1.0
    turned = aligned((blocks, size, 1 + width) if width >= _WIDE else (blocks, 0, 0), dtype)
    if width >= _WIDE:
        turned[...] = units[:, : 1 + width].transpose(0, 2, 1)
    wanted = np.zeros((blocks * size, targets.shape[1]))
    wanted[:count] = targets
    goals = aligned((blocks, targets.shape[1], size), dtype)
    goals[...] = wanted.reshape(blocks, size, targets.shape[1]).transpose(0, 2, 1)
    return BlockedCases(units, turned, goals, count)


def scratch(layers: np.ndarray, size: int, dtype: type = np.float64) -> LayerScratch:
    """Room for gradients in blocks of ``size`` columns."""
    deltas = int(np.sum(layers[:, _WIDTH]))
    largest = int(np.max(layers[:, _WIDTH] * layers[:, _SOURCES]))
    widest = int(np.max(layers[:, _WIDTH]))
    return LayerScratch(
        aligned((deltas, size), dtype),
        aligned((largest,), dtype),
        aligned((widest * deltas,), dtype),
    )


@njit(cache=True, error_model="numpy")
def _squash(units, line, width, one):
    """y / (1 + |y|) of every element of some lines."""
    for row in range(line, line + width):
        for c in range(units.shape[1]):
            units[row, c] = units[row, c] / (one + abs(units[row, c]))


@njit(cache=True, error_model="numpy")
def _times_slope(deltas, delta, units, line, width, one):
    """The deltas of a layer, each times the sigmoid's slope, 1 / (1 + |z|)^2 = (1 - |y|)^2."""
    for row in range(width):
        for c in range(deltas.shape[1]):
            rest = one - abs(units[line + row, c])
            deltas[delta + row, c] *= rest * rest


@njit(cache=True, error_model="numpy")
def forward(weights, layers, sigmoid, units):
    """The hidden and output units of one block, from its inputs.

    Args:
        weights: [P].
        layers: the plan, [L, 6].
        sigmoid: whether the output units are sigmoid, not linear.
        units: [R, B]; the lines of hidden and output units are filled.
    """
    item = units[0, 0]
    for layer in range(layers.shape[0]):
        width, line, weight = layers[layer, _WIDTH], layers[layer, _LINE], layers[layer, _WEIGHT]
        source, sources = layers[layer, _SOURCE], layers[layer, _SOURCES]
        matrix = weights[weight : weight + width * sources].reshape((width, sources))
        np.dot(matrix, units[source : source + sources], units[line : line + width])
        if sigmoid or layer < layers.shape[0] - 1:
            _squash(units, line, width, item)


@njit(cache=True, error_model="numpy")
def _residuals(units, line, targets, valid, deltas, delta):
    """The last lines of deltas <- outputs - targets, 0 in the columns that count for nothing; returns the sum of
    squares."""
    for output in range(targets.shape[0]):
        for c in range(valid):
            deltas[delta + output, c] = units[line + output, c] - targets[output, c]
        for c in range(valid, deltas.shape[1]):
            deltas[delta + output, c] = 0
    flat = deltas[delta:].reshape(targets.size)
    return np.dot(flat, flat)


@njit(cache=True, error_model="numpy")
def squared_error(weights, layers, sigmoid, cases):
    """E over all cases.

    Args:
        weights, layers, sigmoid: as for ``forward``.
        cases: BlockedCases; the lines of hidden and output units are filled.
    """
    size, line = cases.units.shape[2], layers[-1, _LINE]
    residuals = np.empty((cases.targets.shape[1], size), cases.targets.dtype)
    total = 0.0
    for block in range(cases.units.shape[0]):
        units = cases.units[block]
        forward(weights, layers, sigmoid, units)
        total += _residuals(
            units, line, cases.targets[block], min(size, cases.total - block * size), residuals, 0
        )
    return total


@njit(cache=True, error_model="numpy")
def _go_back(weights, layers, layer, units, scratch):
    """The deltas of a hidden layer, from those of the layers that it feeds."""
    width, line, own = layers[layer, _WIDTH], layers[layer, _LINE], layers[layer, _DELTA]
    last = layer + 1
    while last < layers.shape[0] - 1 and layers[last + 1, _SOURCE] <= line:
        last += 1
    begin, end = layers[layer + 1, _DELTA], layers[last, _DELTA] + layers[last, _WIDTH]
    matrix = scratch.back[: width * (end - begin)].reshape((width, end - begin))
    for later in range(layer + 1, last + 1):
        start = layers[later, _WEIGHT] + line - layers[later, _SOURCE]
        for unit in range(layers[later, _WIDTH]):
            for k in range(width):
                matrix[k, layers[later, _DELTA] - begin + unit] = weights[
                    start + unit * layers[later, _SOURCES] + k
                ]
    np.dot(matrix, scratch.deltas[begin:end], scratch.deltas[own : own + width])
    _times_slope(scratch.deltas, own, units, line, width, units[0, 0])


@njit(cache=True, error_model="numpy")
def _add_product(deltas, sources, slope, first, stride, product):
    """slope[first + j stride + i] += sum_c deltas[j, c] sources[c, i], for all deltas j and sources i."""
    part = product[: deltas.shape[0] * sources.shape[1]].reshape(
        (deltas.shape[0], sources.shape[1])
    )
    np.dot(deltas, sources, part)
    for j in range(part.shape[0]):
        for i in range(part.shape[1]):
            slope[first + j * stride + i] += part[j, i]


@njit(cache=True, error_model="numpy")
def add_slope(weights, layers, cases, block, slope, scratch):
    """Add one block's share of the slope, back from the deltas of its output units.

    Args:
        weights, layers: as for ``forward``.
        cases: BlockedCases; the lines of hidden and output units of the block are filled.
        block: which block.
        slope: [P], to which sum_c dE_c/dw is added.
        scratch: Scratch for blocks of that size, whose last deltas are dE_c/dz of the output units, 0 in the columns
            that count for nothing; those of the hidden units are filled.
    """
    units, wide = cases.units[block], cases.turned.shape[2]
    for layer in range(layers.shape[0] - 2, -1, -1):
        _go_back(weights, layers, layer, units, scratch)
    for layer in range(layers.shape[0]):
        source, sources, weight = (
            layers[layer, _SOURCE],
            layers[layer, _SOURCES],
            layers[layer, _WEIGHT],
        )
        deltas = scratch.deltas[
            layers[layer, _DELTA] : layers[layer, _DELTA] + layers[layer, _WIDTH]
        ]
        begin = source
        if source == 0 and wide > 0:
            _add_product(deltas, cases.turned[block], slope, weight, sources, scratch.product)
            begin = wide
        if begin < source + sources:
            _add_product(
                deltas,
                units[begin : source + sources].T,
                slope,
                weight + begin - source,
                sources,
                scratch.product,
            )


@njit(cache=True, error_model="numpy")
def _output_deltas(layers, sigmoid, cases, block, scratch):
    """The deltas of the output units of one block, half of dE/dz; returns E over it."""
    units, size, last = cases.units[block], cases.units.shape[2], layers.shape[0] - 1
    width, line, delta = layers[last, _WIDTH], layers[last, _LINE], layers[last, _DELTA]
    valid = min(size, cases.total - block * size)
    error = _residuals(units, line, cases.targets[block], valid, scratch.deltas, delta)
    if sigmoid:
        _times_slope(scratch.deltas, delta, units, line, width, units[0, 0])
    return error


@njit(cache=True, error_model="numpy")
def gradient(weights, layers, sigmoid, cases, slope, scratch):
    """E and half its gradient.

    Args:
        weights, layers, sigmoid: as for ``forward``.
        cases: BlockedCases; the lines of hidden and output units are filled.
        slope: [P], filled with 1/2 dE/dw.
        scratch: Scratch for blocks of that size.

    Returns:
        E.
    """
    total = 0.0
    slope[:] = 0
    for block in range(cases.units.shape[0]):
        forward(weights, layers, sigmoid, cases.units[block])
        total += _output_deltas(layers, sigmoid, cases, block, scratch)
        add_slope(weights, layers, cases, block, slope, scratch)
    return total
