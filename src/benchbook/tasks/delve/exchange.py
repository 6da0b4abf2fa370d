"""One instance as files for any program, and its answer read back; the lines of these files."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import MOST_UNPACKED, atomic, gunzip, read_file
from benchbook.numerals import number
from benchbook.predictive import Categorical, Gaussian, Point, Predictive
from benchbook.predictive.checks import without_rounding
from benchbook.tasks.task_instance import TaskInstance


def write_numbers(path: Path, *blocks: NDArray) -> Path:
    """Write blocks [n] or [n, k] side by side, blank-separated, with the fewest digits that read back exactly."""
    columns = [column for block in blocks for column in (block.T if block.ndim == 2 else [block])]
    frame = pl.DataFrame({str(index): column for index, column in enumerate(columns)})
    with atomic(path) as scratch:
        frame.write_csv(scratch, separator=" ", include_header=False)
    return path


def write_text(path: Path, text: str) -> Path:
    """Write a text file whole or not at all."""
    with atomic(path) as scratch:
        scratch.write_text(text, encoding="utf-8")
    return path


def find(folder: Path, name: str) -> Path | None:
    """The file of that name in the folder, compressed with gzip or not."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


def read_numbers(path: Path, cases: int) -> tuple[NDArray[np.float64], list[Fault]]:
    """Read a file of ``cases`` lines with equally many numbers each; blank lines and ``#`` comments do not count.

    Returns:
        The numbers [cases, k] (of no use when there are faults), and every fault with file and line.
    """
    lines = _lines(path)
    width = len(lines[0][1]) if lines else 0
    faults, values = [], []
    for line, words in lines:
        where = f"{path}, line {line}"
        if len(words) != width:
            faults.append(Fault(where, f"{len(words)} numbers", f"{width}, as in the first line"))
        for text in words:
            value = number(text)
            if not math.isfinite(value):
                faults.append(Fault(where, repr(text), "a finite number"))
            values.append(value)
    if len(lines) != cases:
        faults.append(
            Fault(str(path), f"{len(lines)} lines", f"one for each of the {cases} test cases")
        )
    return np.asarray(values).reshape(cases, width) if not faults else np.empty((0, 0)), faults


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        raw = read_file(path, "file", MOST_UNPACKED)
        raw = gunzip(raw, str(path)) if path.suffix == ".gz" else raw
        text = raw.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise BenchbookError(f"{path} cannot be read as text: {error}. Write it again.") from error
    split = (
        (number, line.split("#")[0].split()) for number, line in enumerate(text.splitlines(), 1)
    )
    return [(number, words) for number, words in split if words]


_SUM = 1e-9


def write_instance(instance: TaskInstance, folder: str | Path) -> tuple[Path, Path]:
    """Write ``train.i`` (inputs, then the target, one case a line) and ``test.i`` (inputs), i the instance's number.

    Numbers are on the encoded scale, blank-separated, with enough digits to read back exactly; a class target is its
    index from 0.

    Returns:
        The paths of the training and the test file.
    """
    folder = Path(folder)
    train = write_numbers(
        folder / f"train.{instance.number}", instance.train_inputs, instance.train_targets
    )
    return train, write_numbers(folder / f"test.{instance.number}", instance.test_inputs)


def read_guess(path: str | Path, instance: TaskInstance) -> Predictive:
    """Read a program's answer for the test cases of an instance, one line a case, on the encoded scale.

    For a real target: one number is a point guess; two are the mean and the variance of a Gaussian. For a class target
    with C classes: C numbers are class probabilities (C = 2 too); one number is a class index from 0, read as certainty
    of that class, whose log loss is infinite where it is wrong.

    Raises:
        FaultyInput: wrong number of lines or columns, what is not a number, a negative variance, probabilities that are
            not; all of them, with the line.
        BenchbookError: there is no such file.
    """
    path = Path(path)
    if not path.is_file():
        raise BenchbookError(
            f"there is no guess file {path}; the program has to write one line for each test case "
            f"of {instance.name}."
        )
    return as_prediction(path, len(instance.case_ids), instance.kind, instance.classes)


def as_prediction(path: Path, cases: int, kind: str, classes: Sequence[str]) -> Predictive:
    """The prediction in a guess file, by the number of its columns (see ``read_guess``)."""
    numbers, faults = read_numbers(path, cases)
    if not faults:
        faults = (
            _class_faults(path, numbers, len(classes))
            if kind == "class"
            else _real_faults(path, numbers)
        )
    if faults:
        raise FaultyInput(f"guesses in {path}", faults)
    if kind == "class":
        return Categorical(_probabilities(numbers, len(classes)))
    return Point(numbers[:, 0]) if numbers.shape[1] == 1 else Gaussian(numbers[:, 0], numbers[:, 1])


def _real_faults(path: Path, numbers: NDArray[np.float64]) -> list[Fault]:
    width = numbers.shape[1]
    if width not in (1, 2):
        return [Fault(str(path), f"{width} columns", "1 (a guess) or 2 (mean and variance)")]
    return [
        Fault(f"{path}, case {case}", f"variance {numbers[case, 1]}", "above 0")
        for case in np.flatnonzero(numbers[:, -1] <= 0)
        if width == 2
    ]


def _class_faults(path: Path, numbers: NDArray[np.float64], count: int) -> list[Fault]:
    width = numbers.shape[1]
    if width == 1:
        codes = np.where((count == 2) & (numbers[:, 0] == -1), 0.0, numbers[:, 0])
        wrong = np.flatnonzero((codes < 0) | (codes >= count) | (codes != np.floor(codes)))
        return [
            Fault(
                f"{path}, case {case}",
                f"{numbers[case, 0]}",
                f"a class index from 0 to {count - 1}",
            )
            for case in wrong
        ]
    if width != count:
        return [
            Fault(
                str(path), f"{width} columns", f"1 (a class index) or {count} (class probabilities)"
            )
        ]
    shares = without_rounding(numbers)
    wrong = np.flatnonzero((shares < 0).any(axis=1) | (np.abs(shares.sum(axis=1) - 1) > _SUM))
    return [
        Fault(
            f"{path}, case {case}",
            " ".join(f"{value:g}" for value in numbers[case]),
            "probabilities: none negative, their sum 1 within 1e-5",
        )
        for case in wrong
    ]


def _probabilities(numbers: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    if numbers.shape[1] == count:
        shares = without_rounding(numbers)
        return shares / shares.sum(axis=1, keepdims=True)
    return np.eye(count)[np.maximum(numbers[:, 0], 0).astype(np.int64)]
