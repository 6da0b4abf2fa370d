"""Worker processes on this machine. Each has a pipe of its own, so that one that dies takes only its own run along.

A worker is given a task instance and hands back plain numbers, as bytes that are not unpickled; the test targets, the
losses and the archive stay here.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import connection
from typing import Any, NamedTuple

from benchbook import words
from benchbook.apart import Child
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.methods import outside
from benchbook.methods.asking import Answer, Asked, serve
from benchbook.stopping import undivided

OVER_TIME = "over the time limit"
OVER_MEMORY = "over the memory limit"
POLL = 0.25
"""Seconds between two looks at the memory of workers, where the system holds no limit."""
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Limits:
    """What a single run may take: seconds and memory. A run that takes more is a failure that says so.

    Time is watched by the process that has the archive, on every system. Memory is held by the system itself on Linux
    (``RLIMIT_AS``), so that an allocation beyond fails at once; on macOS, whose kernel takes that limit and does not
    keep it, the worker's resident memory is looked at a few times a second. On Windows there is no such limit without a
    job object, and asking for one is refused.

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


class Work(NamedTuple):
    """A run that can begin: what its method is asked, which is all that it gets, and the record of the run so far."""

    asked: Asked
    record: dict[str, Any]


def in_processes(
    ready: Iterator[Work], count: int, specs: Sequence[str], limits: Limits
) -> Generator[tuple[Work, Answer], None, None]:
    """Have runs answered by ``count`` worker processes and give the answers as they come.

    A worker that dies (out of memory, ``os._exit``, a crash in compiled code), or is ended because it takes more than
    ``limits``, gives that as the answer of the run it was at; a new one takes its place. When the iterator is closed,
    or interrupted, the workers are killed with whatever they have started themselves.

    Args:
        ready: taken one by one as workers become free.
        count: how many workers.
        specs: the methods that the runs use.
        limits: what each run may take.

    Raises:
        BenchbookError: the workers cannot start, take too long to import a method, or do not know one that this
            process knows.
    """
    pool: dict[_Worker, Work] = {}
    try:
        for work in islice(ready, count):
            pool[_Worker(work.asked, specs, limits)] = work
        while pool:
            speaking = _speaking(pool, limits)
            for worker in list(pool):
                answer = worker.hear() if worker in speaking else worker.over()
                if answer is not None:
                    work = pool[worker]
                    _next(pool, worker, ready, specs)
                    yield work, answer
    except KeyboardInterrupt:
        yield from [
            (work, answer)
            for worker, work in pool.items()
            if worker.conn.poll() and (answer := worker.hear()) is not None
        ]
        raise
    finally:
        with undivided():  # one that is left would be waited for at the end of this process
            for worker in pool:
                worker.kill()


def answered_apart(asked: Asked, limits: Limits) -> Answer:
    """Ask a method for its answer in a process of its own, which is ended when it takes more than ``limits``.

    Args:
        asked: what ``answered`` is given.
        limits: what the run may take.

    Raises:
        BenchbookError: the process cannot start, or does not know the method.
    """
    worker = _Worker(asked, asked[:1], limits)
    try:
        answer = None
        while answer is None:
            answer = worker.hear() if _speaking([worker], limits) else worker.over()
        return answer
    finally:
        worker.kill()


def refuse_unknown(unknown: dict[str, str], where: str) -> None:
    """Raise BenchbookError when workers do not know some methods.

    Args:
        unknown: what ``unknown_methods`` said there.
        where: "worker processes" or "the workers of tcp://...".
    """
    if unknown:
        lines = [f"  {spec}: {reason}" for spec, reason in unknown.items()]
        raise BenchbookError(
            "\n".join(
                [
                    f"{where} cannot find what this process can:",
                    *lines,
                    "Put the method into a file they can read and name it path/to/file.py:name, or run with workers=1.",
                ]
            )
        )


def _speaking(pool: Collection[_Worker], limits: Limits) -> list[_Worker]:
    """Wait until some workers have something to say, or have died; or until one has had its time."""
    ends = [
        worker.since + limits.seconds
        for worker in pool
        if worker.since and limits.seconds is not None
    ]
    ends += [worker.born + outside.PATIENCE for worker in pool if not worker.begun]
    waits = [max(min(ends) - time.monotonic(), 0.0)] if ends else []
    waits += [POLL] if limits.polled else []
    ready = connection.wait(
        [thing for worker in pool for thing in (worker.conn, worker.process.sentinel)],
        min(waits, default=None),
    )
    return [worker for worker in pool if worker.conn in ready or worker.process.sentinel in ready]


def _next(
    pool: dict[_Worker, Work], worker: _Worker, ready: Iterator[Work], specs: Sequence[str]
) -> None:
    """Give an idle worker its next run, or one that has died a successor; let it go when there is no more to do."""
    work = next(ready, None)
    if work is not None and worker.give(work.asked):
        pool[worker] = work
        return
    del pool[worker]
    worker.dismiss()
    if work is not None:
        pool[_Worker(work.asked, specs, worker.limits)] = work


class _Worker(Child):
    """A process with what it is asked, ``since`` when (0 when it is at nothing), and when it was ``born``."""

    def __init__(self, asked: Asked, specs: Sequence[str], limits: Limits) -> None:
        self.asked = asked
        self.begun = False
        self.limits, self.since, self.before = limits, 0.0, 0
        self.specs, self.born = tuple(specs), time.monotonic()
        super().__init__(serve, self.specs, limits.memory)

    def hear(self) -> Answer | None:
        """The answer of its run, its death in the place of one, or nothing when it has only just begun."""
        try:
            with undivided():  # a message that is read in part would be taken for a death
                text = self.conn.recv_bytes()
        except (EOFError, OSError):
            return self._died()
        if self.begun:
            return self._answered(text)
        refuse_unknown(json.loads(text), "worker processes")
        self.begun = True
        return None if self.give(self.asked) else self._died()

    def _answered(self, said: bytes) -> Answer:
        seconds, self.since = time.monotonic() - self.since, 0.0
        try:
            answer = Answer.unpacked(said)
        except BenchbookError as error:
            return Answer(seconds, str(error))
        if self.limits.memory is not None and "MemoryError" in answer.error.partition(":")[0]:
            return replace(answer, error=self.limits.too_large(answer.error))
        return answer

    def give(self, asked: Asked) -> bool:
        """Hand it a task instance; False when it is not there to take it."""
        try:
            self.conn.send(asked)
        except OSError:
            return False
        self.since = time.monotonic()
        self.before = resident(self.process.pid) if self.limits.polled else 0
        return True

    def over(self) -> Answer | None:
        """The failure of its run when that takes too much: it is ended, and the programs it has started.

        Raises:
            BenchbookError: it has not even imported its methods, and had the time for it.
        """
        if not self.begun and time.monotonic() - self.born >= outside.PATIENCE:
            raise BenchbookError(
                f"importing {', '.join(self.specs)} in a worker process took more than "
                f"{outside.PATIENCE:g} s, and was ended"
            )
        if not self.since:
            return None
        seconds = time.monotonic() - self.since
        if self.limits.seconds is not None and seconds >= self.limits.seconds:
            reason = self.limits.too_long()
        elif self.limits.polled and resident(self.process.pid) - self.before > (
            self.limits.memory or 0
        ):
            reason = self.limits.too_large("it was ended")
        else:
            return None
        self.since = 0.0
        self.kill()
        return Answer(seconds, reason)

    def dismiss(self) -> None:
        """Let it end by itself, if it will."""
        with contextlib.suppress(OSError):
            self.conn.send(None)
        self.process.join(timeout=2)
        self.kill()

    def _died(self) -> Answer:
        how = self.ending()
        if not self.begun:
            raise BenchbookError(f"worker processes cannot start here ({how}); run with workers=1")
        self.since = 0.0
        reason = f"the worker process {how}"
        if self.limits.memory is not None:
            reason += f" (its memory limit is {words.size(self.limits.memory)})"
        return Answer(0.0, reason)
