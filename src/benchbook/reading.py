"""Saying what was taken out of files from which others take other parts.

A page of the book is executed again when what it has read changes. A file such as the registry of datasets is read as a
whole by every page, and yet a page depends on the few cards only that it asked for. Whoever reads such a file says so
here; who wants to know listens with ``sys.addaudithook``, as ``bookmaking.recorder`` does. To others it costs nothing.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator


def part(kind: str, name: str, value: str = "") -> None:
    """A part was asked for, whether or not it is there.

    Args:
        kind: what it is a part of, for example "card".
        name: which part, for example the name of a dataset.
        value: what was found, for kinds whose state cannot be looked up again.
    """
    sys.audit("benchbook.part", kind, name, value)


@contextlib.contextmanager
def in_parts() -> Iterator[None]:
    """What data this thread reads within counts for nothing: what is taken out of it is said with ``part``."""
    sys.audit("benchbook.in_parts", True)
    try:
        yield
    finally:
        sys.audit("benchbook.in_parts", False)
