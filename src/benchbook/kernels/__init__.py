"""Compiled loops: arrays in, arrays out. They know nothing of the rest of the package.

``from benchbook import kernels`` loads neither numba nor a loop; ``kernels.sampling`` loads that file when it is used.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def __getattr__(name: str) -> Any:
    """The module of that name, imported when it is first used."""
    if name.startswith("__") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def _remove_stale_indexes(folder: Path) -> None:
    """Remove numba's indexes of compiled loops that are older than a source file beside them.

    numba reads an index before it asks whether the source has changed, and fails where a class of an argument has
    another name by now.
    """
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in (folder / "__pycache__").glob("*.nbi"):
        with suppress(OSError):  # another process was faster, or the folder is not ours to change
            if index.stat().st_mtime < newest:
                index.unlink()


with suppress(OSError, ValueError):  # a package without files of its own, in an archive
    _remove_stale_indexes(Path(__file__).parent)
