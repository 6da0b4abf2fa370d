"""A matrix of log likelihoods, draws by cases, taken in blocks of cases: it need not fit in memory.

The file of an ``np.memmap`` is read once, in blocks as wide as the budget allows; nothing else of its size is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook import kernels
from benchbook.assess.densities.checks import Array
from benchbook.errors import Fault, FaultyInput

BUDGET = 32 * 2**20  # bytes of a block that is read from a file
_NARROW = 64  # cases of a block that is in memory
_RULE = (
    "a draw from the posterior gives each case a finite log likelihood; leave out the draws that do not, or look "
    "for overflow where it is computed"
)


def shaped(log_likelihood: ArrayLike) -> NDArray[Any]:
    """The matrix as [M, N]; [chains, draws, N] becomes [chains * draws, N], a view where the layout allows.

    Raises:
        FaultyInput: not real numbers, another number of axes, or an empty one.
    """
    array = log_likelihood if isinstance(log_likelihood, np.ndarray) else _array(log_likelihood)
    actual = None
    if array.dtype.kind not in "iuf":
        actual = f"values of type {array.dtype}"
    elif array.ndim not in (2, 3) or 0 in array.shape:
        actual = f"shape {array.shape}"
    if actual:
        rule = "must be numbers of shape [M draws, N cases] or [chains, draws, N cases], at least one each way"
        raise FaultyInput("log likelihoods", [Fault("array", actual, rule)])
    return array.reshape(-1, array.shape[-1])


def ratios(matrix: NDArray[np.float64], begin: int, end: int, room: Array | None = None) -> Array:
    """Minus the log likelihoods of some cases, [n, M], case by case in memory.

    Args:
        matrix: [M, N], from ``shaped``.
        begin, end: the cases begin to end - 1.
        room: [n or more, M], used for the result when given.

    Raises:
        FaultyInput: a log likelihood that is not finite, with its draw and case.
    """
    out = np.empty((end - begin, len(matrix))) if room is None else room[: end - begin]
    if (
        matrix.dtype == np.float64
        and matrix.flags.c_contiguous
        and matrix.flags.writeable
        and _plain(matrix)
    ):
        sound = kernels.importance.negated(matrix, begin, out)
    elif abs(matrix.strides[0]) < abs(matrix.strides[1]):
        np.negative(matrix[:, begin:end].T, out=out, casting="unsafe")
        sound = bool(np.isfinite(out).all())
    else:
        sound = kernels.importance.negated(
            np.array(matrix[:, begin:end], dtype=np.float64, order="C"), 0, out
        )
    if not sound:
        bad = np.argwhere(~np.isfinite(out))
        raise FaultyInput(
            "log likelihoods",
            [Fault(f"draw {j}, case {begin + i}", _shown(-out[i, j]), _RULE) for i, j in bad],
        )
    return out


def chosen(matrix: NDArray[Any], cases: Iterable[int]) -> Array:
    """``ratios`` of any cases, [n, M]."""
    return np.concatenate([ratios(matrix, int(case), int(case) + 1) for case in cases])


def blocks(matrix: NDArray[np.float64]) -> Iterator[tuple[int, Array]]:
    """The first case of each block and its ``ratios``; the array is used again for the next block."""
    draws, cases = matrix.shape
    narrow = min(_NARROW, cases)
    wide = narrow if _plain(matrix) else min(cases, max(narrow, BUDGET // (2 * 8 * draws)))
    room = np.empty((narrow, draws))
    for begin in range(0, cases, wide):
        part = (
            matrix
            if wide == narrow
            else np.array(matrix[:, begin : begin + wide], dtype=np.float64)
        )
        shift = 0 if wide == narrow else begin
        for first in range(begin, min(begin + wide, cases), narrow):
            last = min(first + narrow, begin + wide, cases)
            yield first, _shifted(part, first - shift, last - shift, room, shift)


def _shifted(part: NDArray[Any], begin: int, end: int, room: Array, shift: int) -> Array:
    """``ratios`` of a part of the matrix; its faults name the cases of the whole."""
    try:
        return ratios(part, begin, end, room)
    except FaultyInput:
        if not shift:
            raise
        bad = np.argwhere(~np.isfinite(part[:, begin:end]))
        raise FaultyInput(
            "log likelihoods",
            [
                Fault(f"draw {j}, case {shift + begin + i}", _shown(part[j, begin + i]), _RULE)
                for j, i in bad
            ],
        ) from None


def _shown(value: float) -> str:
    return "nan, a missing value" if np.isnan(value) else str(value)


def _array(values: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        rule = "must be numbers of shape [M draws, N cases]; every draw has one log likelihood for each case"
        raise FaultyInput(
            "log likelihoods", [Fault("array", "lists of unequal length", rule)]
        ) from None


def _plain(matrix: object) -> bool:
    """Whether the numbers are in memory, and not in a file."""
    base = matrix
    while base is not None:
        if isinstance(base, np.memmap):
            return False
        base = getattr(base, "base", None)
    return True
