"""Workers from a server that has the package loaded, for tests of something else than how a process starts.

``Child`` starts a fresh interpreter each time, which imports the package for half a second. The fixture ``forked`` has
them forked from a server in its place, with the folder and the variables of the moment. What workers print is lost.
"""

import multiprocessing
import os
from collections.abc import Callable
from typing import Any

import pytest

from benchbook import apart


class Server:
    """The part of a context of multiprocessing that ``Child`` uses."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["benchbook.studies", "forked", "numba", "polars"])
        self.Pipe = self._context.Pipe

    def Process(self, target: Callable[..., None], args: tuple[Any, ...], name: str) -> Any:
        return self._context.Process(
            target=_begin, args=(dict(os.environ), target, *args), name=name
        )


def _begin(variables: dict[str, str], target: Callable[..., None], *args: Any) -> None:
    os.environ.clear()
    os.environ.update(variables)
    target(*args)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have workers forked, where this system can."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        server = Server()
        monkeypatch.setattr(apart, "get_context", lambda kind: server)
