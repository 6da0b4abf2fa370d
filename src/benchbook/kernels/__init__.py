"""Compiled loops: arrays in, arrays out. They know nothing of the rest of the package."""

from contextlib import suppress
from pathlib import Path


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
