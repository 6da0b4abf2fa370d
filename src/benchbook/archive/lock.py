"""One writer at a time for what several files must agree on."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from benchbook.archive.records import now
from benchbook.errors import BenchbookError


@contextlib.contextmanager
def locked(folder: Path, purpose: str, wait: float = 0.0) -> Iterator[None]:
    """Hold ``folder`` against other processes for the length of a ``with`` block.

    The lock is the operating system's, on the file ``.lock``: it ends with the process that holds it, however that
    ends, so a file left behind by a dead process stops nobody.

    Args:
        folder: is made when it is not there.
        purpose: what is being done, for the message of the one who is turned away.
        wait: seconds to wait for another process to finish.

    Raises:
        BenchbookError: another process holds the folder; the message says which.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, until = folder / ".lock", time.monotonic() + wait
    while (handle := _taken(path)) is None:
        if time.monotonic() >= until:
            raise BenchbookError(
                f"{folder} is being written by another process ({_holder(path)}); "
                "wait until it has finished and run the same command again"
            )
        time.sleep(0.05)
    try:
        handle.seek(0)
        handle.truncate()
        handle.write(
            json.dumps(
                {
                    "process": os.getpid(),
                    "machine": platform.node(),
                    "since": now(),
                    "doing": purpose,
                }
            )
        )
        handle.flush()
        yield
    finally:
        with contextlib.suppress(
            OSError
        ):  # Windows keeps a file that is open; left there, it stops nobody
            path.unlink()
        handle.close()


def _taken(path: Path) -> IO[str] | None:
    """The open lock file when it is ours, None when it is another's."""
    handle = path.open("a+", encoding="utf8")
    try:
        _lock(handle)
        same = os.fstat(handle.fileno()).st_ino == path.stat().st_ino
    except OSError:
        same = False  # held by another process, or removed by the one who had it
    if not same:
        handle.close()
        return None
    return handle


def _lock(handle: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        handle.seek(1 << 20)  # beyond the text, so that others can read who holds it
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(path: Path) -> str:
    try:
        who = json.loads(path.read_text(encoding="utf8"))
        return f"process {who['process']} on {who['machine']}, since {who['since']}, {who['doing']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "which has only just begun"
