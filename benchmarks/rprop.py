"""Rprop training of a small network, 9-4-2 on 350 cases: ours, numpy, torch, FANN.

Hidden units x / (1 + |x|), linear outputs, summed squared error, connections between adjacent layers only. All take the
same epochs from the same weights and steps, with the variant of Rprop that torch and FANN have (a weight whose slope
turns stays where it is, and the turn is forgotten), and return the mean squared error of the last one, measured before
its step. In float32 a last bit can turn a slope, so ``check`` compares that loosely. torch is eager,
``torch.optim.Rprop``, all tensors in one group; FANN is a C library, called once for all epochs, and takes part when
the system has it.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchbook.methods.proben1 import Rprop, Topology, plain

EPOCHS = 400
STEP, MOST, LEAST = 0.01, 50.0, 1e-6

NAME = "Rprop of a network 9-4-2 with 350 cases, float32"
UNIT = f"{EPOCHS} epochs"
PEERS = ("torch",)
GOALS = {"torch": 200.0, "FANN": 20.0}
SMALLEST = {"sizes": (3, 2, 2), "cases": 60}


def build(sizes: tuple[int, ...] = (9, 4, 2), cases: int = 350) -> dict[str, Callable[[], object]]:
    """The contenders, ours in float32 first; each call returns the mean squared error of the last epoch."""
    rng = np.random.default_rng(1)
    topology = Topology(sizes[0], sizes[1:-1], sizes[-1], shortcuts=False)
    inputs, targets = (
        rng.random((cases, sizes[0])),
        np.eye(sizes[-1])[rng.integers(0, sizes[-1], cases)],
    )
    problem = (topology, rng.uniform(-0.1, 0.1, topology.connections), inputs, targets)
    contenders = {
        "benchbook": _ours(*problem, np.float32),
        "benchbook, float64": _ours(*problem, np.float64),
        "numpy, float64": _numpy(*problem),
    }
    if importlib.util.find_spec("torch"):
        contenders |= {
            "torch": _torch(*problem, "float32"),
            "torch, float64": _torch(*problem, "float64"),
        }
    return contenders | {
        "FANN": _fann(*problem, "float"),
        "FANN, float64": _fann(*problem, "double"),
    }


def check(results: dict[str, object]) -> None:
    """All contenders end at the same error, those in float64 to many digits."""
    expected = float(results["numpy, float64"])
    for name, value in results.items():
        # FANN lets no step fall below 5e-5, and ends a little higher
        tolerance = 1e-6 if name in ("benchbook, float64", "torch, float64") else 0.1
        assert np.isclose(float(value), expected, rtol=tolerance), (
            f"{name} ends at {value}, numpy at {expected}"
        )


def _ours(
    topology: Topology, start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, dtype: type
) -> Callable[[], object]:
    from benchbook.kernels import feedforward, rprop

    layers = feedforward.plan(topology.sizes, topology.shortcuts)
    blocks = feedforward.in_blocks(inputs, targets, layers, dtype)
    scratch = feedforward.scratch(layers, blocks.units.shape[2], dtype)
    constants = rprop.Constants(
        dtype(1.2), dtype(0.5), dtype(LEAST), dtype(MOST), rprop.IRPROP_MINUS
    )
    errors = np.empty(EPOCHS)

    def run() -> float:
        slope, signs, steps, moves = np.zeros((4, len(start)), dtype)
        steps[:] = STEP
        weights = start.astype(dtype)
        rprop.epochs(
            weights,
            layers,
            False,
            blocks,
            rprop.RpropState(slope, signs, steps, moves, np.full(1, np.inf)),
            constants,
            scratch,
            errors,
        )
        return errors[-1] / targets.size

    return run


def _numpy(
    topology: Topology, start: np.ndarray, inputs: np.ndarray, targets: np.ndarray
) -> Callable[[], object]:
    """The plain gradient, and the step for all weights at once."""
    settings = Rprop("irprop-", first=(STEP, STEP), least=LEAST, most=MOST)

    def run() -> float:
        weights, before, steps = start.copy(), np.zeros(len(start)), np.full(len(start), STEP)
        for _ in range(EPOCHS):
            error, slopes = plain.gradient(topology, weights, inputs, targets)
            signs = np.sign(slopes)
            agree = signs * before
            factors = np.where(agree > 0, settings.up, np.where(agree < 0, settings.down, 1.0))
            steps = np.clip(steps * factors, settings.least, settings.most)
            before = np.where(agree < 0, 0.0, signs)
            weights -= before * steps
        return error / targets.size

    return run


def _torch(
    topology: Topology, start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, dtype: str
) -> Callable[[], object]:
    import torch
    from torch.nn.functional import linear, softsign

    torch.set_num_threads(1)
    kind = getattr(torch, dtype)
    cases, wanted = torch.from_numpy(inputs).to(kind), torch.from_numpy(targets).to(kind)

    def run() -> float:
        layers = [
            (
                torch.tensor(matrix, dtype=kind, requires_grad=True),
                torch.tensor(layer.biases, dtype=kind, requires_grad=True),
            )
            for layer in topology.split(start)
            for matrix in layer.weights.values()
        ]
        optimiser = torch.optim.Rprop(
            [tensor for layer in layers for tensor in layer],
            lr=STEP,
            etas=(0.5, 1.2),
            step_sizes=(LEAST, MOST),
        )
        for _ in range(EPOCHS):
            optimiser.zero_grad()
            values = cases
            for matrix, biases in layers[:-1]:
                values = softsign(linear(values, matrix, biases))
            error = ((linear(values, *layers[-1]) - wanted) ** 2).sum()
            error.backward()
            optimiser.step()
        return error.item() / targets.size

    return run


class _Cases(ctypes.Structure):
    """The beginning of FANN 2.2's ``struct fann_train_data``."""

    _fields_ = (
        ("errno_f", ctypes.c_int),
        ("error_log", ctypes.c_void_p),
        ("errstr", ctypes.c_char_p),
        ("number", ctypes.c_uint),
        ("inputs", ctypes.c_uint),
        ("outputs", ctypes.c_uint),
        ("input", ctypes.c_void_p),
        ("output", ctypes.c_void_p),
    )


def _fann(
    topology: Topology, start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, precision: str
) -> Callable[[], object]:
    """FANN's network, trained by ``fann_train_on_data``, when the library is there."""
    name = ctypes.util.find_library(f"{precision}fann")

    def missing() -> object:
        raise ImportError(f"the library {precision}fann is not on this system")

    if name is None:
        return missing
    number = ctypes.c_float if precision == "float" else ctypes.c_double
    library = _library(name, number)
    sizes = (ctypes.c_uint * len(topology.sizes))(*topology.sizes)
    network = library.fann_create_standard_array(len(topology.sizes), sizes)
    library.fann_set_activation_function_hidden(network, 11)  # x / (1 + |x|)
    library.fann_set_activation_function_output(network, 0)  # linear
    library.fann_set_activation_steepness_hidden(network, 1.0)
    library.fann_set_activation_steepness_output(network, 1.0)
    library.fann_set_training_algorithm(network, 2)  # Rprop
    library.fann_set_train_error_function(network, 0)  # the plain residual
    library.fann_set_rprop_delta_zero(network, STEP)
    data = library.fann_create_train(len(inputs), topology.inputs, topology.outputs)
    held = _Cases.from_address(data)
    for place, values in ((held.input, inputs), (held.output, targets)):
        addresses = (ctypes.c_void_p * len(values)).from_address(place)
        for address, case in zip(addresses, values, strict=True):
            (number * len(case)).from_address(address)[:] = case.tolist()

    _set_weights(library, network, topology, start)

    def run() -> float:
        fresh = library.fann_copy(network)
        library.fann_train_on_data(fresh, data, EPOCHS, 0, 0.0)
        error = float(library.fann_get_MSE(fresh))
        library.fann_destroy(fresh)
        return error

    return run


def _set_weights(library: Any, network: Any, topology: Topology, start: np.ndarray) -> None:
    """FANN counts the units of all layers through, and each layer ends with a unit for the biases of the next."""
    first = 0
    for width, layer in zip(topology.sizes, topology.split(start), strict=False):
        next_first = first + width + 1
        (matrix,) = layer.weights.values()
        for unit, incoming in enumerate(np.column_stack([matrix, layer.biases])):
            for source, weight in enumerate(incoming):
                library.fann_set_weight(network, first + source, next_first + unit, weight)
        first = next_first


def _library(name: str, number: Any) -> Any:
    library, pointer, whole = ctypes.CDLL(name), ctypes.c_void_p, ctypes.c_uint
    for function, result, arguments in (
        ("create_standard_array", pointer, (whole, ctypes.POINTER(whole))),
        ("create_train", pointer, (whole,) * 3),
        ("set_activation_function_hidden", None, (pointer, ctypes.c_int)),
        ("set_activation_function_output", None, (pointer, ctypes.c_int)),
        ("set_activation_steepness_hidden", None, (pointer, number)),
        ("set_activation_steepness_output", None, (pointer, number)),
        ("set_training_algorithm", None, (pointer, ctypes.c_int)),
        ("set_train_error_function", None, (pointer, ctypes.c_int)),
        ("set_rprop_delta_zero", None, (pointer, ctypes.c_float)),
        ("set_weight", None, (pointer, whole, whole, number)),
        ("copy", pointer, (pointer,)),
        ("destroy", None, (pointer,)),
        ("train_on_data", None, (pointer, pointer, whole, whole, ctypes.c_float)),
        ("get_MSE", ctypes.c_float, (pointer,)),
    ):
        entry = getattr(library, f"fann_{function}")
        entry.restype, entry.argtypes = result, arguments
    return library
