"""What the fork server loads before it forks kernels: it takes three seconds of a processor, and is the same for each.

Only the fork server imports this module.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import sys
from typing import Any

os.environ["_RJEM_MALLOC_CONF"] = (
    "background_thread:false"  # polars' thread would be lost in a fork
)
_LOADED = (
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "numba",
    "altair",
    "vl_convert",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "benchbook_book.making.kernels",
    "benchbook_book.pages.show",
)


def _audited(reader: Any) -> Any:
    """A reader of polars, whose compiled code opens files that Python's ``open`` would tell of."""

    @functools.wraps(reader)
    def read(source: Any, *arguments: Any, **options: Any) -> Any:
        for path in source if isinstance(source, list | tuple) else [source]:
            if isinstance(path, str | os.PathLike):
                sys.audit("open", os.fspath(path), "rb", 0)
        return reader(source, *arguments, **options)

    return read


def load() -> None:
    """Load the libraries, and leave to the kernels as much memory to share as possible."""
    importlib.import_module("benchbook_book.making.one_compiler").install()
    polars: Any = importlib.import_module("polars")
    for name in ("read_csv", "scan_csv", "read_parquet", "scan_parquet"):
        setattr(polars, name, _audited(getattr(polars, name)))
    for name in _LOADED:
        with contextlib.suppress(ImportError):  # then the page that needs it says so
            importlib.import_module(name)
    importlib.import_module("numba.core.registry").cpu_target.target_context.refresh()
    gc.collect()
    gc.freeze()  # a collection in a kernel would touch, and so copy, all that is shared


load()
