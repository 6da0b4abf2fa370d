"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchbook.errors import BenchbookError, shortened


class _Enough(Exception):
    """Ends the writing of a file that is not wanted."""


_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and run the same command again: what was finished is kept",
    errno.EDQUOT: "the disk quota is used up; free some space and run the same command again",
    errno.EROFS: "the file system is read-only; give another folder",
    errno.EACCES: "no permission to write there; give another folder or change its permissions",
    errno.EPERM: "no permission to write there; give another folder or change its permissions",
    errno.EISDIR: "there is a folder of that name; give another name",
    errno.ENOTDIR: "a part of that path is a file, not a folder; give another path",
    errno.EEXIST: "a part of that path is a file, not a folder; give another path",
}
_NO_PLACE = {
    errno.ENAMETOOLONG: "that name is too long; give a shorter one",
    errno.ENOENT: "its folder cannot be made there; give another path",
    errno.ELOOP: "it is a link that leads in a circle; give another path",
}
"""What can be wrong with a path before anything is written."""


@contextlib.contextmanager
def atomic(path: str | Path, named: str | Path | None = None, mode: int = 0o644) -> Iterator[Path]:
    """Yield a scratch path beside ``path``; on success it takes that name, on failure nothing is left.

    Args:
        path: what is written.
        named: what messages call it; the path when left out.
        mode: who may read and write it.

    Raises:
        BenchbookError: the disk is full, read-only or not ours to write, or the path cannot be one.
    """
    path = Path(path)
    scratch, made = None, list[Path]()
    try:
        made += [folder for folder in path.parents if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
        scratch = Path(name)
        yield scratch
        os.chmod(scratch, mode)
        os.replace(scratch, path)
    except OSError as error:
        reasons = _REASONS if scratch is not None else _REASONS | _NO_PLACE
        if error.errno in reasons:
            raise BenchbookError(
                f"cannot write {shortened(str(named or path))}: {reasons[error.errno]}"
            ) from error
        raise
    finally:
        if scratch is not None:
            scratch.unlink(missing_ok=True)
        for folder in made:
            with contextlib.suppress(OSError):  # it holds something, or was never made
                folder.rmdir()


def ensure_writable(folder: str | Path) -> None:
    """Complain now, not after the first hour of work, when nothing can be written there; nothing is left behind.

    Raises:
        BenchbookError: as for ``atomic``.
    """
    with contextlib.suppress(_Enough), atomic(Path(folder) / ".probe", named=folder) as scratch:
        scratch.write_bytes(b"0")
        raise _Enough
