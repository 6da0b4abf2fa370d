"""What a call must refuse, in one line."""

from collections.abc import Callable

import pytest


def refused(
    error: type[BaseException],
    words: str,
    call: Callable[..., object],
    /,
    *arguments: object,
    **settings: object,
) -> None:
    """Assert that ``call(*arguments, **settings)`` raises ``error`` with a message that matches ``words``."""
    with pytest.raises(error, match=words):
        call(*arguments, **settings)
