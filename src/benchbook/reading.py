"""Saying what was taken out of a file from which others take other parts.

A page of the book is executed again when what it has read changes. A file such as the registry of datasets is read as a
whole by every page, and yet a page depends on the few cards only that it asked for. Whoever reads such a file says so
here; who wants to know listens with ``sys.addaudithook``, as ``pages.recorder`` does. To others it costs nothing.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

_summing_up = ContextVar("_summing_up", default=False)


def in_parts(path: Path) -> None:
    """The file is about to be opened by a reader that says with ``part`` what is taken out of it."""
    sys.audit("benchbook.in_parts", str(path))


def part(kind: str, name: str, value: str = "") -> None:
    """A part was asked for, whether or not it is there.

    Args:
        kind: what it is a part of, for example "card".
        name: which part, for example the name of a dataset.
        value: what was found, for kinds whose state cannot be looked up again.
    """
    if not _summing_up.get():
        sys.audit("benchbook.part", kind, name, value)


@contextlib.contextmanager
def summary() -> Iterator[None]:
    """Many parts are looked at for a summary, which is a part itself: it counts, and they do not."""
    before = _summing_up.set(True)
    try:
        yield
    finally:
        _summing_up.reset(before)
