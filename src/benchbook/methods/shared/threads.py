"""One thread for a method: the study runs many at a time, and small work shared among threads is many times slower."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the linear algebra and OpenMP libraries to one thread while the block runs.

    Finding the libraries takes a millisecond or two, as long as a small network trains: once in a method is enough. The
    kernels of networks need it not at all, as they call no library.
    """
    importlib.import_module("scipy.linalg")  # brings the library that the kernels call, so that the limit finds it
    with threadpool_limits(1):
        yield
