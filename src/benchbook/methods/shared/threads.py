"""One thread for a method: the study runs many at a time, and small work shared among threads is many times slower."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the linear algebra and OpenMP libraries to one thread while the block runs.

    The kernels of networks need it not at all, as they call no library.
    """
    importlib.import_module(
        "scipy.linalg"
    )  # brings the library that the kernels call, so that the limit finds it
    with _libraries(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _libraries(_modules: int) -> ThreadpoolController:
    """The libraries in use. Finding them takes milliseconds, as long as a small network trains; others come only with
    modules that have not been imported before."""
    return ThreadpoolController()
