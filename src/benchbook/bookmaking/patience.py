"""Starting kernels that now and then do not start."""

from __future__ import annotations

from collections.abc import Callable

_ATTEMPTS = 3
_NOT_STARTED = ("didn't respond", "died before replying")


def with_patience(attempt: Callable[[], object]) -> None:
    """Try again when a kernel did not start: a port that was free when it was chosen may, rarely, be taken by then."""
    for left in reversed(range(_ATTEMPTS)):
        try:
            attempt()
            return
        except RuntimeError as error:
            if left == 0 or not any(words in str(error) for words in _NOT_STARTED):
                raise
