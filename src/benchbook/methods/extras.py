"""Libraries that only some methods need: the library when it is there, else how to get it."""

from __future__ import annotations

import importlib
from importlib import metadata
from types import ModuleType

from benchbook.errors import BenchbookError

LACKING = "which is not installed here"  # in the message of each MissingExtra, so that a run's record can be told by it


class MissingExtra(BenchbookError):
    """A method needs an optional library that is not installed; the message says how to get it."""


def library(name: str, method: str, extra: str = "today") -> ModuleType:
    """The library of that name.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"{method} needs {name}, {LACKING} (no {error.name!r}); "
            f"get it with `pip install 'benchbook[{extra}]'`"
        ) from error


def version_of(module: ModuleType) -> dict[str, str]:
    """The library's version, for the record of the run."""
    version = getattr(module, "__version__", None) or metadata.version(module.__name__)
    return {f"{module.__name__}_version": str(version)}
