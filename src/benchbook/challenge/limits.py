"""How much of a submission is read at most, so that no file of a stranger can exhaust the machine."""

from __future__ import annotations

from dataclasses import dataclass

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
