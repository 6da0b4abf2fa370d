"""Rprop: every weight has a step of its own, and only the sign of the slope matters.

    s = sign(dE/dw),      agree = s * s_before
    step <- min(1.2 step, most) when agree > 0,      max(0.5 step, least) when agree < 0,      step otherwise

What happens to a weight whose slope has changed its sign (agree < 0) makes the variants (Igel and Huesken, Empirical
evaluation of the improved Rprop learning algorithms, Neurocomputing 50, 2003, algorithms 1 to 4); all other weights
move by -s step.

    RPROP_PLUS      the last move is undone, and the sign is forgotten
    RPROP_MINUS     it moves by -s step like the others, and the sign is remembered
    IRPROP_PLUS     the last move is undone if E has grown, else it stays; the sign is forgotten
    IRPROP_MINUS    it stays, and the sign is forgotten

With a forgotten sign the next epoch neither lengthens nor shortens the step.

Arrays lent to a loop: the same memory, without a count of references.

Compiled code counts the references to an array, with an atomic instruction each time that it takes or drops a slice.
In an epoch of a small network that is a twentieth of the time. A borrowed array has no count; it is valid for as long
as whoever lent it keeps the array, as the caller of a compiled function does until it returns.
"""

from typing import NamedTuple

import numpy as np
from numba import carray, njit, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from benchbook.kernels.feedforward import BlockedCases, LayerScratch, gradient, squared_error


@intrinsic
def _pointer(_, address):
    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), generate


@njit(cache=True)
def borrow(array):
    """The same elements as a C-contiguous array, in compiled code only; never to be returned or kept."""
    return carray(_pointer(array.ctypes.data), array.shape, array.dtype)  # type: ignore[call-arg]


RPROP_PLUS, RPROP_MINUS, IRPROP_PLUS, IRPROP_MINUS = range(4)


class Constants(NamedTuple):
    """The factors up and down and the limits of a step, all of one floating-point type, and the variant."""

    up: float
    down: float
    least: float
    most: float
    variant: int


class RpropState(NamedTuple):
    """What Rprop remembers of each weight, [P] each: the slope, the last sign of it (0 when forgotten), the step, the
    last move; and the error of the last epoch [1]."""

    slope: np.ndarray
    signs: np.ndarray
    steps: np.ndarray
    moves: np.ndarray
    error: np.ndarray


@njit(cache=True, error_model="numpy")
def update(weights, state, constants, grown):
    """One step of every weight.

    Args:
        weights: [P], changed in place.
        state: RpropState, changed in place; ``slope`` has the new slopes.
        constants: Constants.
        grown: whether E has grown since the last epoch.
    """
    item = weights.dtype.type(1)
    zero = weights.dtype.type(0)
    keep = constants.variant == RPROP_MINUS
    undo = constants.variant == RPROP_PLUS or (constants.variant == IRPROP_PLUS and grown)
    for k in range(weights.size):
        slope = state.slope[k]
        sign = item if slope > zero else (-item if slope < zero else zero)
        agree = sign * state.signs[k]
        factor = constants.up if agree > zero else (constants.down if agree < zero else item)
        step = min(max(state.steps[k] * factor, constants.least), constants.most)
        turned = agree < zero and not keep
        move = (-state.moves[k] if undo else zero) if turned else -sign * step
        state.steps[k] = step
        state.signs[k] = zero if turned else sign
        state.moves[k] = move
        weights[k] += move


@njit(cache=True, error_model="numpy")
def epochs(weights, layers, sigmoid, cases, state, constants, scratch, errors):
    """Some epochs of training.

    Args:
        weights: [P], changed in place.
        layers, sigmoid, cases, scratch: as for ``feedforward.gradient``.
        state, constants: as for ``update``.
        errors: [k], filled with E of each epoch, measured before its step; k is the number of epochs.
    """
    weights, layers = borrow(weights), borrow(layers)
    cases = BlockedCases(
        borrow(cases.units), borrow(cases.turned), borrow(cases.targets), cases.total
    )
    scratch = LayerScratch(borrow(scratch.deltas), borrow(scratch.product), borrow(scratch.back))
    state = RpropState(
        borrow(state.slope),
        borrow(state.signs),
        borrow(state.steps),
        borrow(state.moves),
        borrow(state.error),
    )
    for epoch in range(errors.size):
        error = gradient(weights, layers, sigmoid, cases, state.slope, scratch)
        update(weights, state, constants, error > state.error[0])
        state.error[0] = error
        errors[epoch] = error


@njit(cache=True, error_model="numpy")
def strip(weights, layers, sigmoid, training, validation, test, state, constants, scratch, errors):
    """Some epochs of training, and the errors over the other cases after them.

    Args:
        training, validation, test: Cases of each part.
        others: as for ``epochs``.

    Returns:
        E over the validation cases and E over the test cases.
    """
    epochs(weights, layers, sigmoid, training, state, constants, scratch, errors)
    return squared_error(weights, layers, sigmoid, validation), squared_error(
        weights, layers, sigmoid, test
    )
