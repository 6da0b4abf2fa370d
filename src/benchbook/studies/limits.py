"""What a single run may take: seconds and memory. A run that takes more is a failure that says so.

Time is watched by the process that has the archive, on every system. Memory is held by the system itself on Linux
(``RLIMIT_AS``), so that an allocation beyond fails at once; on macOS, whose kernel takes that limit and does not keep
it, the worker's resident memory is looked at a few times a second. On Windows there is no such limit without a job
object, and asking for one is refused.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from dataclasses import dataclass

from benchbook import words
from benchbook.errors import BenchbookError, Fault, FaultyInput

OVER_TIME = "over the time limit"
OVER_MEMORY = "over the memory limit"
POLL = 0.25
"""Seconds between two looks at the memory of workers, where the system holds no limit."""
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Limits:
    """The limits of each run.

    Args:
        seconds: wall time from when a worker is given the run, the loading of the method included; None for no limit.
        memory: bytes that a run may take beyond what its worker process holds before it, in address space on Linux and
            resident on macOS; programs that it starts have a limit of the same size each. None for no limit.

    Raises:
        FaultyInput: a limit that is not above zero, or one that this system cannot hold.
    """

    seconds: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        faults = [
            Fault(name, repr(value), "must be a number above zero")
            for name, value in (("seconds", self.seconds), ("memory", self.memory))
            if value is not None and not 0 < value < float("inf")
        ]
        if self.memory is not None and sys.platform == "win32":
            faults.append(Fault("memory", "a limit", "is not possible on Windows; leave it out"))
        if faults:
            raise FaultyInput("limits of a run", faults)

    def __bool__(self) -> bool:
        return self.seconds is not None or self.memory is not None

    @property
    def polled(self) -> bool:
        """Whether the memory of workers has to be looked at from outside."""
        return self.memory is not None and not sys.platform.startswith("linux")

    def too_long(self) -> str:
        """The reason of a run that was ended for its time."""
        return f"{OVER_TIME} of {self.seconds:g} s, and was ended; a larger limit needs --retry-failed too"

    def too_large(self, how: str) -> str:
        """The reason of a run that failed for its memory.

        Args:
            how: what was seen of it.
        """
        return f"{OVER_MEMORY} of {words.size(self.memory or 0)}: {how}; a larger limit needs --retry-failed too"


def parsed_size(text: str) -> int:
    """A size such as 512M, 2G, 1.5GiB or 100000000 (bytes), in bytes; K, M, G and T are powers of 1024.

    Raises:
        BenchbookError: it is none, or zero.
    """
    match = _SIZE.fullmatch(text.strip())
    size = round(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if size <= 0:
        raise BenchbookError(f"{text!r} is no size of memory; write 512M, 2G, or a number of bytes")
    return size


def resident(process: int | None) -> int:
    """The resident memory of a process in bytes, 0 when it cannot be had."""
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        finished = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(process)],
            capture_output=True,
            text=True,
            check=True,
            timeout=5,
        )
        return int(finished.stdout) * 1024
    return 0
