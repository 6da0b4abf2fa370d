"""What the numbers of a prediction must be, case by case, and the predictive distributions they make.

All numbers lie within 1e100 of zero and variances and widths are at least 1e-200 (ours: beyond, the losses overflow,
and nothing measured is there).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchbook.challenge.findings import Findings
from benchbook.challenge.sheet import Sheet
from benchbook.errors import Fault
from benchbook.predictive import Categorical, Gaussian, Predictive, Quantiles
from benchbook.predictive.checks import BoolArray, FloatArray

LARGEST, SMALLEST = 1e100, 1e-200


def prediction(sheet: Sheet, found: Findings) -> Predictive | None:
    """The predictive distributions of a file that has no fault; None, and the faults, of one that has."""
    _judge(sheet, found)
    if sheet.file in found.counts:
        return None
    values, kind = sheet.values, sheet.layout.kind
    if kind == "gaussian":
        return Gaussian(values[:, 0], values[:, 1])
    if kind == "probability":
        return Categorical(np.column_stack([1 - values[:, 0], values[:, 0]]))
    if sheet.layout.levels:
        return Quantiles(np.array(sheet.layout.levels), values)
    levels = values.shape[1] // 2
    return Quantiles(values[:, :levels], values[:, levels:])


def _judge(sheet: Sheet, found: Findings) -> None:
    """Report every number that breaks a rule of its kind; those that are no numbers have been reported."""
    values = np.where((sheet.line > 0)[:, None], sheet.values, np.nan)
    _wrong(sheet, found, values, np.abs(values) > LARGEST, f"must be within {LARGEST:g} of zero")
    if sheet.layout.kind == "gaussian":
        variance = np.zeros(values.shape, dtype=np.bool_)
        variance[:, 1] = values[:, 1] <= 0
        _wrong(sheet, found, values, variance, "must be greater than 0")
        variance[:, 1] = (values[:, 1] > 0) & (values[:, 1] < SMALLEST)
        _wrong(sheet, found, values, variance, f"must be at least {SMALLEST:g}")
    elif sheet.layout.kind == "probability":
        _wrong(sheet, found, values, (values < 0) | (values > 1), "must be between 0 and 1")
    else:
        _judge_quantiles(sheet, found, values)


def _judge_quantiles(sheet: Sheet, found: Findings, values: FloatArray) -> None:
    levels = 0 if sheet.layout.levels else values.shape[1] // 2
    inside = np.zeros(values.shape, dtype=np.bool_)
    inside[:, :levels] = (values[:, :levels] <= 0) | (values[:, :levels] >= 1)
    _wrong(sheet, found, values, inside, "must be strictly between 0 and 1")
    for start, stop, least, what in ((0, levels, 0.0, "level"), (levels, values.shape[1], SMALLEST, "quantile")):
        part = values[:, start:stop]
        with np.errstate(over="ignore"):
            step = np.diff(part, axis=1)
        near = (step > 0) & (step < least)
        for wrong, said in ((step < 0, "less than"), (step == 0, "equal to"), (near, "too near")):
            place = np.zeros(values.shape, dtype=np.bool_)
            place[:, start + 1:stop] = wrong
            _wrong(sheet, found, values, place, f"must be greater than the {what} before it, and is {said}")


def _wrong(sheet: Sheet, found: Findings, values: FloatArray, wrong: BoolArray, rule: str) -> None:
    def make(place: int, column: int) -> Fault:
        case, name = sheet.asked.cases[place], sheet.layout.columns[column]
        said = rule
        if "before it" in rule:
            said = f"{rule} {float(values[place, column - 1])!r}" + (" by 1e-200" if rule.endswith("near") else "")
        return Fault(sheet.where(int(sheet.line[place]), case, name), repr(float(values[place, column])), said)

    found.at(sheet.file, wrong, make)


def levels_in_words(levels: Sequence[float]) -> str:
    """Levels for a message: their number and the outermost."""
    return f"{len(levels)} levels from {levels[0]:g} to {levels[-1]:g}"
