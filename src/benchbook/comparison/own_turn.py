"""What all threads of a process share, such as where warnings go: changed by one of them at a time."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.RLock()
_here = threading.local()


@contextmanager
def own_turn() -> Iterator[list[warnings.WarningMessage]]:
    """Wait until no other thread is in such a ``with`` block, and yield the list of what is warned of in this one.

    ``warnings.catch_warnings`` puts back what it found: of two threads at once, what the other one had set.
    """
    with _lock, warnings.catch_warnings(record=True) as caught:
        assert caught is not None
        warnings.simplefilter("always")
        before = has_turn()
        _here.now = True
        try:
            yield caught
        finally:
            _here.now = before


def has_turn() -> bool:
    """Whether this thread is within ``own_turn``: what it waits for must not take a turn in another thread."""
    return bool(getattr(_here, "now", False))


def _anew() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_anew)  # the thread that had its turn is not there
