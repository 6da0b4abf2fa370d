"""What a fit reads besides its arguments: files, databases, the network, other programs."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from benchbook.comparison.digests import is_installed

_OUTSIDE = {"socket.connect", "sqlite3.connect", "subprocess.Popen"}
_CODE = (".py", ".pyc", ".so", ".pyd", ".nbi", ".nbc")
"""Endings of files that hold code, which is followed as it is loaded, and of numba's compiled code."""
_SYSTEM = ("/proc/", "/sys/", "/dev/", "/usr/", "/etc/")
_WRITING = os.O_WRONLY | os.O_CREAT

_reads: dict[int, list[str]] = {}  # of the fits under way
_own = threading.local()


@contextmanager
def outside_reads() -> Iterator[list[str]]:
    """Yield a list that takes what is read from outside within a ``with`` block, by Python or through it.

    Libraries that open files by themselves are not seen: ``digests`` looks for what they are called.
    """
    _listen()
    read: list[str] = []
    _reads[id(read)] = read
    try:
        yield read
    finally:
        del _reads[id(read)]


@contextmanager
def unheard() -> Iterator[None]:
    """Leave out what this thread reads within a ``with`` block: files of ours, while fits run in other threads."""
    before = getattr(_own, "reads", False)
    _own.reads = True
    try:
        yield
    finally:
        _own.reads = before


@cache
def _listen() -> None:
    sys.addaudithook(_hear)


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if not _reads or (event != "open" and event not in _OUTSIDE) or getattr(_own, "reads", False):
        return
    if event == "open":
        path, mode, flags = args
        if isinstance(path, int) or (flags or 0) & _WRITING or (mode or "r")[0] in "wax":
            return
        what = os.path.abspath(os.fsdecode(path))
        if what.endswith(_CODE) or f"{what}/".startswith(_SYSTEM) or is_installed(what):
            return
    else:
        what = event
    for read in list(_reads.values()):
        read.append(what)
