"""Let one process compile a kernel and the others wait for it, where several that need it run at once.

Nothing of the package is imported here: the process from which the kernels of pages are forked uses it too.
"""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import IO, Any

from numba.core import caching, dispatcher

if sys.platform != "win32":
    import fcntl


class OneCompiler(caching.FunctionCache):
    """Where compiled kernels are kept: what one process compiles the others wait for, and then read.

    Numba lets all of them compile it, and two that keep a kernel for other arguments at once may write one file, which
    is then taken for either. A lock for each kernel cannot end in a circle, because kernels call no kernel above them.
    """

    _lock: IO[str] | None = None

    def load_overload(self, sig: object, target_context: object) -> Any:
        overload = super().load_overload(sig, target_context)
        if overload is None and self._lock is None:
            self._take()
            overload = super().load_overload(sig, target_context)
            if overload is not None:
                self._release()
        return overload

    def save_overload(self, sig: object, data: object) -> None:
        try:
            super().save_overload(sig, data)
        finally:
            self._release()

    def _take(self, wait: float = 120.0) -> None:
        """Hold the kernel; without it after that many seconds, lest a compiler that failed stop everybody."""
        until = time.monotonic() + wait
        self._impl.locator.ensure_cache_path()
        self._lock = (Path(self.cache_path) / f"{self._impl.filename_base}.lock").open(
            "w", encoding="utf8"
        )
        while time.monotonic() < until:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(0.05)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    __del__ = _release


def install() -> None:
    """Make numba keep kernels like this in this process, and in those that are forked from it; not on Windows."""
    if sys.platform != "win32":
        vars(dispatcher)["FunctionCache"] = OneCompiler
