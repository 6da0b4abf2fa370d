"""Faults of a submission, file by file: the first ones kept, all of them counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.errors import Fault, FaultyInput

_MIB = 1 << 20


@dataclass(frozen=True)
class SubmissionLimits:
    """The limits of one submission, in bytes unless said otherwise; all are ours.

    A file of numbers is read as a stream into one array, so that the memory for it is at most four times its size
    unpacked (two characters give a number of eight bytes), and about three times that while it is checked.

    Args:
        packed: a zip file, and the list of its contents a hundredth of that.
        file: one file, unpacked; held against the size it declares and against the bytes that were really read.
        total: all files of a submission together, unpacked.
        manifest: the manifest.
        line: one line of a file.
        entries: how many files and folders there may be.
        depth: how many folders deep they may lie.
        levels: how many quantiles a case may have.
        lines: how many lines a file may have beyond twice the cases.
        kept: how many faults of one file are kept; the others are counted.
        counted: after how many faults the rest of a file is not read.
        seconds, memory: what reading one Parquet file may take, in a process of its own.
    """

    packed: int = 128 * _MIB
    file: int = 64 * _MIB
    total: int = 256 * _MIB
    manifest: int = 1 << 16
    line: int = _MIB
    entries: int = 1000
    depth: int = 4
    levels: int = 5000
    lines: int = 10_000
    kept: int = 1000
    counted: int = 100_000
    seconds: int = 60
    memory: int = 2048 * _MIB


WHOLE = ""
"""The name under which faults of the submission as a whole are kept."""
_TOKEN = 40
_FORMULA = r"^\s*[=+\-@＝＋－＠]|^[\t\r]"
# Where a list is separated by semicolons, a quote behind a comma protects nothing: cells and lines begin inside a text.
_FORMULA_WITHIN = r"""([;\t\r\n][;\s"]*)([=+\-@＝＋－＠])"""


class Unreadable(Exception):
    """A file that cannot be read further: what was found, and the rule it breaks."""

    def __init__(self, found: str, rule: str) -> None:
        super().__init__(f"{found}; {rule}")
        self.found, self.rule = found, rule


class Findings:
    """Collects faults and remarks while a submission is read.

    Args:
        kept: how many faults of one file are kept; beyond that they are only counted, so that a file of a million
            faults costs no memory.
    """

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self.faults: dict[str, list[Fault]] = {}
        self.counts: dict[str, int] = {}
        self.remarks: list[str] = []

    def add(self, file: str, where: str, found: str, rule: str) -> None:
        """One fault; ``where`` is the place in the file, and may be empty."""
        self.many(file, 1, lambda _: Fault(where, found, rule))

    def many(self, file: str, count: int, make: Callable[[int], Fault]) -> None:
        """``count`` faults of a file, of which ``make(0)``, ``make(1)``, ... are made as far as they are kept."""
        if count == 0:
            return
        retained = self.faults.setdefault(file, [])
        self.counts[file] = self.counts.get(file, 0) + count
        for number in range(min(count, self._kept - len(retained))):
            fault = make(number)
            where = ", ".join(part for part in (show(file), fault.where) if part) or "submission"
            retained.append(Fault(where, fault.found, fault.rule))

    def at(self, file: str, wrong: NDArray[np.bool_], make: Callable[[int, int], Fault]) -> None:
        """A fault for every true entry [j, k] of an array."""
        places = np.argwhere(wrong)
        self.many(
            file, len(places), lambda number: make(int(places[number][0]), int(places[number][1]))
        )

    def unreadable(self, file: str, error: Unreadable, where: str = "") -> None:
        """A file that was not read to its end."""
        self.add(file, where, error.found, error.rule)

    @property
    def total(self) -> int:
        """How many faults there are so far, kept or not."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class SubmissionReport:
    """What is wrong with a submission.

    Attributes:
        path: of the submission.
        faults: by the name of the file ("" for the submission as a whole), those that were kept.
        counts: how many there are, by the same names.
        remarks: what the sender may want to know; no fault.
    """

    path: str
    faults: Mapping[str, tuple[Fault, ...]]
    counts: Mapping[str, int]
    remarks: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether there is no fault."""
        return not self.counts

    @property
    def total(self) -> int:
        """How many faults there are, kept or not."""
        return sum(self.counts.values())

    def lines(self, most: int = 20) -> list[str]:
        """The report for a terminal, with at most so many faults of each file."""
        lines = []
        for file, retained in self.faults.items():
            lines += [f"fault: {fault}" for fault in retained[:most]]
            if self.counts[file] > most:
                lines.append(
                    f"  ... and {self.counts[file] - most} more in {show(file) or 'the submission'}"
                )
        lines += [f"remark: {remark}" for remark in self.remarks]
        if self.good:
            return [*lines, f"{show(self.path)} is valid"]
        faults = f"{self.total} fault{'s' if self.total != 1 else ''}"
        return [
            *lines,
            f"{show(self.path)} is faulty: {faults} in {len(self.counts)} "
            f"place{'s' if len(self.counts) != 1 else ''}",
        ]

    def as_data(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return {
            "path": self.path,
            "valid": self.good,
            "faults": self.total,
            "counts": dict(self.counts),
            "shown": [
                {"file": file, "where": fault.where, "found": fault.found, "rule": fault.rule}
                for file, retained in self.faults.items()
                for fault in retained
            ],
            "remarks": list(self.remarks),
        }

    def refuse(self) -> NoReturn:
        """Raise FaultyInput with the faults that were kept, and one more for those that were only counted."""
        faults = [fault for retained in self.faults.values() for fault in retained]
        faults += [
            Fault(
                show(file) or "submission",
                f"{count - len(self.faults[file])} faults more",
                "are counted and not listed",
            )
            for file, count in self.counts.items()
            if count > len(self.faults[file])
        ]
        raise FaultyInput(
            f"submission {show(self.path)}",
            faults,
            "`benchbook challenge check` shows them; `benchbook challenge tasks` says what is asked.",
        )


def report(path: str, findings: Findings) -> SubmissionReport:
    """What was found, closed."""
    return SubmissionReport(
        path,
        {file: tuple(fault) for file, fault in findings.faults.items()},
        dict(findings.counts),
        tuple(findings.remarks),
    )


def show(text: str) -> str:
    """A name from a stranger, safe to print: as it is when that is harmless, else with its escapes."""
    return text if text.isprintable() else repr(text)[1:-1]


def quote(text: object) -> str:
    """A value from a stranger, quoted, shortened, and safe to print."""
    whole = text if isinstance(text, str) else _repr(text)
    shown = repr(whole[:_TOKEN]) if isinstance(text, str) else show(whole[:_TOKEN])
    return shown + (f"... ({len(whole)} characters)" if len(whole) > _TOKEN else "")


def _repr(value: object) -> str:
    try:
        return repr(value)
    except (
        ValueError,
        RecursionError,
    ):  # whole numbers of thousands of digits, tables within tables
        return f"a {type(value).__name__} too long to show"


def as_csv(frame: pl.DataFrame) -> str:
    """A table as CSV, safe to open, by commas or semicolons: an apostrophe stands before what would be a formula."""
    text = pl.col(pl.String)
    runs = text.str.contains(_FORMULA) & text.cast(pl.Float64, strict=False).is_null()
    inside = text.str.replace_all(_FORMULA_WITHIN, "$1'$2")
    return frame.with_columns(
        pl.when(runs).then(pl.lit("'") + inside).otherwise(inside).name.keep()
    ).write_csv()
