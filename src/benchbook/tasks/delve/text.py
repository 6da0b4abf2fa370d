"""DELVE's text files: numbers in columns."""

from __future__ import annotations

import math
import zlib
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, Fault
from benchbook.files import MOST_UNPACKED, atomic, gunzip, read_file
from benchbook.numerals import number


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
