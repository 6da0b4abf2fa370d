"""Case losses in about half a byte to a byte each: whole numbers of a step, their bytes sorted by significance.

An archive that is kept with the source must be small, and nobody needs sixteen digits of a case loss. A loss y_j is
kept as a whole number k_j of a step h:

    line:    y_j = a + b x_j + h k_j        square:  y_j = (h k_j)^2        exact:  y_j itself, eight bytes

where x_j is nothing (b = 0), an already unpacked squared-error loss S_j of the same run, or its root. For one run,

* h is the power of two at or below 1/32 of the upper quartile of |y_j - m| ("square": 1/64 of that of sqrt(y_j)), with
  m = 0 for a loss that is never negative and its median otherwise, so that equal losses of two methods stay equal;
* squared losses are "square": a rounding of at most h/2 in the size of the residual, which is twice that, relatively,
  in its square;
* any other loss takes the x that leaves the smallest whole numbers. The absolute error is the root of the squared error
  whenever both guesses are one (the k_j vanish), and the negative log density of a Gaussian is near a line in it.

k_j is written as the unsigned z_j = 2 k_j or -2 k_j - 1, and ``low`` holds the lowest byte of all z_j, ``high`` the
next bytes of all, and so on; compression then finds the upper ones nearly empty. Losses that are not finite, or of such
a range that k_j needs more than four bytes, are "exact", all lowest bytes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchbook.archive.frames import Names, takes_code

Array: TypeAlias = "NDArray[Any]"

FRACTION = 32
"""The step is at or below this fraction of the upper quartile of the losses of a run, half of it for a root."""

_ROOT = "root of "
PACKED_FIELDS = ("code", "form", "of", "offset", "slope", "step", "low", "high")


class Packed(NamedTuple):
    """The losses of one run and one code: y = offset + slope x + step k, or (step k)^2, or exactly what was given."""

    code: str
    form: str
    of: str
    offset: float
    slope: float
    step: float
    low: bytes
    high: bytes


def pack_run(losses: Mapping[str, Array], squared: frozenset[str]) -> list[Packed]:
    """Pack the case losses of one run.

    Args:
        losses: [J] losses by code.
        squared: the codes whose unit is a square; the first of them is what the others are described by.
    """
    ordered = sorted(losses, key=lambda code: (code not in squared, code))
    packed: list[Packed] = []
    for code in ordered:
        values = np.asarray(losses[code], dtype=np.float64)
        form = "square" if code in squared else "line"
        with np.errstate(
            all="ignore"
        ):  # losses near the end of the range of numbers end up as "exact"
            packed.append(_pack(code, values, form, _predictors(packed)))
    return packed


def unpack_run(packed: Sequence[Packed], codes: Names = None) -> dict[str, Array]:
    """The [J] losses by code of a run, or those of some codes, in the order they were packed."""
    return unpack_runs([packed], codes)[0]


def unpack_runs(runs: Sequence[Sequence[Packed]], codes: Names = None) -> list[dict[str, Array]]:
    """What ``unpack_run`` gives of each run; bytes of equal lengths are decoded at once."""
    wanted = [{item.code for item in packed if takes_code(codes, item.code)} for packed in runs]
    needed = [_needed(packed, names) for packed, names in zip(runs, wanted, strict=True)]
    whole = iter(
        _planes_to_whole(
            [(item.low, item.high) for packed in needed for item in packed if item.form != "exact"]
        )
    )
    return [_unpack_run(packed, names, whole) for packed, names in zip(needed, wanted, strict=True)]


def _needed(packed: Sequence[Packed], wanted: set[str]) -> list[Packed]:
    """Those losses of a run, and the ones that they are described by."""
    needed = wanted.union(item.of.removeprefix(_ROOT) for item in packed if item.code in wanted)
    return [item for item in packed if item.code in needed]


def _unpack_run(
    packed: Sequence[Packed], wanted: set[str], whole: Iterator[NDArray[np.int64]]
) -> dict[str, Array]:
    losses: dict[str, Array] = {}
    for item in packed:
        losses[item.code] = (
            _exactly(item) if item.form == "exact" else _unpack(item, next(whole), losses)
        )
    return {code: values for code, values in losses.items() if code in wanted}


def rounding(one: Packed, values: Array) -> Array:
    """[J] how far each unpacked loss may be from the one that was packed."""
    if one.form == "exact":
        return np.zeros(len(values))
    half = one.step / 2
    return (
        half * (2 * np.sqrt(values) + half) if one.form == "square" else np.full(len(values), half)
    )


def from_row(fields: Sequence[Any]) -> list[Packed]:
    """The packed losses that one row of a packed file holds: a list for each of ``PACKED_FIELDS``."""
    return [Packed(*each) for each in zip(*fields, strict=True)]


def whole_to_planes(whole: NDArray[np.int64]) -> tuple[bytes, bytes]:
    """The lowest byte of every number, zigzag coded, and the next bytes as far as they are needed."""
    coded = ((whole << 1) ^ (whole >> 63)).astype("<u8")
    planes = coded.view(np.uint8).reshape(-1, 8).T
    used = max((level for level in range(8) if planes[level].any()), default=0) + 1
    return planes[0].tobytes(), planes[1:used].tobytes()


def planes_to_whole(low: bytes, high: bytes) -> NDArray[np.int64]:
    """The inverse of ``whole_to_planes``."""
    return _planes_to_whole([(low, high)])[0]


def _planes_to_whole(planes: Sequence[tuple[bytes, bytes]]) -> list[NDArray[np.int64]]:
    """The inverse of ``whole_to_planes`` for each pair, those of equal lengths at once."""
    alike: dict[tuple[int, int], list[int]] = {}
    for index, (low, high) in enumerate(planes):
        alike.setdefault((len(low), len(high)), []).append(index)
    whole: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * len(planes)
    for (size, above), places in alike.items():
        lows, highs = (
            b"".join(each) for each in zip(*(planes[slot] for slot in places), strict=True)
        )
        coded = np.frombuffer(lows, dtype=np.uint8).reshape(len(places), size).astype(np.uint64)
        levels = np.frombuffer(highs, dtype=np.uint8).reshape(
            len(places), above // (size or 1), size
        )
        for level, plane in enumerate(levels.swapaxes(0, 1), start=1):
            coded |= plane.astype(np.uint64) << np.uint64(8 * level)
        signed = (coded >> np.uint64(1)).view(np.int64) ^ -(coded & np.uint64(1)).view(np.int64)
        for position, row in zip(places, signed, strict=True):
            whole[position] = row
    return whole


def _predictors(packed: list[Packed]) -> dict[str, Array]:
    """What a loss may be described by: the first squared loss as it will be unpacked, and its root."""
    if not packed or packed[0].form != "square":
        return {}
    base = unpack_run(packed[:1])[packed[0].code]
    return {packed[0].code: base, f"{_ROOT}{packed[0].code}": np.sqrt(base)}


def _pack(code: str, values: Array, form: str, predictors: Mapping[str, Array]) -> Packed:
    root = form == "square" and bool(np.all(values >= 0))
    step = _step(np.sqrt(values), 2 * FRACTION) if root else _step(values, FRACTION)
    if step is None or (form == "square" and np.any(values < 0)):
        return _exact(code, values)
    if form == "square":
        candidates = [("", 0.0, 0.0, np.rint(np.sqrt(values) / step))]
    else:
        candidates = [_line(values, "", None, step)]
        candidates += [_line(values, name, x, step) for name, x in predictors.items()]
    of, offset, slope, whole = min(
        candidates, key=lambda candidate: np.log2(1 + np.abs(candidate[3])).sum()
    )
    if not np.all(np.abs(whole) < 2**31):
        return _exact(code, values)
    low, high = whole_to_planes(whole.astype(np.int64))
    return Packed(code, form, of, offset, slope, step, low, high)


def _step(values: Array, fraction: int) -> float | None:
    """The power of two the losses are counted in, None when there is none."""
    if not np.all(np.isfinite(values)):
        return None
    if not len(values):
        return 1.0
    away = np.abs(values - _middle(values))
    spread = float(np.quantile(away, 0.75)) or float(np.mean(away)) or 1.0
    exponent = np.floor(np.log2(spread) - np.log2(fraction))
    return float(2.0**exponent) if -900 < exponent < 900 else None


def _middle(values: Array) -> float:
    """Zero for losses that are never negative and not all one, else the median."""
    return 0.0 if np.all(values >= 0) and np.ptp(values) > 0 else float(np.median(values))


def _line(values: Array, of: str, x: Array | None, step: float) -> tuple[str, float, float, Array]:
    offset, slope = (_middle(values) if len(values) else 0.0), 0.0
    if x is not None and np.ptp(x) > 0:
        centred = x - x.mean()
        slope = float(centred @ (values - values.mean()) / (centred @ centred))
        offset = float(np.median(values - slope * x))
    base = offset + (slope * x if x is not None else 0.0)
    return of, offset, slope, np.rint((values - base) / step)


def _exact(code: str, values: Array) -> Packed:
    planes = values.astype("<f8").view(np.uint8).reshape(-1, 8).T
    return Packed(code, "exact", "", 0.0, 0.0, 0.0, planes[0].tobytes(), planes[1:].tobytes())


def _exactly(one: Packed) -> Array:
    planes = np.frombuffer(one.low + one.high, dtype=np.uint8).reshape(8, len(one.low))
    return np.ascontiguousarray(planes.T).view("<f8")[:, 0].astype(np.float64)


def _unpack(one: Packed, whole: NDArray[np.int64], losses: Mapping[str, Array]) -> Array:
    counted = one.step * whole
    if one.form == "square":
        return counted**2
    if not one.of:
        return one.offset + counted
    base = losses[one.of.removeprefix(_ROOT)]
    return one.offset + one.slope * (np.sqrt(base) if one.of.startswith(_ROOT) else base) + counted
