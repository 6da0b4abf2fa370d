"""Starting kernels that now and then do not start."""

from __future__ import annotations

from collections.abc import Callable

_ATTEMPTS = 3


def with_patience(attempt: Callable[[], object]) -> None:
    """Try again when a kernel did not start: two that start at once may, rarely, choose one port."""
    for left in reversed(range(_ATTEMPTS)):
        try:
            attempt()
            return
        except RuntimeError as error:
            if left == 0 or "didn't respond" not in str(error):
                raise
