"""What the numbers of a prediction must be, case by case, and the predictive distributions they make.

All numbers lie within 1e100 of zero and variances and widths are at least 1e-200 (ours: beyond, the losses overflow,
and nothing measured is there).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchbook.challenge.findings import Findings
from benchbook.challenge.sheet import Sheet
from benchbook.errors import Fault
from benchbook.predictive import Categorical, Gaussian, Predictive, Quantiles
from benchbook.predictive.checks import BoolArray, FloatArray

LARGEST, SMALLEST = 1e100, 1e-200
_BLOCK = 256  # cases looked at together, so that looking costs little memory


def prediction(sheet: Sheet, findings: Findings) -> Predictive | None:
    """The predictive distributions of a file that has no fault; None, and the faults, of one that has."""
    _judge(sheet, findings)
    sheet.finish()
    if sheet.file in findings.counts:
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


def _judge(sheet: Sheet, findings: Findings) -> None:
    """Report every number that breaks a rule of its kind; those that are no numbers have been reported."""
    for start in range(0, len(sheet.values), _BLOCK):
        here = slice(start, start + _BLOCK)
        values = np.where((sheet.line[here] > 0)[:, None], sheet.values[here], np.nan)
        for wrong, rule in _broken(sheet, values):
            _tell(sheet, findings, start, values, wrong, rule)


def _broken(sheet: Sheet, values: FloatArray) -> Iterator[tuple[BoolArray, str]]:
    """Where a block of cases breaks a rule, and the rule, for each of them."""
    yield np.abs(values) > LARGEST, f"must be within {LARGEST:g} of zero"
    if sheet.layout.kind == "gaussian":
        yield _only(values, 1, 2, values[:, 1:] <= 0), "must be greater than 0"
        small = (values[:, 1:] > 0) & (values[:, 1:] < SMALLEST)
        yield _only(values, 1, 2, small), f"must be at least {SMALLEST:g}"
    elif sheet.layout.kind == "probability":
        yield (values < 0) | (values > 1), "must be between 0 and 1"
    else:
        levels = 0 if sheet.layout.levels else values.shape[1] // 2
        own = values[:, :levels]
        yield _only(values, 0, levels, (own <= 0) | (own >= 1)), "must be strictly between 0 and 1"
        yield from _not_increasing(values, 0, levels, 0.0, "level")
        yield from _not_increasing(values, levels, values.shape[1], SMALLEST, "quantile")


def _not_increasing(
    values: FloatArray, start: int, stop: int, least: float, what: str
) -> Iterator[tuple[BoolArray, str]]:
    with np.errstate(over="ignore"):
        step = np.diff(values[:, start:stop], axis=1)
    for wrong, text in (
        (step < 0, "less than"),
        (step == 0, "equal to"),
        ((step > 0) & (step < least), "too near"),
    ):
        if wrong.any():
            yield (
                _only(values, start + 1, stop, wrong),
                f"must be greater than the {what} before it, and is {text}",
            )


def _only(values: FloatArray, start: int, stop: int, wrong: BoolArray) -> BoolArray:
    """Marks of some columns as marks of all."""
    marks = np.zeros(values.shape, dtype=np.bool_)
    marks[:, start:stop] = wrong
    return marks


def _tell(
    sheet: Sheet, findings: Findings, start: int, values: FloatArray, wrong: BoolArray, rule: str
) -> None:
    def make(row: int, column: int) -> Fault:
        case, name = sheet.asked.cases[start + row], sheet.layout.columns[column]
        text = f"{rule} {float(values[row, column - 1])!r}" if "before it" in rule else rule
        return Fault(
            sheet.where(int(sheet.line[start + row]), case, name),
            repr(float(values[row, column])),
            text,
        )

    if wrong.any():
        findings.at(sheet.file, wrong, make)
